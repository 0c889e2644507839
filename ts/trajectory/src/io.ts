/** What a command may touch besides the files it is given: two streams, the environment, a way to be stopped. */
import { isAbsolute, resolve } from "node:path";
import { Usage } from "./args.js";
import { TrajectoryError } from "./problem.js";
import { plain, spelled } from "./words.js";
import { WriteError } from "./write.js";

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
    out: (text) => void process.stdout.write(spelled(text)),
    err: (text) => void process.stderr.write(text),
    cwd: process.cwd(),
    env: process.env,
    terminal: process.stderr.isTTY === true && process.env.TERM !== "dumb",
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

/** Says why a command failed: words for people, an envelope where JSON is asked for. */
export function fail(io: Io, argv: readonly string[], code: string, message: string): void {
  const end = argv.indexOf("--");
  if ((end < 0 ? argv : argv.slice(0, end)).includes("--json"))
    io.out(`${JSON.stringify({ code, message, hint: "", details: null })}\n`);
  else io.err(`${message}\n`);
}

/** Run `body` of `argv`; a usage error is exit code 2; a recording that cannot be read and a file that cannot be written are `unreadable`. */
export async function guarded(
  io: Io,
  argv: readonly string[],
  unreadable: number,
  body: () => Promise<number>,
): Promise<number> {
  try {
    return await body();
  } catch (error) {
    if (error instanceof Usage) {
      fail(io, argv, "invalid_arguments", error.message);
      return 2;
    }
    if (error instanceof TrajectoryError) {
      fail(io, argv, "trajectory_invalid", plain(error.message, 2000));
      return unreadable;
    }
    if (error instanceof WriteError) {
      fail(io, argv, "failed", plain(error.message, 2000));
      return unreadable;
    }
    throw error;
  }
}
