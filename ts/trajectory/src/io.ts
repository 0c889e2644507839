/** What a command may touch besides the files it is given: two streams, the environment, a way to be stopped. */
import { isAbsolute, resolve } from "node:path";
import { Usage } from "./args.js";
import { TrajectoryError } from "./problem.js";
import { plain } from "./words.js";

export interface Io {
  out(text: string): void;
  err(text: string): void;
  cwd: string;
  env: Record<string, string | undefined>;
  /** Standard error is a terminal: progress may be drawn there. */
  terminal: boolean;
  columns: number;
  /** Aborted by SIGINT, SIGTERM and SIGHUP. */
  signal: AbortSignal;
}

export type Command = (argv: readonly string[], io: Io) => Promise<number>;

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The streams and signals of this process; `close` gives the signals back. */
export function processIo(): Io & { close(): void } {
  const stop = new AbortController();
  const abort = () => stop.abort();
  for (const name of SIGNALS) process.once(name, abort);
  return {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    cwd: process.cwd(),
    env: process.env,
    terminal: process.stderr.isTTY === true,
    columns: process.stderr.columns ?? 80,
    signal: stop.signal,
    close() {
      for (const name of SIGNALS) process.off(name, abort);
    },
  };
}

/** A path as the person meant it: from the working directory, `~/` at home. */
export function pathOf(io: Io, given: string): string {
  const home = io.env.HOME;
  if (home !== undefined && (given === "~" || given.startsWith("~/"))) return resolve(home, given.slice(2));
  return isAbsolute(given) ? given : resolve(io.cwd, given);
}

/** Run `body`; a usage error is exit code 2, an unreadable recording is `unreadable`. */
export async function guarded(io: Io, unreadable: number, body: () => Promise<number>): Promise<number> {
  try {
    return await body();
  } catch (error) {
    if (error instanceof Usage) {
      io.err(`${error.message}\n`);
      return 2;
    }
    if (error instanceof TrajectoryError) {
      io.err(`${plain(error.message, 2000)}\n`);
      return unreadable;
    }
    throw error;
  }
}
