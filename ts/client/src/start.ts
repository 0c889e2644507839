/** Starts a daemon that lives for its clients. */
import { spawn } from "node:child_process";
import { closeSync, fstatSync, mkdtempSync, openSync, readSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Unreachable } from "./errors.js";

const START_MS = 15_000;
const POLL_MS = 10;

/** Whether somebody takes connections at the socket. */
export function answers(socket: string, withinMs = 1_000): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(socket);
    const done = (there: boolean) => {
      clearTimeout(timer);
      probe.destroy();
      resolve(there);
    };
    const timer = setTimeout(() => done(false), withinMs);
    probe.once("connect", () => done(true));
    probe.once("error", () => done(false));
  });
}

/**
 * Starts `cua-driver serve --for-clients` on that socket and waits until it takes connections. It inherits this
 * process's environment and outlives it. Where another one won the race, that one is used.
 */
export async function startDaemon(binary: string, socket: string): Promise<void> {
  const errors = scratchFile();
  try {
    const child = spawn(binary, ["serve", "--for-clients", "--socket", socket], {
      detached: true,
      cwd: "/",
      stdio: ["ignore", "ignore", errors],
    });
    let ended: string | undefined;
    child.once("error", (error) => {
      ended = error.message;
    });
    child.once("exit", (code, signal) => {
      ended = `it ended with ${code ?? signal}`;
    });
    child.unref();
    const until = Date.now() + START_MS;
    while (!(await answers(socket))) {
      // One that lost the race ends while the winner is still coming up.
      const given = ended === undefined ? until : Math.min(until, Date.now() + 500);
      if (Date.now() >= given || (ended !== undefined && !(await soon(socket))))
        throw new Unreachable(
          `the driver did not start${ended === undefined ? ` within ${START_MS} ms` : `: ${ended}`}${tail(errors)}`,
        );
      await sleep(POLL_MS);
    }
  } finally {
    closeSync(errors);
  }
}

async function soon(socket: string): Promise<boolean> {
  for (let i = 0; i < 50; i++) {
    if (await answers(socket)) return true;
    await sleep(POLL_MS);
  }
  return false;
}

/** A file without a name: the daemon may write to it after this process is gone. */
function scratchFile(): number {
  const dir = mkdtempSync(join(tmpdir(), "cua-driver-start-"));
  const fd = openSync(join(dir, "stderr"), "wx+", 0o600);
  rmSync(dir, { recursive: true, force: true });
  return fd;
}

function tail(fd: number): string {
  const size = Math.min(fstatSync(fd).size, 2_000);
  if (size === 0) return "";
  const bytes = Buffer.alloc(size);
  readSync(fd, bytes, 0, size, fstatSync(fd).size - size);
  return `: ${bytes.toString("utf8").trim()}`;
}
