/** `config show | get KEY | set KEY VALUE`: the driver's kept settings. */
import { connect, type Json, type JsonObject } from "@cua-driver/client";
import { nearest, type Parsed, Usage } from "./parse.js";
import type { Command } from "./table.js";

export async function config(command: Command, parsed: Parsed): Promise<number> {
  const [verb, key, value, ...more] = parsed.words;
  const usage = new Usage(`Usage: ${command.usage}`);
  const shape = { show: 1, get: 2, set: 3 }[verb ?? "show"];
  if (shape === undefined || more.length > 0 || parsed.words.length > shape) throw usage;
  if (parsed.words.length < shape && verb !== undefined) throw usage;
  const driver = await connect({ kind: "cli", socket: parsed.value("socket") });
  try {
    if (verb === "set" && key !== undefined && value !== undefined) {
      const reply = await driver.call("set_config", { key, value: parsedWord(value) });
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
  throw new Usage(`there is no setting ${key}${near === undefined ? "" : `; did you mean ${near}?`}`);
}

function print(value: Json, parsed: Parsed): number {
  process.stdout.write(`${JSON.stringify(value, null, parsed.given("json") ? 0 : 2)}\n`);
  return 0;
}
