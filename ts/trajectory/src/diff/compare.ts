/** One turn against another: what differs in arguments, target, result, values, states, tree and picture. */
import { basename } from "node:path";
import { type Json, type JsonObject, member, object, text } from "../json.js";
import { comparePictures, heatPicture } from "../picture.js";
import { BadPicture, decodePng, encodePng, type Picture } from "../png.js";
import { TrajectoryError } from "../problem.js";
import type { Turn } from "../read.js";
import { compareTrees, type TreeRow } from "../tree.js";
import type { Action, Node } from "../types.js";
import { leaves, PASSING_STATES } from "./natural.js";

export const KINDS = ["arguments", "target", "result", "value", "state", "tree", "picture"] as const;
export type Kind = (typeof KINDS)[number];

export interface Thresholds {
  /** Share of the pixels that may differ, in percent. */
  pixels: number;
  /** What a channel of a pixel may differ by, 0 to 255. */
  tolerance: number;
  /** What a point may be off by, in pixels. */
  points: number;
  ignore: ReadonlySet<Kind>;
}

export const DEFAULTS: Thresholds = { pixels: 0.1, tolerance: 16, points: 2, ignore: new Set() };

export interface Difference {
  kind: Kind | "turn";
  /** Which one: `arguments.text`, `textbox "Name"`, `screenshot.png`. */
  what: string;
  a: Json;
  b: Json;
  /** For a picture: where it differs, and the heat picture. */
  box?: { x: number; y: number; w: number; h: number };
  heat?: Buffer;
}

/** Rows of one tree difference that are told one by one; the rest is counted. */
const TOLD = 20;

export function compareTurns(a: Turn, b: Turn, at: Thresholds): Difference[] {
  const [x, y] = [a.action(), b.action()];
  if (x.tool !== y.tool) return [{ kind: "turn", what: "tool", a: x.tool, b: y.tool }];
  const found: Difference[] = [
    ...asDifferences("arguments", leaves(x.arguments, y.arguments, "arguments", at.points)),
    ...asDifferences(
      "target",
      leaves(...bothAimed(lasting(x.target), lasting(y.target)), "target", at.points),
    ),
    ...results(x, y),
    ...trees(a, b),
  ];
  const wanted = found.filter((d) => d.kind === "turn" || !at.ignore.has(d.kind));
  return at.ignore.has("picture") ? wanted : [...wanted, ...pictures(a, b, at)];
}

function asDifferences(kind: Kind, found: ReturnType<typeof leaves>): Difference[] {
  return found.map((leaf) => ({ kind, what: leaf.path, a: leaf.a ?? null, b: leaf.b ?? null }));
}

/** The parts of a target that last from one process to the next. */
function lasting(target: JsonObject | undefined): JsonObject {
  if (!target) return {};
  const executable = text(member(target, "app", "executable"));
  const out: JsonObject = {};
  const app = object(target.app);
  if (app)
    out.app = pick(
      app,
      ["desktop_id", "wm_class"],
      executable === undefined ? {} : { executable: basename(executable) },
    );
  const window = object(target.window);
  if (window) out.window = pick(window, ["title", "role", "kind"]);
  const element = object(target.element);
  if (element) out.element = pick(element, ["role", "name", "automation_id", "path"]);
  const offset = object(member(target, "point", "element")) ?? object(member(target, "point", "window"));
  if (offset) out.point = pick(offset, ["x", "y"]);
  return out;
}

/** Where an element lay is only compared where both recordings know it. */
function bothAimed(a: JsonObject, b: JsonObject): [JsonObject, JsonObject] {
  if (a.point !== undefined && b.point !== undefined) return [a, b];
  const { point: _a, ...x } = a;
  const { point: _b, ...y } = b;
  return [x, y];
}

function pick(from: JsonObject, keys: readonly string[], more: JsonObject = {}): JsonObject {
  const out: JsonObject = { ...more };
  for (const key of keys) if (Object.hasOwn(from, key) && from[key] !== undefined) out[key] = from[key];
  return out;
}

function results(x: Action, y: Action): Difference[] {
  const outcome: Difference[] =
    x.outcome === y.outcome ? [] : [{ kind: "result", what: "outcome", a: x.outcome, b: y.outcome }];
  return [...outcome, ...asDifferences("result", leaves(x.result, y.result, "result", 0))];
}

function trees(a: Turn, b: Turn): Difference[] {
  const [x, y] = [a.state("after"), b.state("after")];
  if (!x && !y) return [];
  if (!x || !y)
    return [
      { kind: "tree", what: "state after", a: x ? "recorded" : "missing", b: y ? "recorded" : "missing" },
    ];
  const rows = compareTrees(stable(x.nodes), stable(y.nodes)).filter((row) => row.kind !== "same");
  // Of a tree that was not read to its end, only what both say counts.
  const whole = x.complete && y.complete;
  const found = rows
    .flatMap(ofRow)
    .filter((d) => whole || (d.kind === "value" && d.a !== null && d.b !== null));
  if (found.length <= TOLD) return found;
  const rest = found.length - TOLD;
  return [...found.slice(0, TOLD), { kind: "tree", what: `${rest} more rows`, a: null, b: null }];
}

function stable(nodes: Node[]): Node[] {
  return nodes.map((node) => ({
    ...node,
    states: node.states.filter((state) => !PASSING_STATES.has(state)).sort(),
  }));
}

export function nameOf(node: Node): string {
  return `${node.role} ${JSON.stringify(node.name)}`;
}

function ofRow(row: TreeRow): Difference[] {
  const what = nameOf(row.node);
  if (row.kind === "added") return [{ kind: "tree", what, a: null, b: "added" }];
  if (row.kind === "removed") return [{ kind: "tree", what, a: "was there", b: null }];
  const was = row.was ?? row.node;
  const found: Difference[] = [];
  if ((was.value ?? null) !== (row.node.value ?? null))
    found.push({ kind: "value", what, a: was.value ?? null, b: row.node.value ?? null });
  if (was.states.join() !== row.node.states.join())
    found.push({ kind: "state", what, a: was.states, b: row.node.states });
  return found;
}

function pictures(a: Turn, b: Turn, at: Thresholds): Difference[] {
  const [x, y] = [a.picture("after"), b.picture("after")];
  if (!x && !y) return [];
  const what = "screenshot.png";
  if (!x || !y)
    return [{ kind: "picture", what, a: x ? "recorded" : "missing", b: y ? "recorded" : "missing" }];
  if (x.equals(y)) return [];
  const [p, q] = [decoded(a, x), decoded(b, y)];
  if (p.width !== q.width || p.height !== q.height) {
    return [
      { kind: "picture", what: `${what}: size`, a: `${p.width}x${p.height}`, b: `${q.width}x${q.height}` },
    ];
  }
  const d = comparePictures(p, q, at.tolerance);
  if (d.share * 100 <= at.pixels) return [];
  const heat = encodePng(heatPicture(p, q, at.tolerance));
  const percent = `${(d.share * 100).toFixed(2)} % differs`;
  return [{ kind: "picture", what, a: null, b: percent, ...(d.box ? { box: d.box } : {}), heat }];
}

function decoded(turn: Turn, bytes: Buffer): Picture {
  try {
    return decodePng(bytes);
  } catch (error) {
    if (error instanceof BadPicture)
      throw new TrajectoryError("bad_picture", `${turn.name}/${turn.pictureFile("after")}`, error.message);
    throw error;
  }
}

/** What two turns must share to be the same step of a run. */
export function stepOf(turn: Turn): string {
  const { action } = turn.tryAction();
  return JSON.stringify([
    action?.tool ?? null,
    member(action?.target, "element", "role") ?? null,
    member(action?.target, "element", "name") ?? null,
  ]);
}
