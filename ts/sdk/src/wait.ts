import { setTimeout as sleep } from "node:timers/promises";

/** How long a look for something that is not there yet goes on. */
export interface Patience {
  /** 5000 unless told; 0 looks once. */
  timeoutMs?: number | undefined;
}

const PATIENCE_MS = 5_000;
const EVERY_MS = 100;

/** What was looked for is not there, or is there more than once. */
export class NotFound extends Error {
  override readonly name = "NotFound";
}

/** Looks until `look` gives something; throws `NotFound` with its last word. */
export async function until<T>(
  look: () => Promise<T | NotFound>,
  { timeoutMs = PATIENCE_MS }: Patience = {},
): Promise<T> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const seen = await look();
    if (!(seen instanceof NotFound)) return seen;
    if (Date.now() >= end) throw seen;
    await sleep(Math.min(EVERY_MS, Math.max(1, end - Date.now())));
  }
}
