/** What the viewer's page is told; shapes only, shared with the page. */
import type { Json } from "../json.js";
import type { Problem } from "../problem.js";
import type { TreeRow } from "../tree.js";
import type { Outcome } from "../types.js";
import type { Subject } from "../words.js";

/** Rows are handed out this many at a time. */
export const CHUNK = 100;

export interface Film {
  /** Where the page finds it; missing when it was left out of an exported page. */
  key?: string;
  name: string;
  /** On the recording's clock. */
  startMs: number;
  durationMs?: number;
  /** Why it is not there. */
  left?: string;
}

export interface Head {
  name: string;
  facts: [label: string, value: string][];
  turns: number;
  films: Film[];
  problems: Problem[];
}

export interface Overview {
  heads: Head[];
  /** Turns, or pairs of turns of two recordings. */
  steps: number;
  /** Where on the clock the last one ends. */
  endMs: number;
}

/** One turn in the list. */
export interface Side {
  turn: number;
  tool: string;
  subject: Subject;
  outcome: Outcome;
  effect?: string;
  message?: string;
  startMs?: number;
  endMs?: number;
  /** Why its action cannot be read. */
  problem?: string;
  /** Keys of its pictures. */
  pictures: { before?: string; click?: string; after?: string };
}

export interface Row {
  step: number;
  a?: Side;
  b?: Side;
  /** Of two recordings. */
  differs?: boolean;
}

/** One turn in full. */
export interface SideDetail {
  arguments: Json;
  result: Json;
  target: Json;
  evidence: Json;
  pid?: number;
  timestamp?: string;
  title?: string;
  tree: TreeRow[];
  /** Before or after was not read to its end. */
  treeCut?: boolean;
  /** Of the tree, and the like. */
  problems: string[];
}

export interface Detail {
  a?: SideDetail;
  b?: SideDetail;
  differences: { kind: string; text: string }[];
}
