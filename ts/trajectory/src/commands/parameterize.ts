/** `trajectory parameterize DIR NAME=TEXT … --out DIR2`: a copy with `{{NAME}}` wherever TEXT was given or aimed at. */

import { randomBytes } from "node:crypto";
import { closeSync, constants, mkdirSync, openSync, readSync, renameSync, rmSync, writeSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { parseArgs, type Spec, Usage } from "../args.js";
import { type Folder, LIMIT, said } from "../folder.js";
import { fail, guarded, type Io, pathOf } from "../io.js";
import { type Json, type JsonObject, object } from "../json.js";
import { open, type Trajectory } from "../read.js";
import { plain } from "../words.js";
import { WriteError, writeFile } from "../write.js";

const SPEC: Spec = {
  usage: "Usage: cua-driver trajectory parameterize DIR NAME=TEXT ... --out DIR2",
  flags: { out: { kind: "text", short: "o" } },
  words: { min: 2, max: 200, names: "the folder of a recording and at least one NAME=TEXT" },
};

export interface Parameter {
  name: string;
  text: string;
}

export function run(argv: readonly string[], io: Io): Promise<number> {
  return guarded(io, argv, 1, async () => {
    const given = parseArgs(argv, SPEC);
    if (given.has("help")) {
      io.out(`${SPEC.usage}\n`);
      return 0;
    }
    const out = given.text("out");
    if (out === undefined) throw new Usage(`say where the changed copy goes: --out DIR2\n${SPEC.usage}`);
    const parameters = given.words.slice(1).map(parameter);
    const of = open(pathOf(io, given.words[0] ?? ""));
    const found = new Map(parameters.map((p) => [p.name, 0]));
    const actions = new Map(
      of.turns.map((turn) => [turn.name, parameterized(turn.action().raw, parameters, found)]),
    );
    const missing = parameters.filter((p) => found.get(p.name) === 0);
    if (missing.length > 0) {
      const rows = missing.map((p) => `${p.name}: nothing recorded says ${plain(JSON.stringify(p.text))}`);
      fail(io, argv, "failed", rows.join("\n"));
      return 1;
    }
    const dir = pathOf(io, out);
    copy(of, dir, actions);
    if (given.has("json")) {
      io.out(`${JSON.stringify({ dir, places: Object.fromEntries(found) })}\n`);
      return 0;
    }
    for (const [name, n] of found) io.out(`${name}: ${n} ${n === 1 ? "place" : "places"}\n`);
    io.out(`${plain(dir, 1000)}\n`);
    return 0;
  });
}

function parameter(word: string): Parameter {
  const at = word.indexOf("=");
  const [name, text] = [word.slice(0, at), word.slice(at + 1)];
  if (at < 1 || !/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(name) || text === "") {
    throw new Usage(
      `${JSON.stringify(word)} is not NAME=TEXT (a name of letters, digits, _ and -, and some text)`,
    );
  }
  return { name, text };
}

/** `action.json` with the texts of its arguments replaced; what is hidden stays hidden. */
export function parameterized(
  raw: JsonObject,
  parameters: readonly Parameter[],
  found: Map<string, number>,
): JsonObject {
  const longest = [...parameters].sort((a, b) => b.text.length - a.text.length);
  const walk = (value: Json): Json => {
    if (typeof value === "string") return replaced(value, longest, found);
    if (Array.isArray(value)) return value.map(walk);
    const inner = object(value);
    if (!inner || inner.redacted === true) return value;
    return Object.fromEntries(Object.entries(inner).map(([key, item]) => [key, walk(item)]));
  };
  const args = object(raw.arguments) ?? {};
  const kept = new Set(["element_token", "snapshot_id", "session", "delivery_mode", "secret"]);
  const changed = Object.entries(args).map(
    ([key, value]) => [key, kept.has(key) ? value : walk(value)] as const,
  );
  const target = raw.target === undefined ? {} : { target: named(raw.target, longest, found) };
  return { ...raw, arguments: Object.fromEntries(changed), ...target };
}

/** Names and titles in a target that are such a text as a whole: the row "Ada" becomes the row of whoever it is. */
function named(value: Json, parameters: readonly Parameter[], found: Map<string, number>): Json {
  if (Array.isArray(value)) return value.map((item) => named(item, parameters, found));
  const inner = object(value);
  if (!inner) return value;
  const entries = Object.entries(inner).map(([key, item]) => {
    const hit = key === "name" || key === "title" ? parameters.find((p) => p.text === item) : undefined;
    if (!hit) return [key, named(item, parameters, found)] as const;
    found.set(hit.name, (found.get(hit.name) ?? 0) + 1);
    return [key, `{{${hit.name}}}`] as const;
  });
  return Object.fromEntries(entries);
}

/** One pass from left to right, the longest text first, so that nothing put in is replaced again. */
function replaced(value: string, longest: readonly Parameter[], found: Map<string, number>): string {
  let out = "";
  for (let at = 0; at < value.length; ) {
    const hit = longest.find((p) => value.startsWith(p.text, at));
    if (hit) {
      found.set(hit.name, (found.get(hit.name) ?? 0) + 1);
      out += `{{${hit.name}}}`;
      at += hit.text.length;
    } else out += value[at++];
  }
  return out;
}

/** The files of the recording under a new name, whole or not at all. */
function copy(of: Trajectory, to: string, actions: Map<string, JsonObject>): void {
  const part = join(dirname(to), `.${basename(to)}.${randomBytes(6).toString("hex")}.part`);
  try {
    mkdirSync(part, { mode: 0o700 });
    for (const { name, kind } of of.folder.entries()) {
      if (kind === "file" && /^(session\.json|events\.jsonl|recording(-\d+)?\.mp4)$/.test(name))
        copyFile(of.folder, part, [name]);
    }
    for (const turn of of.turns) {
      mkdirSync(join(part, turn.name), { mode: 0o700 });
      for (const file of turn.files) if (file !== "action.json") copyFile(of.folder, part, [turn.name, file]);
      writeFile(join(part, turn.name, "action.json"), [
        `${JSON.stringify(actions.get(turn.name), null, 2)}\n`,
      ]);
    }
    // Fails when something is there, an empty folder excepted.
    renameSync(part, to);
  } catch (error) {
    rmSync(part, { recursive: true, force: true });
    throw error instanceof WriteError ? error : new WriteError(said(error, to));
  }
}

function copyFile(from: Folder, to: string, parts: string[]): void {
  const source = from.open(LIMIT.video, ...parts);
  try {
    const target = openSync(
      join(to, ...parts),
      constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL,
      0o600,
    );
    try {
      const piece = Buffer.alloc(1 << 20);
      for (let n = readSync(source.fd, piece); n > 0; n = readSync(source.fd, piece))
        writeSync(target, piece, 0, n);
    } finally {
      closeSync(target);
    }
  } finally {
    closeSync(source.fd);
  }
}
