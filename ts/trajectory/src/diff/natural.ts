/** What differs between two runs of the same thing by nature, and so says nothing. */
import { type Json, list, object } from "../json.js";

const KEYS = new Set([
  "pid",
  "pids",
  "window_id",
  "windows",
  "element_token",
  "current_token",
  "element_index",
  "snapshot_id",
  "session",
  "trajectory_id",
  "timestamp",
  "captured_at",
  "origin",
  "window_origin",
  "bounds",
  "frame",
  "image_frame",
  "duration_ms",
  "elapsed_ms",
  // Words around a code: they quote the ids above.
  "message",
  "hint",
  "details",
  "suggestion",
  // How the driver came to know, not what it knows.
  "evidence",
  "escalation",
  "delivery",
]);

export function natural(key: string): boolean {
  return KEYS.has(key) || /_ms$|_at$/.test(key);
}

/** States that come and go with the desktop around a window. */
export const PASSING_STATES: ReadonlySet<string> = new Set(["focused", "active", "armed", "hovered"]);

export interface Leaf {
  /** `arguments.text` */
  path: string;
  a: Json | undefined;
  b: Json | undefined;
}

/** Members of two values that differ, natural ones left out; numbers may differ by `slack` where they are a place. */
export function leaves(a: Json | undefined, b: Json | undefined, path: string, slack: number): Leaf[] {
  const [x, y] = [object(a), object(b)];
  if (x && y) {
    const keys = [...new Set([...Object.keys(x), ...Object.keys(y)])].filter((key) => !natural(key));
    return keys.flatMap((key) => leaves(own(x, key), own(y, key), `${path}.${key}`, slack));
  }
  const [p, q] = [list(a), list(b)];
  if (p && q) {
    const n = Math.max(p.length, q.length);
    return Array.from({ length: n }, (_, i) => i).flatMap((i) => leaves(p[i], q[i], `${path}[${i}]`, slack));
  }
  return alike(a, b, PLACE.test(path) ? slack : 0) ? [] : [{ path, a, b }];
}

const PLACE = /\.(x|y|[xy][12]|(from|to)_[xy])$/;

function own(of: Record<string, Json>, key: string): Json | undefined {
  return Object.hasOwn(of, key) ? of[key] : undefined;
}

/** Absent and null are the same: one writer leaves out what another writes as nothing. */
function alike(a: Json | undefined, b: Json | undefined, slack: number): boolean {
  if (typeof a === "number" && typeof b === "number") return Math.abs(a - b) <= slack;
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
}
