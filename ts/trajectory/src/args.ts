/** Flags of a command: parsed strictly, with the nearest known one named. */

export type FlagKind = "switch" | "text" | "number" | "many";

export interface Flag {
  kind: FlagKind;
  short?: string;
  /** Bounds of a number, both allowed. */
  min?: number;
  max?: number;
  /** Words that a text may be. */
  of?: readonly string[];
}

export interface Spec {
  usage: string;
  flags: Record<string, Flag>;
  /** How many words that are no flags. */
  words: { min: number; max: number; names: string };
}

/** A command line that says nothing doable; exit code 2. */
export class Usage extends Error {}

/** What was given, by flag name. */
export class Given {
  readonly words: string[] = [];
  readonly #values = new Map<string, (string | number)[]>();

  set(name: string, value: string | number): void {
    this.#values.set(name, [...(this.#values.get(name) ?? []), value]);
  }
  has(name: string): boolean {
    return this.#values.has(name);
  }
  text(name: string): string | undefined {
    const value = this.#values.get(name)?.at(-1);
    return value === undefined ? undefined : String(value);
  }
  number(name: string): number | undefined {
    const value = this.#values.get(name)?.at(-1);
    return typeof value === "number" ? value : undefined;
  }
  many(name: string): string[] {
    return (this.#values.get(name) ?? []).map(String);
  }
}

/** Flags that every command knows. */
const COMMON: Record<string, Flag> = { help: { kind: "switch", short: "h" }, json: { kind: "switch" } };

export function parseArgs(argv: readonly string[], spec: Spec): Given {
  const flags: Record<string, Flag> = { ...COMMON, ...spec.flags };
  const given = new Given();
  let onlyWords = false;
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i] ?? "";
    if (onlyWords || !word.startsWith("-") || word === "-") {
      given.words.push(word);
      continue;
    }
    if (word === "--") {
      onlyWords = true;
      continue;
    }
    const [head, joined] = split(word);
    const [name, flag] = find(head, flags, spec);
    if (flag.kind === "switch") {
      if (joined !== undefined) throw new Usage(`--${name} takes no value`);
      given.set(name, 1);
      continue;
    }
    const next = joined ?? argv[++i];
    if (next === undefined) throw new Usage(`--${name} needs a value`);
    given.set(name, check(name, flag, next));
  }
  if (!given.has("help")) words(given, spec);
  return given;
}

function split(word: string): [string, string | undefined] {
  const at = word.startsWith("--") ? word.indexOf("=") : -1;
  return at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
}

function find(head: string, flags: Record<string, Flag>, spec: Spec): [string, Flag] {
  for (const [name, flag] of Object.entries(flags)) {
    if (head === `--${name}` || (flag.short !== undefined && head === `-${flag.short}`)) return [name, flag];
  }
  const near = nearest(head.replace(/^-+/, ""), Object.keys(flags));
  throw new Usage(`unknown flag ${head}${near ? `; did you mean --${near}?` : ""}\n${spec.usage}`);
}

function check(name: string, flag: Flag, value: string): string | number {
  if (flag.kind !== "number") {
    if (flag.of && !flag.of.includes(value)) {
      throw new Usage(`--${name} is one of ${flag.of.join(", ")}, not ${JSON.stringify(value)}`);
    }
    return value;
  }
  const parsed = value.trim() === "" ? Number.NaN : Number(value);
  const [min, max] = [flag.min ?? Number.NEGATIVE_INFINITY, flag.max ?? Number.POSITIVE_INFINITY];
  if (!Number.isFinite(parsed) || parsed < min || parsed > max) {
    throw new Usage(`--${name} is a number from ${min} to ${max}, not ${JSON.stringify(value)}`);
  }
  return parsed;
}

function words(given: Given, spec: Spec): void {
  const n = given.words.length;
  if (n < spec.words.min) throw new Usage(`needs ${spec.words.names}\n${spec.usage}`);
  if (n > spec.words.max)
    throw new Usage(`too many words: ${given.words.slice(spec.words.max).join(" ")}\n${spec.usage}`);
}

/** The known name that is closest to what was written, when it is close. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  let best: [number, string] | undefined;
  for (const name of known) {
    const far = distance(word, name);
    if (!best || far < best[0]) best = [far, name];
  }
  return best && best[0] <= Math.max(2, Math.floor(word.length / 3)) ? best[1] : undefined;
}

function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + cost));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
