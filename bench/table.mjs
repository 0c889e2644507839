// Figures and how they are printed.

const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];

export function figures(values) {
  const sorted = values.filter((v) => v !== undefined).toSorted((a, b) => a - b);
  return sorted.length === 0 ? undefined : { p50: at(sorted, 0.5), p95: at(sorted, 0.95), n: sorted.length };
}

/** Runs each of the works `times` times in turn, so that what else the machine does hits all alike. */
export async function interleaved(times, works) {
  const names = Object.keys(works).filter((name) => works[name] !== undefined);
  const values = Object.fromEntries(names.map((name) => [name, []]));
  for (const name of names) await works[name]();
  for (let i = 0; i < times; i += 1)
    for (const name of names) {
      const start = performance.now();
      const own = await works[name]();
      values[name].push(typeof own === "number" ? own : performance.now() - start);
    }
  return Object.fromEntries(names.map((name) => [name, figures(values[name])]));
}

const shown = (n) => (n >= 100 ? n.toFixed(0) : n.toFixed(n >= 10 ? 1 : 2));

export function heading(text) {
  console.log(`\n${text}`);
  console.log(`  ${"".padEnd(34)} ${"p50 ms".padStart(9)} ${"p95 ms".padStart(9)} ${"runs".padStart(5)}`);
}

export function rows(all) {
  for (const [name, f] of Object.entries(all))
    if (f !== undefined)
      console.log(
        `  ${name.padEnd(34)} ${shown(f.p50).padStart(9)} ${shown(f.p95).padStart(9)} ${String(f.n).padStart(5)}`,
      );
}

let missed = 0;

/** A figure against its bound. */
export function bound(what, value, most, unit = "") {
  const ok = value <= most;
  if (!ok) missed += 1;
  console.log(`  ${ok ? "reached" : "MISSED "}  ${what}: ${shown(value)}${unit} (at most ${most}${unit})`);
}

/** A ratio of two medians against its bound. */
export function ratio(what, a, b, most) {
  if (a === undefined || b === undefined) console.log(`  not measured  ${what}`);
  else bound(`${what} (ratio)`, a.p50 / b.p50, most);
}

/** How many times faster than what people would use instead; no bound. */
export function against(what, theirs, ours) {
  if (theirs !== undefined && ours !== undefined)
    console.log(`  ${what}: ${shown(theirs.p50 / ours.p50)} times as long`);
}

export const misses = () => missed;
