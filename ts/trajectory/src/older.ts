/** The existing driver's layout: no schema name, times from the session's start, tokens in place of targets. */
import { type JsonObject, member, number, object, text } from "./json.js";
import { clickPoint } from "./migrate.js";
import type { Action, Outcome, State } from "./types.js";

/** What was acted on is told by the index inside the token, looked up in the state before. */
export function olderAction(raw: JsonObject, before: () => State | undefined): Action {
  const args = object(raw.arguments) ?? {};
  const truth = object(raw.action_truth);
  const pid = number(raw.pid) ?? number(args.pid);
  const point = clickPoint(raw.click_point);
  const startMs = number(raw.t_start_ms_from_session_start);
  const endMs = number(raw.t_ms_from_session_start);
  const timestamp = isoOf(text(raw.timestamp));
  const message = text(raw.result_summary);
  const effect = text(member(truth, "effect"));
  const target = targetOf(args, before());
  return {
    tool: text(raw.tool) ?? "",
    arguments: args,
    ...(target ? { target } : {}),
    ...(truth || message
      ? {
          result: {
            ...(effect ? { effect } : {}),
            ...(message ? { message } : {}),
            ...(truth?.route ? { route: truth.route } : {}),
          },
        }
      : {}),
    outcome: outcome(raw, effect),
    ...(effect ? { effect } : {}),
    ...(message ? { message } : {}),
    ...(pid === undefined ? {} : { pid }),
    ...(point ? { clickPoint: point } : {}),
    ...(startMs === undefined ? {} : { startMs }),
    ...(endMs === undefined ? {} : { endMs }),
    ...(timestamp ? { timestamp } : {}),
    raw,
  };
}

function outcome(raw: JsonObject, effect: string | undefined): Outcome {
  if (raw.result_error === true) return "failed";
  if (effect === "refused") return "refused";
  if (effect === "confirmed") return "ok";
  return effect ? "unsure" : raw.result_error === false ? "ok" : "unknown";
}

/** Seconds since 1970 with a fraction, as that driver writes them, or a date that already is one. */
function isoOf(stamp: string | undefined): string | undefined {
  if (stamp === undefined) return undefined;
  if (!/^\d+(\.\d+)?$/.test(stamp)) return stamp;
  const date = new Date(Number(stamp) * 1000);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

function targetOf(args: JsonObject, before: State | undefined): JsonObject | undefined {
  if (!before) return undefined;
  const window: JsonObject = before.title ? { window: { title: before.title } } : {};
  const index = number(args.element_index) ?? tokenIndex(text(args.element_token));
  const node = index === undefined ? undefined : before.nodes.find((item) => item.index === index);
  if (!node) return before.title ? window : undefined;
  return { ...window, element: { role: node.role, name: node.name } };
}

function tokenIndex(token: string | undefined): number | undefined {
  const match = token === undefined ? null : /^s[0-9a-f]{8}:(\d+)$/.exec(token);
  return match ? Number(match[1]) : undefined;
}
