/** Where a turn happened: its points and the extent of its element, in the window's picture and on the screen. */
import {
  type Action,
  type Frame,
  frameOf,
  type JsonObject,
  member,
  number,
  objects,
  type Turn,
  text,
} from "@cua-driver/trajectory";
import type { Point } from "./curve.js";

export interface Place {
  at?: Point;
  to?: Point;
  extent?: { w: number; h: number };
}

const POINTED = new Set(["click", "double_click", "right_click", "drag", "scroll", "move_cursor"]);

/** Pixels of the display. `pictureWidth` is how wide the picture is that points were chosen in. */
export function onScreen(action: Action, turn: Turn, pictureWidth: number | undefined): Place {
  const scale = windowWidth(action) && pictureWidth ? (windowWidth(action) ?? 1) / pictureWidth : 1;
  const origin = action.origin ?? boundsOrigin(turn);
  const map = (p: Point): Point | undefined => {
    if (action.clickPoint?.space === "screen") return p;
    return origin ? { x: origin.x + p.x * scale, y: origin.y + p.y * scale } : undefined;
  };
  const frame = elementFrame(action, turn);
  const middle = frame && { x: frame.x + frame.w / 2, y: frame.y + frame.h / 2 };
  return place(action, map, middle, frame && { w: frame.w, h: frame.h });
}

/** Pixels of the turn's own pictures, whatever the window's place was. */
export function inPicture(action: Action, turn: Turn, pictureWidth: number): Place {
  const scale = (windowWidth(action) ?? pictureWidth) / pictureWidth;
  const origin = action.origin ?? boundsOrigin(turn) ?? { x: 0, y: 0 };
  const frame = elementFrame(action, turn);
  const back = (v: number, zero: number) => (v - zero) / scale;
  const middle = frame && {
    x: back(frame.x + frame.w / 2, origin.x),
    y: back(frame.y + frame.h / 2, origin.y),
  };
  return place(action, (p) => p, middle, frame && { w: frame.w / scale, h: frame.h / scale });
}

function place(
  action: Action,
  map: (p: Point) => Point | undefined,
  middle: Point | undefined,
  extent: Place["extent"],
): Place {
  const given = action.clickPoint ?? points(action).from;
  const at = (given && map(given)) ?? middle;
  const end = action.tool === "drag" ? points(action).to : undefined;
  const to = end && map(end);
  return { ...(at ? { at } : {}), ...(at && to ? { to } : {}), ...(extent ? { extent } : {}) };
}

/** Points among the arguments of pointer tools. */
function points({ tool, arguments: args }: Action): { from?: Point; to?: Point } {
  if (!POINTED.has(tool)) return {};
  const pair = (x: string, y: string): Point | undefined => {
    const [px, py] = [number(args[x]), number(args[y])];
    return px === undefined || py === undefined ? undefined : { x: px, y: py };
  };
  const [from, to] = [pair("x", "y") ?? pair("from_x", "from_y"), pair("to_x", "to_y")];
  return { ...(from ? { from } : {}), ...(to ? { to } : {}) };
}

function windowWidth(action: Action): number | undefined {
  return number(member(action.target, "window", "size", "width"));
}

function boundsOrigin(turn: Turn): Point | undefined {
  const bounds = turn.stateOrNone("before")?.raw.bounds;
  const [x, y] = [number(member(bounds, "x")), number(member(bounds, "y"))];
  return x === undefined || y === undefined ? undefined : { x, y };
}

/** The element's frame on the screen, from the state before: by its index, else by a role and name that only it has. */
function elementFrame(action: Action, turn: Turn): Frame | undefined {
  const state = turn.stateOrNone("before");
  if (!state) return undefined;
  const rows = objects(state.raw.elements);
  const index = number(action.arguments.element_index) ?? tokenIndex(text(action.arguments.element_token));
  const [role, name] = [
    text(member(action.target, "element", "role")),
    text(member(action.target, "element", "name")),
  ];
  const matches = (row: JsonObject) => text(row.role) === role && (text(row.label) ?? "") === (name ?? "");
  const byIndex =
    index === undefined
      ? undefined
      : rows.find((row) => number(row.element_index) === index && (role === undefined || matches(row)));
  const alike = byIndex || role === undefined ? [] : rows.filter(matches);
  const row = byIndex ?? (alike.length === 1 ? alike[0] : undefined);
  const frame = row && frameOf(row.frame);
  return frame && frame.w > 0 && frame.h > 0 ? frame : undefined;
}

function tokenIndex(token: string | undefined): number | undefined {
  const match = token === undefined ? null : /:(\d+)$/.exec(token);
  return match ? Number(match[1]) : undefined;
}
