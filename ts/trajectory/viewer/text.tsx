/** Recorded text as text: its direction kept to itself, what cannot be seen spelled out. */
import type { ComponentChildren } from "preact";

const ODD = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;
const LONGEST = 20_000;

export function Text({ of, limit = LONGEST }: { of: string; limit?: number }) {
  const cut = of.length > limit ? `${of.slice(0, limit)}…` : of;
  const parts: ComponentChildren[] = [];
  let at = 0;
  for (const match of cut.matchAll(ODD)) {
    parts.push(cut.slice(at, match.index));
    parts.push(
      <span class="odd">U+{(match[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}</span>,
    );
    at = match.index + match[0].length;
  }
  parts.push(cut.slice(at));
  return <bdi>{parts}</bdi>;
}

export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)}:${String(Math.floor(ms / 1000) % 60).padStart(2, "0")} min`;
}
