/** `config show | get KEY | set KEY VALUE | reset [KEY]`: the driver's kept settings. */
import { connect, type Json, type JsonObject } from "@cua-driver/client";
import { nearest, type Parsed, Usage } from "./parse.js";
import type { Command } from "./table.js";

/** Words of each verb, itself included: least and most. */
const SHAPES = new Map<string, readonly [number, number]>([
  ["show", [1, 1]],
  ["get", [2, 2]],
  ["set", [3, 3]],
  ["reset", [1, 2]],
]);

export async function config(command: Command, parsed: Parsed): Promise<number> {
  const [verb, key, value, ...more] = parsed.words;
  const usage = new Usage(`Usage: ${command.usage}`);
  const [least, most] = SHAPES.get(verb ?? "show") ?? [0, 0];
  if (most === 0 || more.length > 0 || parsed.words.length > most) throw usage;
  if (parsed.words.length < least && verb !== undefined) throw usage;
  const driver = await connect({ kind: "cli", socket: parsed.value("socket") });
  try {
    if (verb === "set" && key !== undefined && value !== undefined) {
      const reply = await driver.call("set_config", { key, value: parsedWord(value) });
      return print(reply.structured, parsed);
    }
    if (verb === "reset") {
      const reply = await driver.call("set_config", { reset: true, ...(key === undefined ? {} : { key }) });
      return print(reply.structured, parsed);
    }
    const { structured } = await driver.call("get_config", {});
    return print(key === undefined ? structured : pick(structured, key), parsed);
  } finally {
    await driver.close();
  }
}

/** `0`, `true` and `{}` are JSON; any other word is itself. */
function parsedWord(word: string): Json {
  try {
    return JSON.parse(word) as Json;
  } catch {
    return word;
  }
}

function pick(all: JsonObject, key: string): Json {
  const value = all[key];
  if (value !== undefined) return value;
  const near = nearest(key, Object.keys(all));
  throw new Usage(
    `there is no setting ${key}; ${near === undefined ? `known are ${Object.keys(all).join(", ")}` : `did you mean ${near}?`}`,
  );
}

function print(value: Json, parsed: Parsed): number {
  process.stdout.write(`${JSON.stringify(value, null, parsed.given("json") ? 0 : 2)}\n`);
  return 0;
}
