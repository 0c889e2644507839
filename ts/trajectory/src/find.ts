/** Recordings below a folder: real ones only, links not followed, bounded. */
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { Folder, LIMIT } from "./folder.js";
import { type JsonObject, number, object, parse } from "./json.js";
import { layoutOf, readSession } from "./migrate.js";
import type { Session } from "./types.js";

export interface Found {
  dir: string;
  session: Session;
  turns: number;
  bytes: number;
  /** Milliseconds since 1970: when it ended, or was last written. */
  endedMs: number;
  /** It has no end yet and was written not long ago. */
  live: boolean;
  /** Names in it that are files of a recording, and others. */
  own: string[];
  foreign: string[];
}

// The last ones are what a crash leaves of a file in the making.
const OWN_FILE =
  /^(session\.json|events\.jsonl|recording(-\d+)?\.mp4|\.session\.json\.new|\.recording(-\d+)?\.mp4\.masked\.mp4)$/;
const OWN_FOLDER = /^turn-\d{5,9}$/;
const UNFINISHED = /^unfinished-\d{5,9}(-\d{1,9})?$/;

const DEPTH = 3;
const VISITS = 20_000;
const LIVE_MS = 24 * 3600 * 1000;

/** The recording in exactly this folder, or nothing. */
export function recordingIn(dir: string, nowMs: number): Found | undefined {
  try {
    const folder = new Folder(dir);
    const entries = folder.entries();
    if (!entries.some((e) => e.name === "session.json" && e.kind === "file")) return undefined;
    const raw = object(parse(folder.read(LIMIT.session, "session.json").toString("utf8")));
    const turns = entries.filter((e) => e.kind === "folder" && OWN_FOLDER.test(e.name)).length;
    if (!raw || !real(raw, turns)) return undefined;
    const own = entries.filter((e) => isOwn(e.name, e.kind)).map((e) => e.name);
    const session = readSession(raw);
    const writtenMs = Math.max(
      ...["session.json", "events.jsonl"].map((name) => modified(join(folder.path, name))),
    );
    const ended = session.endedAt === undefined ? Number.NaN : Date.parse(session.endedAt);
    return {
      dir: folder.path,
      session,
      turns,
      bytes: own.reduce((sum, name) => sum + bytesOf(folder.path, name), 0),
      endedMs: Number.isNaN(ended) ? writtenMs : ended,
      live:
        session.layout === "cua-trajectory" && session.endedAt === undefined && nowMs - writtenMs < LIVE_MS,
      own,
      foreign: entries.filter((e) => !isOwn(e.name, e.kind)).map((e) => e.name),
    };
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}

/** A `session.json` alone may be anybody's: the older layout counts only with turns beside it. */
function real(raw: JsonObject, turns: number): boolean {
  const { layout } = layoutOf(raw);
  return layout === "cua-trajectory" || (turns > 0 && number(raw.schema_version) !== undefined);
}

function isOwn(name: string, kind: string): boolean {
  return kind === "folder"
    ? OWN_FOLDER.test(name) || UNFINISHED.test(name)
    : kind === "file" && OWN_FILE.test(name);
}

function modified(path: string): number {
  try {
    return lstatSync(path).mtimeMs;
  } catch {
    return 0;
  }
}

/** Bytes of a file, or of the files of a turn; links count nothing. */
function bytesOf(dir: string, name: string): number {
  const stat = lstatSync(join(dir, name), { throwIfNoEntry: false });
  if (!stat || stat.isSymbolicLink()) return 0;
  if (!stat.isDirectory()) return stat.size;
  try {
    return new Folder(join(dir, name))
      .entries()
      .reduce((sum, e) => sum + (e.kind === "file" ? sizeOf(join(dir, name, e.name)) : 0), 0);
  } catch {
    return 0;
  }
}

function sizeOf(path: string): number {
  return lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Every recording below `root`, itself included, newest first. Throws `TrajectoryError` when `root` is no folder. */
export function findRecordings(root: string, nowMs: number): Found[] {
  const top = new Folder(root).path;
  const found: Found[] = [];
  let visits = 0;
  const walk = (dir: string, depth: number) => {
    if (++visits > VISITS) return;
    const here = recordingIn(dir, nowMs);
    if (here) {
      found.push(here);
      return;
    }
    if (depth === DEPTH) return;
    let entries: { name: string; kind: string }[];
    try {
      entries = new Folder(dir).entries();
    } catch {
      return;
    }
    for (const e of entries) {
      if (e.kind === "folder" && !e.name.startsWith(".") && e.name !== "node_modules")
        walk(join(dir, e.name), depth + 1);
    }
  };
  walk(top, 0);
  return found.sort((a, b) => b.endedMs - a.endedMs || a.dir.localeCompare(b.dir));
}
