/** `trajectory clean DIR`: removes old recordings; without `--yes` it only says which. */
import { rmdirSync, rmSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { parseArgs, type Spec, Usage } from "../args.js";
import { type Found, findRecordings, recordingIn } from "../find.js";
import { Folder, said, size } from "../folder.js";
import { guarded, type Io, pathOf } from "../io.js";
import { plain } from "../words.js";

const SPEC: Spec = {
  usage:
    "Usage: cua-driver trajectory clean [DIR] (--older-than DAYS | --keep-bytes N | both) [--yes] [--json]",
  flags: {
    "older-than": { kind: "number", min: 0, max: 100_000 },
    "keep-bytes": { kind: "number", min: 0 },
    yes: { kind: "switch" },
  },
  words: { min: 0, max: 1, names: "a folder" },
};

export interface Limits {
  /** Those that ended before this time go. */
  beforeMs?: number;
  /** The oldest go until this much is left. */
  keepBytes?: number;
}

export function run(argv: readonly string[], io: Io): Promise<number> {
  return guarded(io, argv, 1, async () => {
    const given = parseArgs(argv, SPEC);
    if (given.has("help")) {
      io.out(`${SPEC.usage}\n`);
      return 0;
    }
    const [days, keepBytes] = [given.number("older-than"), given.number("keep-bytes")];
    if (days === undefined && keepBytes === undefined)
      throw new Usage(`say which recordings: --older-than DAYS or --keep-bytes N\n${SPEC.usage}`);
    const now = Date.now();
    const root = new Folder(pathOf(io, given.words[0] ?? ".")).path;
    if (recordingIn(root, now))
      throw new Usage(`${root} is itself a recording; name the folder that holds it: ${dirname(root)}`);
    const chosen = choose(findRecordings(root, now), {
      ...(days === undefined ? {} : { beforeMs: now - days * 86_400_000 }),
      ...(keepBytes === undefined ? {} : { keepBytes }),
    });
    return given.has("yes")
      ? remove(io, root, chosen, given.has("json"))
      : propose(io, root, chosen, given.has("json"));
  });
}

/** Which of these go; one that is still being written never does. */
export function choose(found: Found[], limits: Limits): Found[] {
  const oldest = found.filter((f) => !f.live).sort((a, b) => a.endedMs - b.endedMs);
  const gone = new Set(oldest.filter((f) => limits.beforeMs !== undefined && f.endedMs < limits.beforeMs));
  if (limits.keepBytes !== undefined) {
    let left = found.reduce((sum, f) => sum + (gone.has(f) ? 0 : f.bytes), 0);
    for (const f of oldest) {
      if (left <= limits.keepBytes) break;
      if (gone.has(f)) continue;
      gone.add(f);
      left -= f.bytes;
    }
  }
  return oldest.filter((f) => gone.has(f));
}

function propose(io: Io, root: string, chosen: Found[], json: boolean): number {
  if (json)
    io.out(
      `${JSON.stringify({ removed: false, recordings: chosen.map((f) => ({ dir: f.dir, bytes: f.bytes })) })}\n`,
    );
  else if (chosen.length === 0) io.out("nothing to remove\n");
  else {
    for (const f of chosen) io.out(`${line(root, f)}\n`);
    io.out(`${summary(chosen)} would go; add --yes to remove\n`);
  }
  return 0;
}

function remove(io: Io, root: string, chosen: Found[], json: boolean): number {
  let failed = 0;
  const removed: Found[] = [];
  for (const f of chosen) {
    try {
      removeOne(root, f);
      removed.push(f);
      if (!json) io.out(`removed ${line(root, f)}\n`);
    } catch (error) {
      failed++;
      io.err(`${plain(said(error, f.dir), 1000)}\n`);
    }
  }
  if (json)
    io.out(
      `${JSON.stringify({ removed: true, recordings: removed.map((f) => ({ dir: f.dir, bytes: f.bytes })) })}\n`,
    );
  else io.out(`${summary(removed)} removed\n`);
  return failed === 0 ? 0 : 1;
}

/** The files of this recording and nothing else; its folder too when that leaves it empty. */
function removeOne(root: string, f: Found): void {
  // Looked at again: it may have been replaced since it was found.
  const now = recordingIn(f.dir, Date.now());
  if (!now || now.dir !== f.dir || !f.dir.startsWith(root + sep))
    throw new Error("is no longer that recording; left alone");
  if (now.live) throw new Error("is being recorded; left alone");
  // The session goes last: until then what is left is still known for a recording.
  const order = [...now.own.filter((name) => name !== "session.json"), "session.json"];
  for (const name of order) rmSync(join(f.dir, name), { recursive: true, force: true });
  if (now.foreign.length === 0) rmdirSync(f.dir);
}

function line(root: string, f: Found): string {
  const left =
    f.foreign.length === 0
      ? ""
      : ` (its folder stays: ${f.foreign.length} other ${f.foreign.length === 1 ? "file" : "files"} in it)`;
  return plain(
    `${relative(root, f.dir)}  ${new Date(f.endedMs).toISOString().slice(0, 10)}  ${size(f.bytes)}${left}`,
    1000,
  );
}

function summary(of: Found[]): string {
  return `${of.length} ${of.length === 1 ? "recording" : "recordings"}, ${size(of.reduce((sum, f) => sum + f.bytes, 0))}`;
}
