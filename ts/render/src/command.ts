/** `cua-driver recording render DIR`. Exit 0 done, 1 failed, 2 when the line says nothing doable. */
import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import {
  fail,
  guarded,
  type Io,
  open,
  parseArgs,
  pathOf,
  plain,
  processIo,
  type Spec,
  Usage,
  WriteError,
} from "@cua-driver/trajectory";
import { FfmpegError } from "./ffmpeg.js";
import { bar } from "./progress.js";
import { type Kind, type Rendered, render } from "./render.js";

const SPEC: Spec = {
  usage:
    "Usage: cua-driver recording render DIR [-o FILE] [--gif | --webp] [--scale N | --no-zoom] [--no-captions] [--speed N] [--no-video]",
  flags: {
    out: { kind: "text", short: "o" },
    gif: { kind: "switch" },
    webp: { kind: "switch" },
    "no-zoom": { kind: "switch" },
    "no-captions": { kind: "switch" },
    "no-video": { kind: "switch" },
    scale: { kind: "number", min: 1, max: 8 },
    speed: { kind: "number", min: 0.1, max: 20 },
  },
  words: { min: 1, max: 1, names: "the folder of a recording" },
};

export async function run(argv: readonly string[], io?: Io): Promise<number> {
  const own = io ? undefined : processIo();
  const using = io ?? own;
  try {
    return using ? await guarded(using, argv, 1, () => command(argv, using)) : 1;
  } finally {
    own?.close();
  }
}

async function command(argv: readonly string[], io: Io): Promise<number> {
  const given = parseArgs(argv, SPEC);
  if (given.has("help")) {
    io.out(`${SPEC.usage}\n`);
    return 0;
  }
  if (given.has("gif") && given.has("webp")) throw new Usage("--gif and --webp: one of them");
  if (given.has("scale") && given.has("no-zoom"))
    throw new Usage("--scale says how far to zoom; --no-zoom not to: one of them");
  const kind: Kind = given.has("gif") ? "gif" : given.has("webp") ? "webp" : "mp4";
  const of = open(pathOf(io, given.words[0] ?? ""));
  const out = given.text("out");
  const progress = io.terminal ? bar((text) => io.err(text), io.columns) : undefined;
  progress?.at(0);
  try {
    const done = await render({
      of,
      out: out === undefined ? beside(of.dir, kind) : pathOf(io, out),
      kind,
      zoom: given.has("no-zoom") ? 1 : given.number("scale"),
      captions: !given.has("no-captions"),
      speed: given.number("speed") ?? 1,
      pictures: given.has("no-video"),
      signal: io.signal,
      ...(progress ? { onProgress: (share: number) => progress.at(share) } : {}),
    });
    progress?.end();
    report(io, done, given.has("json"));
    return 0;
  } catch (error) {
    progress?.end();
    if (!(error instanceof FfmpegError) && !(error instanceof WriteError)) throw error;
    const hint = /cannot be used/.test(error.message)
      ? "; --no-video renders from the pictures of the turns"
      : "";
    fail(io, argv, "failed", `${plain(error.message, 1000)}${hint}`);
    return 1;
  }
}

function report(io: Io, done: Rendered, json: boolean): void {
  for (const note of done.notes) io.err(`${plain(note, 500)}\n`);
  if (json) {
    io.out(
      `${JSON.stringify({ file: done.file, width: done.width, height: done.height, duration_ms: done.durationMs, notes: done.notes })}\n`,
    );
  } else io.out(`${done.file}\n`);
}

/** `first.mp4` beside the folder `first`, or `first-2.mp4` when that is there. */
function beside(dir: string, kind: Kind): string {
  for (let n = 1; ; n++) {
    const file = join(dirname(dir), `${basename(dir)}${n === 1 ? "" : `-${n}`}.${kind}`);
    if (!existsSync(file)) return file;
  }
}
