/** A recording as something to film: its videos, or the pictures of its turns laid out in time. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Action,
  BadPicture,
  decodePng,
  encodePng,
  number,
  type Picture,
  type PictureName,
  type PngSize,
  pngSize,
  type Trajectory,
  type Turn,
  type Video,
} from "@cua-driver/trajectory";
import { captionOf } from "./caption.js";
import { FfmpegError, type Input, probeVideo, type VideoFacts } from "./ffmpeg.js";
import { inPicture, onScreen, type Place } from "./place.js";
import type { Mark, Sample, Source } from "./plan.js";

export interface Footage {
  source: Source;
  inputs: Input[];
  /** Start of the filter graph: the inputs as one stream. */
  head: string;
  /** What could not be used, for the person. */
  notes: string[];
}

const RINGS: Record<string, Mark["ring"]> = {
  click: "single",
  right_click: "single",
  double_click: "double",
  drag: "single",
};

function mark(turn: Turn, action: Action, startMs: number, endMs: number, place: Place): Mark {
  const ring =
    action.tool === "click" && number(action.arguments.count) === 2
      ? "double"
      : (RINGS[action.tool] ?? "none");
  const bad = action.outcome === "refused" || action.outcome === "failed";
  return {
    turn: turn.number,
    startMs,
    endMs,
    caption: captionOf(action),
    bad,
    ring: action.outcome === "refused" ? "none" : ring,
    ...place,
  };
}

/** Turns whose action can be read; the others are named in `notes`. */
function readable(of: Trajectory, notes: string[]): { turn: Turn; action: Action }[] {
  return of.turns.flatMap((turn) => {
    const { action, problem } = turn.tryAction();
    if (action) return [{ turn, action }];
    notes.push(`${problem.where}: ${problem.message}; the turn is left out`);
    return [];
  });
}

function even(value: number): number {
  return Math.max(2, Math.round(value / 2) * 2);
}

/** The recorded videos one after the other, on the recording's clock. Throws `FfmpegError` for a broken one. */
export async function fromVideos(of: Trajectory): Promise<Footage> {
  const notes: string[] = [];
  const parts: { video: Video; facts: VideoFacts; atMs: number }[] = [];
  let durationMs = 0;
  for (const video of of.session.videos) {
    if (!of.folder.entries().some((e) => e.name === video.path && e.kind === "file")) {
      notes.push(`${video.path} is missing; its time is left out`);
      continue;
    }
    const facts = await probeVideo(join(of.dir, video.path)).catch((error: unknown) => {
      throw error instanceof FfmpegError
        ? new FfmpegError(`${video.path} cannot be used: ${error.message}`)
        : error;
    });
    parts.push({ video, facts, atMs: durationMs });
    durationMs += facts.durationMs;
  }
  const [first] = parts;
  if (!first) throw new FfmpegError("the recording has no video");
  const [width, height] = [even(first.facts.width), even(first.facts.height)];
  const clock = (ms: number) => {
    const part = [...parts].reverse().find((p) => ms >= p.video.startMs) ?? first;
    return part.atMs + Math.min(Math.max(ms - part.video.startMs, 0), part.facts.durationMs);
  };
  const marks = readable(of, notes).flatMap(({ turn, action }) => {
    if (action.startMs === undefined) return [];
    const place = onScreen(action, turn, pictureOf(turn, action)?.width);
    return [
      mark(
        turn,
        action,
        clock(action.startMs),
        clock(action.endMs ?? action.startMs),
        fit(place, first.facts, of),
      ),
    ];
  });
  const input = (name: string): Input => ({
    file: join(of.dir, name),
    options: ["-f", "mp4", "-protocol_whitelist", "file"],
  });
  return {
    source: { width, height, durationMs, marks, pointer: pointer(of, clock), paced: false },
    inputs: parts.map((p) => input(p.video.path)),
    head: joined(parts.length, width, height),
    notes,
  };
}

/** The video may be smaller than the display it shows. */
function fit(place: Place, facts: VideoFacts, of: Trajectory): Place {
  const display = of.session.display;
  if (!display || (display[0] === facts.width && display[1] === facts.height)) return place;
  if (Math.abs(display[0] / facts.width - display[1] / facts.height) > 0.02) return place;
  const k = facts.width / display[0];
  const scaled = (p: { x: number; y: number }) => ({ x: p.x * k, y: p.y * k });
  return {
    ...(place.at ? { at: scaled(place.at) } : {}),
    ...(place.to ? { to: scaled(place.to) } : {}),
    ...(place.extent ? { extent: { w: place.extent.w * k, h: place.extent.h * k } } : {}),
  };
}

function joined(n: number, width: number, height: number): string {
  if (n === 1) return `[0:v]setpts=PTS-STARTPTS,scale=${width}:${height}`;
  const one = (i: number) => `[${i}:v]setpts=PTS-STARTPTS,scale=${width}:${height},setsar=1[v${i}]`;
  const all = Array.from({ length: n }, (_, i) => i);
  return `${all.map(one).join(";")};${all.map((i) => `[v${i}]`).join("")}concat=n=${n}:v=1:a=0`;
}

function pointer(of: Trajectory, clock: (ms: number) => number): Sample[] {
  return of.events().flatMap((e): Sample[] => {
    if (e.event !== "cursor" || e.raw.agent !== true || e.tMs === undefined) return [];
    const [x, y] = [number(e.raw.x), number(e.raw.y)];
    return x === undefined || y === undefined ? [] : [{ x, y, ms: clock(e.tMs) }];
  });
}

interface Shown {
  turn: Turn;
  which: PictureName;
  width: number;
  height: number;
  /** Size, depth, colour type and interlacing. */
  kind: string;
}

/** The picture the points of a turn lie in. */
function pictureOf(turn: Turn, action?: Action): Shown | undefined {
  const named =
    action?.clickPoint?.picture === "screenshot.png"
      ? (["after", "before"] as const)
      : (["before", "after"] as const);
  for (const which of named) {
    const shown = shownOf(turn, which);
    if (shown) return shown;
  }
  return undefined;
}

function shownOf(turn: Turn, which: PictureName): Shown | undefined {
  const bytes = turn.picture(which);
  const size = bytes && pngSize(bytes);
  return size ? { turn, which, ...size, kind: bytes.toString("latin1", 16, 29) } : undefined;
}

/** How long a turn's two pictures stand, before and after the act. */
const BEFORE_MS = { least: 260, most: 1000 };
const AFTER_MS = { least: 260, most: 1100 };
const LAST_MS = 1400;

interface Scene {
  action: Action;
  before: Shown;
  after: Shown;
  beforeMs: number;
  afterMs: number;
}

/** The pictures of the turns at a pace made for watching. `work` is a folder for pictures that must be changed. */
export function fromPictures(of: Trajectory, work: string): Footage {
  const notes: string[] = [];
  const scenes = scenesOf(of, notes);
  if (scenes.length === 0)
    throw new FfmpegError("the recording has neither a video nor pictures: nothing to render");
  const shots = scenes.flatMap((scene) => [scene.before, scene.after]);
  const most = {
    width: shots.reduce((m, s) => Math.max(m, s.width), 0),
    height: shots.reduce((m, s) => Math.max(m, s.height), 0),
  };
  const [width, height] = [most.width + (most.width % 2), most.height + (most.height % 2)];
  const alike = new Set(shots.map((s) => s.kind)).size === 1;
  const larger = height < 480 ? Math.min(4, Math.ceil(480 / height)) : 1;
  const lines = ["ffconcat version 1.0"];
  const marks: Mark[] = [];
  let at = 0;
  for (const scene of scenes) {
    const { before, after, action } = scene;
    const place = shift(inPicture(action, before.turn, before.width), before, most, larger);
    const act = at + scene.beforeMs;
    marks.push(mark(before.turn, action, act, act + 60, place));
    for (const [shown, ms] of [[before, scene.beforeMs + 60] as const, [after, scene.afterMs] as const]) {
      lines.push(
        `file '${fileFor(shown, alike ? undefined : most, work).replaceAll("'", "'\\''")}'`,
        `duration ${(ms / 1000).toFixed(3)}`,
      );
    }
    at = act + 60 + scene.afterMs;
  }
  // The last one again: a list's last duration counts only when something follows.
  lines.push(lines.at(-2) ?? "");
  writeFileSync(join(work, "pictures.txt"), `${lines.join("\n")}\n`, { mode: 0o600 });
  return {
    source: {
      width: width * larger,
      height: height * larger,
      durationMs: at,
      marks,
      pointer: [],
      paced: true,
    },
    inputs: [
      {
        file: join(work, "pictures.txt"),
        options: ["-f", "concat", "-safe", "0", "-protocol_whitelist", "file"],
      },
    ],
    head: `[0:v]setpts=PTS-STARTPTS,format=yuv420p,pad=${width}:${height}${larger > 1 ? `,scale=${width * larger}:${height * larger}:flags=lanczos` : ""}`,
    notes,
  };
}

function scenesOf(of: Trajectory, notes: string[]): Scene[] {
  const turns = readable(of, notes);
  let last: Shown | undefined;
  return turns.flatMap(({ turn, action }, i): Scene[] => {
    const before = shownOf(turn, "before") ?? shownOf(turn, "after") ?? last;
    const after = shownOf(turn, "after") ?? before;
    if (!before || !after) {
      notes.push(`${turn.name} has no pictures and is left out`);
      return [];
    }
    last = after;
    const next = turns[i + 1]?.action.startMs;
    const own = action.startMs;
    const pace = next === undefined || own === undefined ? Number.POSITIVE_INFINITY : (next - own) / 2;
    const within = (limits: { least: number; most: number }) =>
      Math.min(Math.max(pace, limits.least), limits.most);
    return [
      {
        action,
        before,
        after,
        beforeMs: within(BEFORE_MS),
        afterMs: i === turns.length - 1 ? LAST_MS : within(AFTER_MS),
      },
    ];
  });
}

/** A turn without an own picture stands on the one before it, so its points mean nothing there. */
function shift(place: Place, shown: Shown, { width, height }: PngSize, larger: number): Place {
  const [dx, dy] = [Math.floor((width - shown.width) / 2), Math.floor((height - shown.height) / 2)];
  const moved = (p: { x: number; y: number }) => ({ x: (p.x + dx) * larger, y: (p.y + dy) * larger });
  return {
    ...(place.at ? { at: moved(place.at) } : {}),
    ...(place.to ? { to: moved(place.to) } : {}),
    ...(place.extent ? { extent: { w: place.extent.w * larger, h: place.extent.h * larger } } : {}),
  };
}

/** All pictures of the list must be of one kind: where they are not, each is made `ground` large and RGB. */
function fileFor(shown: Shown, ground: PngSize | undefined, work: string): string {
  const bytes = shown.turn.picture(shown.which);
  if (!bytes) throw new FfmpegError(`${shown.turn.name} has lost its picture`);
  const file = join(work, `${shown.turn.name}-${shown.which}.png`);
  try {
    writeFileSync(file, ground ? encodePng(laid(decodePng(bytes), ground)) : bytes, { mode: 0o600 });
  } catch (error) {
    if (error instanceof BadPicture)
      throw new FfmpegError(`${shown.turn.name}/${shown.turn.pictureFile(shown.which)}: ${error.message}`);
    throw error;
  }
  return file;
}

const GROUND = [38, 42, 51] as const;

function laid(picture: Picture, { width, height }: PngSize): Picture {
  if (picture.width === width && picture.height === height) return picture;
  const rgb = new Uint8Array(width * height * 3);
  for (let i = 0; i < rgb.length; i += 3) rgb.set(GROUND, i);
  const [dx, dy] = [Math.floor((width - picture.width) / 2), Math.floor((height - picture.height) / 2)];
  for (let y = 0; y < picture.height; y++) {
    const row = picture.rgb.subarray(y * picture.width * 3, (y + 1) * picture.width * 3);
    rgb.set(row, ((y + dy) * width + dx) * 3);
  }
  return { width, height, rgb };
}
