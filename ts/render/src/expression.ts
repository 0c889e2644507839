/**
 * A plan in ffmpeg's words. Functions of time are balanced trees of `if`, so that thousands of pieces nest only
 * as deep as their logarithm: ffmpeg refuses expressions nested a hundred deep.
 */
import type { Camera, Move, View } from "./camera.js";
import type { Plan } from "./plan.js";
import type { Piece } from "./time.js";

interface Branch {
  /** The piece holds for values below this. */
  below: number;
  is: string;
}

/** The expression that is `is` of the first branch whose bound is above the variable; the last one holds beyond. */
export function piecewise(variable: string, branches: Branch[]): string {
  const [first, ...rest] = branches;
  if (!first) return "0";
  if (rest.length === 0) return first.is;
  const middle = Math.ceil(branches.length / 2);
  const left = branches.slice(0, middle);
  const bound = left.at(-1)?.below ?? 0;
  return `if(lt(${variable},${bound}),${piecewise(variable, left)},${piecewise(variable, branches.slice(middle))})`;
}

function n(value: number): string {
  return String(Math.round(value * 1e4) / 1e4);
}

/** Presentation time of a frame of the source, in `setpts`. */
export function presentation(pieces: readonly Piece[]): string {
  const branches = pieces.map((piece) => {
    const [from, at] = [piece.fromMs / 1000, piece.atMs / 1000];
    return { below: Math.round(piece.toMs * 1e3) / 1e6, is: `${n(at)}+(T-${n(from)})/${n(piece.rate)}` };
  });
  return `(${piecewise("T", branches)})/TB`;
}

type Part = keyof View;

/** One number of the view as a function of the frame's number `n`. */
function viewPart(moves: readonly Move[], part: Part, fps: number): string {
  const branches: Branch[] = [];
  let still = moves[0]?.from[part] ?? (part === "size" ? 1 : 0);
  for (const move of moves) {
    const [from, to] = [
      frame(move.fromMs, fps),
      Math.max(frame(move.fromMs, fps) + 1, frame(move.toMs, fps)),
    ];
    const [a, b] = [move.from[part], move.to[part]];
    branches.push({ below: from, is: n(still) });
    // `ld(0)` is how far the move has come; slow, fast, slow.
    branches.push({
      below: to,
      is: `st(0,(n-${from})/${to - from})*0+${n(a)}+(${n(b - a)})*ld(0)*ld(0)*(3-2*ld(0))`,
    });
    still = b;
  }
  branches.push({ below: Number.MAX_SAFE_INTEGER, is: n(still) });
  return piecewise("n", branches);
}

function frame(ms: number, fps: number): number {
  return Math.round((ms * fps) / 1000);
}

/**
 * The zoom: the whole picture is enlarged to an even size and the view cut out of it at a whole pixel of the
 * output, so that nothing trembles. `exact` keeps odd places; colour is at most half a pixel off.
 */
export function zoom(camera: Camera, width: number, height: number, fps: number): string[] {
  if (camera.moves.length === 0) return [];
  const [size, left, top] = (["size", "left", "top"] as const).map((part) =>
    viewPart(camera.moves, part, fps),
  );
  const even = (whole: number) => `2*round(${whole}/(2*(${size})))`;
  return [
    `scale=w='${even(width)}':h='${even(height)}':eval=frame:flags=bicubic`,
    `crop=w=${width}:h=${height}:x='round((${left})/(${size}))':y='round((${top})/(${size}))':exact=1`,
  ];
}

export interface Graph {
  /** How the inputs become one stream of the plan's size: `[0:v]…`, without output label. */
  head: string;
  /** Files with what is drawn; missing where nothing is. */
  pointerFile?: string;
  captionFile?: string;
}

/** The one filter graph, from the inputs to `[out]`. */
export function graph(plan: Plan, { head, pointerFile, captionFile }: Graph): string {
  const steps = [
    `setpts='${presentation(plan.pieces)}'`,
    `fps=${plan.fps}`,
    ...(pointerFile ? [`ass=${pointerFile}`] : []),
    ...zoom(plan.camera, plan.width, plan.height, plan.fps),
    ...(captionFile ? [`ass=${captionFile}`] : []),
    "setsar=1",
    "format=yuv420p",
  ];
  return `${head},${steps.join(",")}[out]`;
}
