/** From what is on disk, by the version that wrote it, to the shapes of `types`. */
import { type Json, type JsonObject, list, member, number, object, objects, text } from "./json.js";
import { olderAction } from "./older.js";
import { TrajectoryError } from "./problem.js";
import {
  type Action,
  type ClickPoint,
  type Layout,
  type Outcome,
  SCHEMA,
  SCHEMA_VERSION,
  type Session,
  type State,
  type Video,
} from "./types.js";

/** Which layout a `session.json` announces; throws `foreign_version` for one that is not read. */
export function layoutOf(raw: JsonObject): { layout: Layout; version: number } {
  const version = number(raw.schema_version) ?? number(member(raw, "schema", "version"));
  if (raw.schema === undefined) {
    if (version !== undefined && version > 1)
      throw foreign(`schema_version ${version}, without a schema name`);
    return { layout: "older", version: version ?? 0 };
  }
  if (raw.schema !== SCHEMA) throw foreign(`schema ${JSON.stringify(raw.schema).slice(0, 60)}`);
  if (version === undefined || !Number.isInteger(version) || version < 1)
    throw foreign(`schema_version ${JSON.stringify(raw.schema_version ?? null).slice(0, 20)}`);
  if (version > SCHEMA_VERSION) throw foreign(`schema_version ${version}`);
  return { layout: "cua-trajectory", version };
}

function foreign(what: string): TrajectoryError {
  return new TrajectoryError(
    "foreign_version",
    "session.json",
    `${what} is not read here (${SCHEMA} up to ${SCHEMA_VERSION} is): read it with the cua-driver that wrote it, or a newer one`,
  );
}

export function readSession(raw: JsonObject): Session {
  const { layout, version } = layoutOf(raw);
  const display = pairOf(member(raw, "display", "width"), member(raw, "display", "height"));
  const os = [text(member(raw, "os", "platform")) ?? text(raw.os), text(member(raw, "os", "backend"))]
    .filter(Boolean)
    .join(" ");
  const driver = [
    text(member(raw, "driver", "name")),
    text(member(raw, "driver", "version")) ?? text(raw.driver_version),
  ]
    .filter(Boolean)
    .join(" ");
  return {
    layout,
    schemaVersion: version,
    ...some("trajectoryId", text(raw.trajectory_id)),
    ...some("label", text(raw.session)),
    ...some("driver", driver),
    ...some("os", os),
    ...some("startedAt", text(raw.started_at)),
    ...some("endedAt", text(raw.ended_at)),
    ...some("endReason", text(raw.end_reason)),
    ...some("display", display),
    videos: videosOf(raw),
    raw,
  };
}

/** The key only where there is a value: absent and undefined are not the same to a caller. */
function some<K extends string, V>(key: K, value: V | undefined): Record<K, V> | Record<string, never> {
  return value === undefined || value === "" ? {} : ({ [key]: value } as Record<K, V>);
}

function pairOf(a: Json | undefined, b: Json | undefined): [number, number] | undefined {
  const [x, y] = [number(a), number(b)];
  return x !== undefined && y !== undefined && x > 0 && y > 0 ? [x, y] : undefined;
}

/** All videos in order; `video` is the first one, and what it says of that file is what counts. */
function videosOf(raw: JsonObject): Video[] {
  const first = object(raw.video);
  const all = objects(raw.videos);
  const path = text(first?.path) ?? (first?.present === true ? "recording.mp4" : undefined);
  if (first && path !== undefined) {
    const at = all.findIndex((item) => item.path === path);
    if (at >= 0) all[at] = { ...all[at], ...first };
    else all.unshift({ ...first, path });
  }
  return all.flatMap((item): Video[] => {
    const name = text(item.path);
    if (name === undefined) return [];
    const size = list(item.size);
    const startMs = number(item.start_ms) ?? 0;
    const endMs = number(item.end_ms);
    const duration = number(item.duration_ms) ?? (endMs === undefined ? undefined : endMs - startMs);
    return [
      {
        path: name,
        startMs,
        ...some("fps", number(item.fps)),
        ...some("size", size && pairOf(size[0], size[1])),
        ...some("durationMs", duration),
      },
    ];
  });
}

/** `action.json`; `before` is asked for only where the layout keeps the target nowhere else. */
export function readAction(layout: Layout, raw: JsonObject, before: () => State | undefined): Action {
  return layout === "older" ? olderAction(raw, before) : currentAction(raw);
}

function currentAction(raw: JsonObject): Action {
  const result = object(raw.result);
  const target = object(raw.target);
  const point = clickPoint(raw.click_point);
  return {
    tool: text(raw.tool) ?? "",
    arguments: object(raw.arguments) ?? {},
    ...some("target", target),
    ...some("result", result),
    outcome: outcomeOf(text(raw.outcome), result),
    ...some("effect", effectOf(result)),
    ...some("message", text(member(result, "message")) ?? text(member(result, "refusal", "message"))),
    ...some("pid", number(raw.pid)),
    ...some("clickPoint", point),
    ...some("origin", originOf(raw, target)),
    ...some("startMs", number(raw.t_start_ms)),
    ...some("endMs", number(raw.t_end_ms)),
    ...some("timestamp", text(raw.timestamp)),
    raw,
  };
}

export function clickPoint(value: Json | undefined): ClickPoint | undefined {
  const [x, y] = [number(member(value, "x")), number(member(value, "y"))];
  if (x === undefined || y === undefined) return undefined;
  const space = text(member(value, "space"));
  return {
    x,
    y,
    space: space === "screen" || space === "desktop" ? "screen" : "window",
    ...some("picture", text(member(value, "picture"))),
  };
}

function originOf(raw: JsonObject, target: JsonObject | undefined): Action["origin"] {
  const origin =
    object(member(raw, "click_point", "window_origin")) ?? object(member(target, "window", "origin"));
  const [x, y] = [number(origin?.x), number(origin?.y)];
  return x === undefined || y === undefined ? undefined : { x, y, scale: 1 };
}

export function effectOf(result: JsonObject | undefined): string | undefined {
  return (
    text(member(result, "refusal", "code")) ?? text(member(result, "code")) ?? text(member(result, "effect"))
  );
}

export function outcomeOf(word: string | undefined, result: JsonObject | undefined): Outcome {
  if (word === "refused" || word === "failed") return word;
  if (member(result, "refusal") !== undefined || member(result, "effect") === "refused") return "refused";
  if (text(member(result, "code")) !== undefined && member(result, "effect") === undefined) return "refused";
  switch (text(member(result, "effect"))) {
    case "confirmed":
      return "ok";
    case "unverifiable":
    case "suspected_noop":
    case "partial":
      return "unsure";
    default:
      return word === "done" ? "ok" : "unknown";
  }
}
