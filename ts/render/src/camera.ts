/** Where the camera looks: shots become a chain of still views and moves between them. */
import { ease, type Point } from "./curve.js";

/** An act to be shown close, on the output's clock. */
export interface Shot {
  startMs: number;
  endMs: number;
  /** What must be in sight. */
  spots: Point[];
  extent: { w: number; h: number };
}

/** The part of the picture that is shown: `size` of the width and of the height, from `left`, `top` on. */
export interface View {
  left: number;
  top: number;
  /** 1 shows everything, 0.5 is twice as near. */
  size: number;
}

/** From one view to the next; between moves the camera is still. */
export interface Move {
  fromMs: number;
  toMs: number;
  from: View;
  to: View;
}

export interface Camera {
  moves: Move[];
}

export interface Stage {
  width: number;
  height: number;
  zoom: number;
  lengthMs: number;
}

const MOVE_MS = 550;
/** The camera is there this long before the act. */
const EARLY_MS = 120;
/** And stays this long after it. */
const STAY_MS = 900;
/** Acts closer than this are looked at together: there is no time to go from one to the other. */
const TOGETHER_MS = 480;
/** Going out and in again is worth it only in a pause of this length. */
const PAUSE_MS = 1500;
/** Share of the view that is kept free around what is looked at. */
const MARGIN = 0.12;

export const WHOLE: View = { left: 0, top: 0, size: 1 };

export function track(shots: Shot[], stage: Stage): Camera {
  if (stage.zoom <= 1 || shots.length === 0) return { moves: [] };
  const moves: Move[] = [];
  let here = WHOLE;
  let freeMs = 0;
  const go = (to: View, fromMs: number, toMs: number) => {
    if (same(here, to)) return;
    moves.push({ fromMs, toMs: Math.max(fromMs + 1, toMs), from: here, to });
    here = to;
    freeMs = Math.max(fromMs + 1, toMs);
  };
  const groups = together(shots);
  groups.forEach((group, i) => {
    const arrive = Math.max(freeMs + 1, group.startMs - EARLY_MS);
    go(viewOf(group, stage), Math.max(freeMs, arrive - MOVE_MS), arrive);
    const next = groups[i + 1];
    const leave = group.endMs + STAY_MS;
    const pause = (next ? next.startMs - EARLY_MS - MOVE_MS : stage.lengthMs) - leave;
    if (pause >= (next ? PAUSE_MS : 0)) go(WHOLE, Math.max(freeMs, leave), leave + MOVE_MS);
    else freeMs = Math.max(freeMs, next ? Math.min(leave, group.endMs + 80) : leave);
  });
  return { moves };
}

function same(a: View, b: View): boolean {
  return (
    Math.abs(a.left - b.left) < 0.5 && Math.abs(a.top - b.top) < 0.5 && Math.abs(a.size - b.size) < 0.002
  );
}

/** Acts in quick succession are one shot that holds all their places. */
function together(shots: Shot[]): Shot[] {
  const groups: (Shot & { lastMs: number })[] = [];
  for (const shot of [...shots].sort((a, b) => a.startMs - b.startMs)) {
    const open = groups.at(-1);
    if (open && shot.startMs - open.lastMs < TOGETHER_MS) {
      open.spots.push(...shot.spots);
      open.endMs = Math.max(open.endMs, shot.endMs);
      open.extent = { w: Math.max(open.extent.w, shot.extent.w), h: Math.max(open.extent.h, shot.extent.h) };
      open.lastMs = shot.startMs;
    } else groups.push({ ...shot, spots: [...shot.spots], lastMs: shot.startMs });
  }
  return groups;
}

/** As near as the zoom allows with every place in sight, inside the picture. */
function viewOf(shot: Shot, { width, height, zoom }: Stage): View {
  const xs = shot.spots.map((p) => Math.min(Math.max(p.x, 0), width));
  const ys = shot.spots.map((p) => Math.min(Math.max(p.y, 0), height));
  const [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const need =
    Math.max((x1 - x0 + shot.extent.w) / width, (y1 - y0 + shot.extent.h) / height) / (1 - 2 * MARGIN);
  const size = Math.min(1, Math.max(1 / zoom, need));
  const within = (middle: number, whole: number) =>
    Math.min(Math.max(middle - (whole * size) / 2, 0), whole * (1 - size));
  return { left: within((x0 + x1) / 2, width), top: within((y0 + y1) / 2, height), size };
}

/** What is shown at a time. */
export function viewAt(camera: Camera, ms: number): View {
  let at = WHOLE;
  for (const move of camera.moves) {
    if (ms <= move.fromMs) return at;
    if (ms < move.toMs) {
      const k = ease((ms - move.fromMs) / (move.toMs - move.fromMs));
      const mix = (a: number, b: number) => a + (b - a) * k;
      return {
        left: mix(move.from.left, move.to.left),
        top: mix(move.from.top, move.to.top),
        size: mix(move.from.size, move.to.size),
      };
    }
    at = move.to;
  }
  return at;
}
