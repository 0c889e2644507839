/** JSON text on the wire to values, in one place. */
import type { Json, JsonObject } from "./errors.js";

export function parseJson(text: string): Json {
  return text === "" ? null : (JSON.parse(text) as Json);
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function parseObject(text: string): JsonObject {
  const value = parseJson(text);
  return isObject(value) ? value : {};
}
