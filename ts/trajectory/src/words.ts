/** Recorded text made fit for a terminal, and the short name of a turn. */
import { type Json, list, member, object, text } from "./json.js";
import type { Action } from "./types.js";

// What a terminal obeys, and what turns the reading direction of a line.
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

/** Text with control and direction characters spelled out, so that it cannot act on a terminal. */
export function plain(value: string, limit = 300): string {
  const cut = value.length > limit ? `${value.slice(0, limit)}…` : value;
  return cut.replace(UNSAFE, (c) =>
    c === "\n" ? "\\n" : c === "\t" ? "\\t" : `\\u{${c.codePointAt(0)?.toString(16)}}`,
  );
}

/** Whole output of which a part may be recorded: what acts on a terminal as JSON spells it, line ends as they are. */
export function spelled(output: string): string {
  return output.replace(UNSAFE, (c) =>
    c === "\n" || c === "\t"
      ? c
      : Array.from(c.split(""), (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`).join(""),
  );
}

/** A JSON value on one line, fit for a terminal. */
export function brief(value: Json | undefined, limit = 120): string {
  return value === undefined ? "nothing" : plain(JSON.stringify(value), limit);
}

export interface Subject {
  /** `button "Add"` */
  element?: string;
  /** Title of the window. */
  window?: string;
  /** What was typed, pressed or chosen. */
  detail?: string;
}

/** What a turn was about, unescaped. */
export function subject(action: Action): Subject {
  const role = text(member(action.target, "element", "role"));
  const name = text(member(action.target, "element", "name"));
  const window = text(member(action.target, "window", "title"));
  const element =
    role === undefined && name === undefined
      ? undefined
      : [role, name ? `“${name}”` : ""].filter(Boolean).join(" ");
  const detail = detailOf(action);
  return {
    ...(element ? { element } : {}),
    ...(window ? { window } : {}),
    ...(detail === undefined ? {} : { detail }),
  };
}

const DETAIL = [
  "text",
  "secret",
  "value",
  "option",
  "keys",
  "key",
  "path",
  "name",
  "url",
  "direction",
  "state",
] as const;

function detailOf({ arguments: args }: Action): string | undefined {
  for (const key of DETAIL) {
    const value = args[key];
    if (value === undefined || value === null) continue;
    const hidden = object(value);
    if (hidden)
      return hidden.redacted === true
        ? `(hidden${text(hidden.name) ? `: ${text(hidden.name)}` : ""})`
        : undefined;
    const many = list(value);
    if (many) return many.map((part) => String(part)).join(key === "path" ? " › " : "+");
    const shown = String(value);
    if (key === "secret") return `(hidden: ${shown})`;
    const modifiers = list(args.modifiers) ?? list(args.modifier);
    return key === "key" && modifiers ? [...modifiers.map(String), shown].join("+") : shown;
  }
  return undefined;
}

/** `type_text “Ada” textbox “Name” in “Ledger”`, on one line, fit for a terminal. */
export function headline(action: Action): string {
  const { element, window, detail } = subject(action);
  const parts = [action.tool];
  if (detail !== undefined) parts.push(`“${detail}”`);
  if (element) parts.push(element);
  else if (action.clickPoint)
    parts.push(`at ${Math.round(action.clickPoint.x)},${Math.round(action.clickPoint.y)}`);
  if (window) parts.push(`in “${window}”`);
  return plain(parts.join(" "), 200);
}
