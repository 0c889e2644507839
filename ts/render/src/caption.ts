/** A turn in a few words for people. */
import { type Action, list, member, subject, text } from "@cua-driver/trajectory";

/** `Type “Ada” into “Name”`; unescaped. */
export function captionOf(action: Action): string {
  const { detail } = subject(action);
  const what = name(action);
  const said = verb(action, detail, what);
  return action.outcome === "refused" || action.outcome === "failed"
    ? `${said}: ${action.effect ?? action.outcome}`
    : said;
}

function name(action: Action): string | undefined {
  const label = text(member(action.target, "element", "name"));
  if (label) return `“${short(label)}”`;
  const role = text(member(action.target, "element", "role"));
  return role ? `the ${role}` : undefined;
}

function short(value: string): string {
  return value.length > 48 ? `${value.slice(0, 48)}…` : value;
}

function verb(action: Action, detail: string | undefined, what: string | undefined): string {
  const quoted = detail === undefined ? undefined : `“${short(detail)}”`;
  const on = what ? ` ${what}` : "";
  switch (action.tool) {
    case "click":
      return `${clicks(action)}${on}`;
    case "double_click":
      return `Double-click${on}`;
    case "right_click":
      return `Right-click${on}`;
    case "drag":
      return `Drag${on}`;
    case "scroll":
      return `Scroll${detail ? ` ${detail}` : ""}${what ? ` in ${what}` : ""}`;
    case "move_cursor":
      return `Point at${on || " a place"}`;
    case "type_text":
      return `Type ${quoted ?? "text"}${what ? ` into ${what}` : ""}`;
    case "press_key":
    case "hotkey":
      return `Press ${keys(detail)}`;
    case "set_value":
      return `Set ${what ?? "a value"}${quoted ? ` to ${quoted}` : ""}`;
    case "select_option":
      return `Choose ${quoted ?? "an option"}${what ? ` in ${what}` : ""}`;
    case "invoke_menu":
      return `Menu ${detail ?? ""}`.trim();
    case "launch_app":
      return `Open ${quoted ?? "an application"}`;
    case "kill_app":
      return "Close the application";
    default:
      return [action.tool.replaceAll("_", " "), quoted ?? what].filter(Boolean).join(" ");
  }
}

/** `ctrl+k` as it stands on a keyboard. */
function keys(detail: string | undefined): string {
  if (detail === undefined) return "a key";
  return detail.replace(/[^+]+/g, (key) => key.charAt(0).toUpperCase() + key.slice(1));
}

function clicks(action: Action): string {
  const { count, button, modifiers, modifier } = action.arguments;
  const held = (list(modifiers) ?? list(modifier) ?? []).map((key) => `${String(key)}-`).join("");
  const times = count === 2 ? "double-" : count === 3 ? "triple-" : "";
  const word = `${button === "right" ? "right-" : button === "middle" ? "middle-" : ""}${times}click`;
  return held === "" ? word.charAt(0).toUpperCase() + word.slice(1) : `${held}${word}`;
}
