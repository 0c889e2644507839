/** JSON that nobody vouches for: parsed within bounds, read by shape. */

export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}

/** Nesting beyond this is refused: no recorder writes it, and it would overflow what walks it. */
const DEPTH = 200;

export class BadJson extends Error {}

/** Parse `text`; throws `BadJson` with the reason when it is not JSON or is nested too deeply. */
export function parse(text: string): Json {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch (error) {
    throw new BadJson(`not JSON: ${error instanceof Error ? error.message.slice(0, 120) : "unreadable"}`);
  }
  let level: Json[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEPTH) throw new BadJson(`JSON nested more than ${DEPTH} deep`);
    const next: Json[] = [];
    for (const item of level) {
      if (item === null || typeof item !== "object") continue;
      for (const inner of Array.isArray(item) ? item : Object.values(item)) {
        if (inner !== null && typeof inner === "object") next.push(inner);
      }
    }
    level = next;
  }
  return value;
}

export function object(value: Json | undefined): JsonObject | undefined {
  return value !== null && typeof value === "object" && !Array.isArray(value) ? value : undefined;
}

export function list(value: Json | undefined): Json[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

/** The objects of a list; other things in it are left out. */
export function objects(value: Json | undefined): JsonObject[] {
  return (list(value) ?? []).flatMap((item): JsonObject[] => {
    const found = object(item);
    return found ? [found] : [];
  });
}

export function text(value: Json | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** A finite number. */
export function number(value: Json | undefined): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** A member of an object, own keys only. */
export function member(value: Json | undefined, ...path: string[]): Json | undefined {
  let at: Json | undefined = value;
  for (const key of path) {
    const inner = object(at);
    if (inner === undefined || !Object.hasOwn(inner, key)) return undefined;
    at = inner[key];
  }
  return at;
}
