/** All rows, fetched by the hundred: what is on the screen first, the rest when there is time. */
import { useEffect, useState } from "preact/hooks";
import type { Detail, Overview, Row, Side } from "../src/view/model";
import type { Data } from "./data";

const CHUNK = 100;

export interface Filter {
  words: string;
  failures: boolean;
}

export class Rows {
  readonly length: number;
  readonly #data: Data;
  readonly #rows: (Row | undefined)[];
  readonly #asked = new Set<number>();
  readonly #changed: () => void;
  #missing: number;

  constructor(data: Data, overview: Overview, changed: () => void) {
    this.#data = data;
    this.length = overview.steps;
    this.#rows = new Array(overview.steps);
    this.#missing = Math.ceil(overview.steps / CHUNK);
    this.#changed = changed;
  }

  get complete(): boolean {
    return this.#missing === 0;
  }

  /** The row, or nothing yet; then it is on its way. */
  get(step: number): Row | undefined {
    const row = this.#rows[step];
    if (!row && step < this.length) void this.#load(step - (step % CHUNK));
    return row;
  }

  /** The row if it is here already. */
  peek(step: number): Row | undefined {
    return this.#rows[step];
  }

  /** Fetch what nobody has asked for yet, a piece at a time. */
  async loadAll(wanted: () => boolean): Promise<void> {
    for (let from = 0; from < this.length && wanted(); from += CHUNK) {
      await this.#load(from);
      await new Promise((next) => setTimeout(next, 30));
    }
  }

  /** Steps that pass, in order. */
  matching(filter: Filter): number[] {
    const words = filter.words.toLowerCase().split(/\s+/).filter(Boolean);
    const out: number[] = [];
    this.#rows.forEach((row, step) => {
      if (row && (!filter.failures || bad(row)) && words.every((word) => searchText(row).includes(word)))
        out.push(step);
    });
    return out;
  }

  get failures(): number {
    return this.#rows.reduce((sum, row) => sum + (row && bad(row) ? 1 : 0), 0);
  }

  async #load(from: number): Promise<void> {
    if (this.#asked.has(from)) return;
    this.#asked.add(from);
    try {
      const rows = await this.#data.rows(from);
      rows.forEach((row, i) => {
        this.#rows[from + i] = row;
      });
      this.#missing--;
    } catch {
      this.#asked.delete(from);
    }
    this.#changed();
  }
}

function badSide(side: Side | undefined): boolean {
  return (
    side !== undefined &&
    (side.problem !== undefined || side.outcome === "refused" || side.outcome === "failed")
  );
}

/** Refused, failed, unreadable, or different from the other recording. */
export function bad(row: Row): boolean {
  return row.differs === true || badSide(row.a) || badSide(row.b);
}

const texts = new WeakMap<Row, string>();

function searchText(row: Row): string {
  const known = texts.get(row);
  if (known !== undefined) return known;
  const made = [row.a, row.b]
    .flatMap((side) =>
      side
        ? [
            `#${side.turn}`,
            side.tool,
            ...Object.values(side.subject),
            side.outcome,
            side.effect,
            side.message,
            side.problem,
          ]
        : [],
    )
    .filter((part) => part !== undefined)
    .join(" ")
    .toLowerCase();
  texts.set(row, made);
  return made;
}

export function useRows(data: Data, overview: Overview): { rows: Rows; version: number } {
  const [version, setVersion] = useState(0);
  const [rows] = useState(() => new Rows(data, overview, () => setVersion((n) => n + 1)));
  useEffect(() => {
    let here = true;
    void rows.loadAll(() => here);
    return () => {
      here = false;
    };
  }, [rows]);
  return { rows, version };
}

/** One turn in full, once one has stayed at it for a moment. */
export function useDetail(data: Data, step: number): Detail | undefined {
  const [loaded, setLoaded] = useState<{ step: number; detail: Detail }>();
  useEffect(() => {
    let here = true;
    // Not for every turn that is only passed by.
    const timer = setTimeout(
      () =>
        void data
          .detail(step)
          .then((detail) => {
            if (here) setLoaded({ step, detail });
          })
          .catch(() => {}),
      loaded === undefined ? 0 : 60,
    );
    return () => {
      here = false;
      clearTimeout(timer);
    };
  }, [step]);
  return loaded?.step === step ? loaded.detail : undefined;
}
