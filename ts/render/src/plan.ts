/** Edit decisions: which time is kept, where the camera looks, what is drawn. Plain data, no ffmpeg, no files. */
import { type Camera, type Shot, track } from "./camera.js";
import { ease, type Point } from "./curve.js";
import { type Piece, TimeMap } from "./time.js";

/** One turn, on the source's clock (milliseconds) and in the source's pixels. */
export interface Mark {
  turn: number;
  startMs: number;
  endMs: number;
  caption: string;
  /** The caption tells of a refusal or a failure. */
  bad: boolean;
  /** Where it happened; missing for acts without a place. */
  at?: Point;
  /** Where a drag ended. */
  to?: Point;
  /** Size of what was acted on, where it is known: the camera keeps it in sight. */
  extent?: { w: number; h: number };
  ring: "none" | "single" | "double";
}

export interface Sample extends Point {
  ms: number;
}

export interface Source {
  width: number;
  height: number;
  durationMs: number;
  marks: Mark[];
  /** Measured places of the agent's pointer. */
  pointer: Sample[];
  /** Its time is made for watching already: nothing is shortened. */
  paced: boolean;
}

export interface Options {
  /** How far the camera goes in; 1 is not at all. */
  zoom: number;
  captions: boolean;
  speed: number;
}

export interface Caption {
  fromMs: number;
  toMs: number;
  text: string;
  bad: boolean;
}

export interface Ring extends Point {
  ms: number;
  double: boolean;
}

/** The pointer goes in a straight line; pieces follow each other. */
export interface Glide {
  fromMs: number;
  toMs: number;
  from: Point;
  to: Point;
}

/** Everything after this is on the output's clock, in the source's pixels. */
export interface Plan {
  width: number;
  height: number;
  fps: number;
  durationMs: number;
  pieces: Piece[];
  camera: Camera;
  captions: Caption[];
  rings: Ring[];
  pointer: Glide[];
}

export const FPS = 30;

export function plan(source: Source, options: Options): Plan {
  const marks = [...source.marks].sort((a, b) => a.startMs - b.startMs);
  const time = source.paced
    ? TimeMap.whole(source.durationMs, options.speed)
    : shortened(marks, source.durationMs, options.speed);
  const shots = marks.flatMap((mark): Shot[] => {
    if (!mark.at) return [];
    const ends = [mark.at, ...(mark.to ? [mark.to] : [])];
    return [
      {
        startMs: time.at(mark.startMs),
        endMs: time.at(mark.endMs),
        spots: ends,
        extent: mark.extent ?? { w: 0, h: 0 },
      },
    ];
  });
  return {
    width: source.width,
    height: source.height,
    fps: FPS,
    durationMs: time.lengthMs,
    pieces: time.pieces,
    camera: track(shots, {
      width: source.width,
      height: source.height,
      zoom: options.zoom,
      lengthMs: time.lengthMs,
    }),
    captions: options.captions ? captions(marks, time) : [],
    rings: marks.flatMap((mark) => rings(mark, time)),
    pointer: pointer(marks, source, time),
  };
}

/** What surrounds an act is kept; what lies between is played in a moment. */
const LEAD_MS = 800;
const TAIL_MS = 1100;
/** Gaps up to this stay as they are; longer ones become this long. */
const GAP_MS = 600;

function shortened(marks: Mark[], durationMs: number, speed: number): TimeMap {
  const keep: [number, number][] = [];
  for (const mark of marks) {
    const from = Math.max(0, Math.min(mark.startMs - LEAD_MS, durationMs));
    const to = Math.max(from, Math.min(durationMs, mark.endMs + TAIL_MS));
    const last = keep.at(-1);
    if (last && from - last[1] <= GAP_MS) last[1] = Math.max(last[1], to);
    else keep.push([from, to]);
  }
  const pieces: { from: number; to: number; rate: number }[] = [];
  let at = 0;
  const gap = (to: number) => {
    if (to > at) pieces.push({ from: at, to, rate: Math.max(1, (to - at) / GAP_MS) });
    at = Math.max(at, to);
  };
  for (const [from, to] of keep) {
    gap(from);
    if (to > at) pieces.push({ from: at, to, rate: 1 });
    at = Math.max(at, to);
  }
  gap(durationMs);
  return TimeMap.of(pieces, speed);
}

/** A caption stands at least this long, and at most this long after its act. */
const CAPTION_MIN_MS = 900;
const CAPTION_AFTER_MS = 1800;
const CAPTION_BEFORE_MS = 350;

/** Acts that follow too quickly to be read share one caption. */
function captions(marks: Mark[], time: TimeMap): Caption[] {
  const groups: { first: number; last: number; texts: Map<string, number>; bad: boolean }[] = [];
  for (const mark of marks) {
    const [start, end] = [time.at(mark.startMs), time.at(mark.endMs)];
    const open = groups.at(-1);
    if (open && start - open.first < CAPTION_MIN_MS && open.bad === mark.bad) {
      open.texts.set(mark.caption, (open.texts.get(mark.caption) ?? 0) + 1);
      open.last = Math.max(open.last, end);
    } else groups.push({ first: start, last: end, texts: new Map([[mark.caption, 1]]), bad: mark.bad });
  }
  return groups.map((group, i) => {
    const next = groups[i + 1];
    const fromMs = Math.max(0, group.first - CAPTION_BEFORE_MS);
    const until = Math.max(group.last + CAPTION_AFTER_MS, fromMs + CAPTION_MIN_MS);
    const toMs = Math.min(until, next ? Math.max(fromMs, next.first - CAPTION_BEFORE_MS) : time.lengthMs);
    return { fromMs, toMs, text: joined(group.texts), bad: group.bad };
  });
}

function joined(texts: Map<string, number>): string {
  const parts = [...texts].map(([text, n]) => (n > 1 ? `${text} ×${n}` : text));
  return parts.length > 2 ? `${parts[0]}, and ${parts.length - 1} more` : parts.join(", ");
}

function rings(mark: Mark, time: TimeMap): Ring[] {
  if (mark.ring === "none" || !mark.at) return [];
  const first = { ...mark.at, ms: time.at(mark.startMs), double: mark.ring === "double" };
  return mark.to ? [first, { ...mark.to, ms: time.at(mark.endMs), double: false }] : [first];
}

/** The pointer sets out this long before it must be there. */
const GLIDE_MS = 500;

/** From place to place, along measured samples where there are any. */
function pointer(marks: Mark[], source: Source, time: TimeMap): Glide[] {
  const stops = stopsOf(marks, source, time);
  const glides: Glide[] = [];
  let here: Point & { ms: number } = { x: source.width / 2, y: source.height / 2, ms: 0 };
  if (stops.length === 0) return [];
  for (const stop of stops) {
    const setOut = stop.measured ? here.ms : Math.max(here.ms, stop.ms - GLIDE_MS);
    if (setOut > here.ms) glides.push({ fromMs: here.ms, toMs: setOut, from: here, to: here });
    glides.push(
      ...(stop.measured
        ? [{ fromMs: setOut, toMs: stop.ms, from: here, to: stop }]
        : eased(here, stop, setOut)),
    );
    here = { x: stop.x, y: stop.y, ms: Math.max(setOut, stop.ms) };
  }
  if (here.ms < time.lengthMs) glides.push({ fromMs: here.ms, toMs: time.lengthMs, from: here, to: here });
  return glides.filter((glide) => glide.toMs > glide.fromMs);
}

function stopsOf(
  marks: Mark[],
  source: Source,
  time: TimeMap,
): (Point & { ms: number; measured: boolean })[] {
  const made = marks.flatMap((mark) => {
    if (!mark.at || mark.ring === "none") return [];
    const at = { ...mark.at, ms: time.at(mark.startMs), measured: false };
    return mark.to ? [at, { ...mark.to, ms: time.at(mark.endMs), measured: false }] : [at];
  });
  const measured: (Point & { ms: number; measured: boolean })[] = [];
  for (const sample of source.pointer) {
    const ms = time.at(sample.ms);
    const last = measured.at(-1);
    if (!last || ms - last.ms >= 60) measured.push({ x: sample.x, y: sample.y, ms, measured: true });
  }
  return [...made, ...measured].sort((a, b) => a.ms - b.ms);
}

const STEPS = 6;

function eased(from: Point, to: Point & { ms: number }, fromMs: number): Glide[] {
  const span = to.ms - fromMs;
  if (span <= 0 || (from.x === to.x && from.y === to.y)) return [{ fromMs, toMs: to.ms, from, to }];
  const at = (i: number): Point => {
    const k = ease(i / STEPS);
    return { x: from.x + (to.x - from.x) * k, y: from.y + (to.y - from.y) * k };
  };
  return Array.from({ length: STEPS }, (_, i) => ({
    fromMs: fromMs + (span * i) / STEPS,
    toMs: fromMs + (span * (i + 1)) / STEPS,
    from: at(i),
    to: at(i + 1),
  }));
}
