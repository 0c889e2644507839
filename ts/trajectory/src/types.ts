/** A recording as this package hands it out, whatever layout it was written in. */
import type { JsonObject } from "./json.js";

export const SCHEMA = "cua-trajectory";
/** The newest format that is read. */
export const SCHEMA_VERSION = 1;

export type Layout = "cua-trajectory" | "older";

export interface Video {
  /** Name of the file in the recording. */
  path: string;
  fps?: number;
  size?: [width: number, height: number];
  /** Time of the first frame on the recording's clock. */
  startMs: number;
  durationMs?: number;
}

export interface Session {
  layout: Layout;
  schemaVersion: number;
  trajectoryId?: string;
  label?: string;
  driver?: string;
  os?: string;
  startedAt?: string;
  endedAt?: string;
  endReason?: string;
  /** Size of the recorded display, in pixels. */
  display?: [width: number, height: number];
  videos: Video[];
  /** As written. */
  raw: JsonObject;
}

export type Outcome = "ok" | "unsure" | "refused" | "failed" | "unknown";

export interface ClickPoint {
  x: number;
  y: number;
  /** `window`: pixels of the window's picture; `screen`: pixels of the display. */
  space: "window" | "screen";
  /** The picture the point was chosen in. */
  picture?: string;
}

export interface Action {
  tool: string;
  arguments: JsonObject;
  target?: JsonObject;
  result?: JsonObject;
  outcome: Outcome;
  /** The result's effect, or the code of a refusal. */
  effect?: string;
  message?: string;
  pid?: number;
  clickPoint?: ClickPoint;
  /** Where the window's picture lies on the display, and how many display pixels one of its pixels is. */
  origin?: { x: number; y: number; scale: number };
  startMs?: number;
  endMs?: number;
  timestamp?: string;
  /** As written. */
  raw: JsonObject;
}

export interface Frame {
  x: number;
  y: number;
  w: number;
  h: number;
}

/** One line of an element tree. */
export interface Node {
  depth: number;
  index?: number;
  role: string;
  name: string;
  value?: string;
  /** States such as `disabled`, in the order written. */
  states: string[];
  frame?: Frame;
}

export interface State {
  title?: string;
  /** Nothing was left out: false where the tree was cut, or not read to its end in time. */
  complete: boolean;
  nodes: Node[];
  raw: JsonObject;
}

export interface TrajectoryEvent {
  event: string;
  tMs?: number;
  turn?: number;
  raw: JsonObject;
}

export type PictureName = "before" | "after" | "click";

/** File names of a turn's pictures, by what they show. */
export const PICTURE_FILE: Record<PictureName, string> = {
  before: "before.png",
  after: "screenshot.png",
  click: "click.png",
};
