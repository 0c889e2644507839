/** Commands run as a person runs them, with what they said kept. */
import { type Command, type Io, TrajectoryError } from "../src/index.js";

export interface Ran {
  code: number;
  out: string;
  err: string;
}

export async function ran(command: Command, argv: readonly string[], more: Partial<Io> = {}): Promise<Ran> {
  const said = { code: -1, out: "", err: "" };
  const io: Io = {
    out(text) {
      said.out += text;
    },
    err(text) {
      said.err += text;
    },
    cwd: "/",
    env: {},
    terminal: false,
    columns: 80,
    signal: new AbortController().signal,
    ...more,
  };
  said.code = await command(argv, io);
  return said;
}

/** The problem that `body` throws, or what it answered instead. */
export function problemOf(body: () => unknown): string {
  try {
    return `no problem: ${JSON.stringify(body())?.slice(0, 80)}`;
  } catch (error) {
    if (error instanceof TrajectoryError) return `${error.problem.code} ${error.problem.where}`.trim();
    throw error;
  }
}
