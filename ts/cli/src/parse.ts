/** Words of the command line to flags and positionals, by the command's row in the table. */
import type { Command, Flag } from "./table.js";

/** Whether a line asks for JSON, though it may be too wrong to be parsed. */
export function wantsJson(words: readonly string[]): boolean {
  const end = words.indexOf("--");
  return (end < 0 ? words : words.slice(0, end)).includes("--json");
}

/** A mistake of the person: exit 2. */
export class Usage extends Error {}

export interface Parsed {
  words: string[];
  /** Value of a flag that has one; the last where it was repeated. */
  value(name: string): string | undefined;
  values(name: string): string[];
  given(name: string): boolean;
}

export function parse(command: Command, global: readonly Flag[], args: readonly string[]): Parsed {
  const flags = [...command.flags, ...global];
  const seen = new Map<string, string[]>();
  const words: string[] = [];
  const rest = [...args];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === "--") {
      words.push(...rest);
      break;
    }
    if (!arg.startsWith("-") || arg === "-") {
      words.push(arg);
      continue;
    }
    const equals = arg.startsWith("--") ? arg.indexOf("=") : -1;
    const head = equals < 0 ? arg : arg.slice(0, equals);
    const flag = flags.find(
      (f) => head === `--${f.name}` || (f.short !== undefined && head === `-${f.short}`),
    );
    if (flag === undefined) throw new Usage(unknown(head, flags));
    seen.set(flag.name, [
      ...(seen.get(flag.name) ?? []),
      flagValue(flag, equals < 0 ? undefined : arg.slice(equals + 1), rest),
    ]);
  }
  const most = command.args.some((arg) => arg.many) ? Number.POSITIVE_INFINITY : command.args.length;
  if (words.length > most) throw new Usage(`"${words[most]}" is one word too many. Usage: ${command.usage}`);
  const missing = command.args.filter((arg) => arg.required)[words.length];
  if (missing !== undefined && !seen.has("help"))
    throw new Usage(`${missing.name} is missing. Usage: ${command.usage}`);
  return {
    words,
    value: (name) => seen.get(name)?.at(-1),
    values: (name) => seen.get(name) ?? [],
    given: (name) => seen.has(name),
  };
}

function flagValue(flag: Flag, glued: string | undefined, rest: string[]): string {
  if (flag.value === undefined) {
    if (glued !== undefined) throw new Usage(`--${flag.name} takes no value`);
    return "";
  }
  const value = glued ?? rest.shift();
  if (value === undefined) throw new Usage(`--${flag.name} needs ${flag.value}`);
  return value;
}

function unknown(head: string, flags: readonly Flag[]): string {
  const near = nearest(
    head.replace(/^-+/, ""),
    flags.filter((flag) => flag.hidden !== true).map((flag) => flag.name),
  );
  return `there is no flag ${head}${near === undefined ? "" : `; did you mean --${near}?`}`;
}

/** The name that differs least from `word`, when it differs little enough to be meant. */
export function nearest(word: string, names: readonly string[]): string | undefined {
  const ranked = names.map((name) => ({ name, far: distance(word, name) })).sort((a, b) => a.far - b.far);
  const best = ranked[0];
  return best !== undefined && best.far <= Math.max(2, Math.floor(word.length / 2)) ? best.name : undefined;
}

/** Levenshtein's: insertions, removals and changes of one letter. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, change));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
