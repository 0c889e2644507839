/** A real driver on a display of its own. */
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Lines, within } from "./lines.js";

export const BINARY =
  process.env.CUA_DRIVER_BIN ?? fileURLToPath(new URL("../../../target/release/cua-driver", import.meta.url));

const START_MS = 40_000;
const END_MS = 15_000;

export interface Daemon {
  socket: string;
  pid: number;
  /** Environment of the display it serves, for applications and clients in it. */
  env: NodeJS.ProcessEnv;
  /** Its home folder, empty at first. */
  home: string;
  log(): string;
  /** Ends it as a person does, and everything on its display with it. */
  stop(): Promise<void>;
  kill(): Promise<void>;
}

export interface DaemonOptions {
  /** `1280x800` unless told. */
  size?: string;
  args?: string[];
  /** Without a display of its own: the environment says what there is. */
  display?: "virtual" | "none";
}

export async function startDaemon(options: DaemonOptions = {}): Promise<Daemon> {
  const home = await mkdtemp(join(tmpdir(), "cua-testkit-"));
  const socket = join(home, "driver.sock");
  const where = options.display === "none" ? [] : ["--display", `virtual:${options.size ?? "1280x800"}`];
  const serve = new Lines(
    BINARY,
    ["serve", ...where, "--socket", socket, ...(options.args ?? [])],
    bare(home),
  );
  const greeting = /serves .*\(pid (\d+)\)/;
  const line = await serve.line(greeting, START_MS).catch(async (error: unknown) => {
    await serve.kill();
    throw new Error(`the driver did not start: ${String(error)}: ${serve.stderr}`);
  });
  const pid = Number(greeting.exec(line)?.[1]);
  const end = async (signal: NodeJS.Signals) => {
    if (serve.child.exitCode === null && serve.child.signalCode === null) serve.child.kill(signal);
    await within(END_MS, serve.exited).finally(() => serve.child.kill("SIGKILL"));
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  };
  return {
    socket,
    pid,
    env: { ...environmentOf(pid), CUA_DRIVER_SOCKET: socket, CUA_DRIVER_BIN: BINARY },
    home,
    log: () => serve.stderr,
    stop: () => end("SIGTERM"),
    kill: () => end("SIGKILL"),
  };
}

/** An environment without a desktop: nothing of the machine's own display is touched. */
export function bare(home: string): NodeJS.ProcessEnv {
  const own = new Set([
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "DBUS_SESSION_BUS_ADDRESS",
    "AT_SPI_BUS_ADDRESS",
  ]);
  const kept = Object.entries(process.env).filter(
    ([name]) => !own.has(name) && !name.startsWith("CUA_DRIVER_"),
  );
  return {
    ...Object.fromEntries(kept),
    HOME: home,
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_RUNTIME_DIR: home,
  };
}

function environmentOf(pid: number): NodeJS.ProcessEnv {
  const pairs = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").filter(Boolean);
  return Object.fromEntries(
    pairs.map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]),
  );
}
