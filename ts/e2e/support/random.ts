/** A seeded source of chance, and arguments made by a tool's schema: right ones, and wrong ones of each kind. */

export interface Schema {
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  [more: string]: unknown;
}

export class Chance {
  #state: number;
  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** mulberry32: a number in 0..1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  below(n: number): number {
    return Math.floor(this.next() * n);
  }

  of<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  odds(one: number): boolean {
    return this.below(one) === 0;
  }
}

const STRINGS = [
  "",
  " ",
  "a",
  "OK",
  "Name",
  "../../etc/passwd",
  "\u0000",
  "\u202eevil",
  "💥".repeat(40),
  "x".repeat(70_000),
  "'; rm -rf /; #",
  "s00000000:0",
  "{}",
  "-1",
];
const NUMBERS = [0, -1, 1, 2, 3, 10, 0.5, -0.0001, 65_536, 2 ** 31, 2 ** 53, 1e308, -1e308];
const WRONG: unknown[] = [null, true, [], {}, [[]], { a: { b: [] } }, "", 0, -1, "NaN"];

/** A value for a schema: fitting most of the time, never larger than some 100 kB. `known` holds what is real here. */
export function value(
  chance: Chance,
  schema: Schema,
  known: Record<string, readonly unknown[]>,
  name = "",
  depth = 0,
): unknown {
  const real = known[name];
  if (real !== undefined && !chance.odds(3)) return chance.of(real);
  if (chance.odds(12)) return chance.of(WRONG);
  if (schema.enum !== undefined) return chance.odds(8) ? chance.of(STRINGS) : chance.of(schema.enum);
  const one = schema.anyOf ?? schema.oneOf;
  if (one !== undefined) return value(chance, chance.of(one), known, name, depth);
  const type = Array.isArray(schema.type) ? chance.of(schema.type) : schema.type;
  switch (type) {
    case "string":
      return chance.of(STRINGS);
    case "integer":
    case "number":
      return number(chance, schema, type);
    case "boolean":
      return chance.odds(2);
    case "array": {
      if (depth > 3) return [];
      const most = Math.min((schema.maxItems ?? 4) + (chance.odds(6) ? 2 : 0), 20);
      return Array.from({ length: chance.below(most + 1) }, () =>
        value(chance, schema.items ?? {}, known, name, depth + 1),
      );
    }
    case "object":
      return depth > 4 ? {} : object(chance, schema, known, depth);
    default:
      return chance.of(WRONG);
  }
}

function number(chance: Chance, schema: Schema, type: string): number {
  if (chance.odds(4)) return chance.of(NUMBERS);
  const least = schema.minimum ?? -10;
  const most = Math.max(least, Math.min(schema.maximum ?? 1000, least + 2000));
  const n = least + chance.next() * (most - least);
  return type === "integer" ? Math.round(n) : n;
}

function object(
  chance: Chance,
  schema: Schema,
  known: Record<string, readonly unknown[]>,
  depth: number,
): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  const required = new Set(schema.required ?? []);
  for (const [name, inner] of Object.entries(schema.properties ?? {})) {
    const wanted = required.has(name) ? !chance.odds(10) : chance.odds(3);
    if (wanted) out[name] = value(chance, inner, known, name, depth + 1);
  }
  if (chance.odds(15)) out[chance.of(["unknown", "__proto__x", "pdi", "_hidden"])] = chance.of(WRONG);
  return out;
}
