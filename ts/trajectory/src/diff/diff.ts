/** Two recordings, turn by turn. */
import type { Trajectory, Turn } from "../read.js";
import { plain } from "../words.js";
import { compareTurns, DEFAULTS, type Difference, stepOf, type Thresholds } from "./compare.js";

export type Standing = "same" | "different" | "only_a" | "only_b";

export interface TurnDiff {
  /** Number in A; missing where only B has it. */
  a?: number;
  b?: number;
  tool: string;
  standing: Standing;
  differences: Difference[];
}

export interface Diff {
  same: boolean;
  turns: TurnDiff[];
}

/** Compare; throws `TrajectoryError` when a turn of either cannot be read. */
export function diff(a: Trajectory, b: Trajectory, thresholds: Partial<Thresholds> = {}): Diff {
  const at = { ...DEFAULTS, ...thresholds };
  const turns = align(a.turns, b.turns).map(([x, y]): TurnDiff => {
    if (x && y) {
      const differences = compareTurns(x, y, at);
      return {
        a: x.number,
        b: y.number,
        tool: x.action().tool,
        standing: differences.length === 0 ? "same" : "different",
        differences,
      };
    }
    const only = (x ?? y) as Turn;
    const tool = only.action().tool;
    const side = x ? ("only_a" as const) : ("only_b" as const);
    const difference: Difference = { kind: "turn", what: "turn", a: x ? tool : null, b: x ? null : tool };
    return { [x ? "a" : "b"]: only.number, tool, standing: side, differences: [difference] };
  });
  return { same: turns.every((turn) => turn.standing === "same"), turns };
}

/** By place when there are as many; else by the longest run of the same steps, so that one turn more shifts nothing. */
export function align(a: readonly Turn[], b: readonly Turn[]): [Turn | undefined, Turn | undefined][] {
  if (a.length === b.length) return a.map((turn, i) => [turn, b[i]]);
  if (a.length * b.length > 9_000_000) {
    return Array.from({ length: Math.max(a.length, b.length) }, (_, i) => [a[i], b[i]]);
  }
  const [x, y] = [a.map(stepOf), b.map(stepOf)];
  const width = y.length + 1;
  const best = new Uint32Array((x.length + 1) * width);
  const get = (i: number, j: number) => best[i * width + j] ?? 0;
  for (let i = x.length - 1; i >= 0; i--) {
    for (let j = y.length - 1; j >= 0; j--) {
      best[i * width + j] = x[i] === y[j] ? get(i + 1, j + 1) + 1 : Math.max(get(i + 1, j), get(i, j + 1));
    }
  }
  const pairs: [Turn | undefined, Turn | undefined][] = [];
  let [i, j] = [0, 0];
  while (i < x.length || j < y.length) {
    if (i < x.length && j < y.length && x[i] === y[j]) pairs.push([a[i++], b[j++]]);
    else if (i < x.length && (j >= y.length || get(i + 1, j) >= get(i, j + 1)))
      pairs.push([a[i++], undefined]);
    else pairs.push([undefined, b[j++]]);
  }
  return pairs;
}

/** `turn 3`, or `turn 3 (4 in B)`. */
export function label(turn: TurnDiff): string {
  if (turn.a === undefined) return `turn ${turn.b} of B`;
  return turn.b === undefined || turn.b === turn.a ? `turn ${turn.a}` : `turn ${turn.a} (${turn.b} in B)`;
}

/** One difference on one line, fit for a terminal. */
export function sentence(d: Difference): string {
  const what = plain(d.what);
  if (d.kind === "turn" && d.what === "turn") return d.a === null ? "is only in B" : "is only in A";
  if (d.kind === "picture") {
    const where = d.box ? `, within ${d.box.w}x${d.box.h} at ${d.box.x},${d.box.y}` : "";
    return d.a === null
      ? `picture ${what}: ${d.b}${where}`
      : `picture ${what}: ${show(d.a)} in A, ${show(d.b)} in B`;
  }
  if (d.kind === "tree")
    return d.a === null
      ? `tree ${what}${d.b === null ? "" : ": only in B"}`
      : d.b === null
        ? `tree ${what}: only in A`
        : `tree ${what}: ${show(d.a)} in A, ${show(d.b)} in B`;
  const head = what.startsWith(d.kind) ? what : `${d.kind} ${what}`;
  return `${head}: ${show(d.a)} in A, ${show(d.b)} in B`;
}

function show(value: Difference["a"]): string {
  return value === null ? "nothing" : plain(JSON.stringify(value), 120);
}
