/** Where the daemon of a user and a display listens: proto/endpoint.json says it for both languages. */
import { lstatSync, readdirSync, statSync } from "node:fs";
import { basename, isAbsolute, join } from "node:path";
import { Refused, Unreachable } from "./errors.js";
import { answers } from "./start.js";

export interface Surroundings {
  env: Record<string, string | undefined>;
  uid: number;
  /** Whether XDG_RUNTIME_DIR is a directory of that user. */
  privateRuntimeDir: boolean;
}

export function surroundings(): Surroundings {
  const uid = process.getuid?.() ?? 0;
  const dir = process.env.XDG_RUNTIME_DIR ?? "";
  return { env: process.env, uid, privateRuntimeDir: isAbsolute(dir) && ownDirectory(dir, uid) };
}

/** The directory of the user's sockets. */
export function socketDirectory({ env, uid, privateRuntimeDir }: Surroundings): string {
  const runtime = env.XDG_RUNTIME_DIR ?? "";
  if (privateRuntimeDir && isAbsolute(runtime)) return join(runtime, "cua-driver");
  const temporary = env.TMPDIR ?? "";
  return join(isAbsolute(temporary) ? temporary : "/tmp", `cua-driver-${uid}`);
}

/** The name of a display in a socket's name; `undefined` where there is no display. */
export function displayName(env: Surroundings["env"]): string | undefined {
  if (env.DISPLAY) {
    const colon = env.DISPLAY.lastIndexOf(":");
    const host = colon < 0 ? env.DISPLAY : env.DISPLAY.slice(0, colon);
    const number = colon < 0 ? "0" : (env.DISPLAY.slice(colon + 1).split(".")[0] ?? "0");
    return host === "" || host === "unix" ? `x11-${number}` : `x11-${host}_${number}`;
  }
  return env.WAYLAND_DISPLAY ? basename(env.WAYLAND_DISPLAY) : undefined;
}

export function defaultSocket(around: Surroundings): string {
  const name = (displayName(around.env) ?? "none").replaceAll(/[^A-Za-z0-9_.-]/g, "_");
  return join(socketDirectory(around), `${name}.sock`);
}

/**
 * The socket of this process's user and display. Without a display of its own it is that of the user's one daemon;
 * where several run, `Refused` lists them.
 */
export async function findSocket(around: Surroundings = surroundings()): Promise<string> {
  const own = defaultSocket(around);
  requirePrivate(socketDirectory(around), around.uid);
  if (displayName(around.env) !== undefined) return own;
  const running = await runningSockets(socketDirectory(around));
  if (running.length > 1 && !running.includes(own))
    throw new Refused({
      code: "invalid_arguments",
      message: `several drivers run and this process has no display: ${running.join(", ")}.`,
      hint: "Name one with --socket or CUA_DRIVER_SOCKET, or set DISPLAY.",
      details: { sockets: running },
    });
  return running.includes(own) ? own : (running[0] ?? own);
}

async function runningSockets(dir: string): Promise<string[]> {
  let names: string[];
  try {
    names = readdirSync(dir);
  } catch {
    return [];
  }
  const sockets = names.filter((name) => name.endsWith(".sock")).map((name) => join(dir, name));
  const there = await Promise.all(sockets.map((socket) => answers(socket)));
  return sockets.filter((_, i) => there[i]).sort();
}

/** Whoever may put a socket there could pose as the driver and be told everything that is typed. */
function requirePrivate(dir: string, uid: number): void {
  const stat = lstatSync(dir, { throwIfNoEntry: false });
  if (stat === undefined) return;
  if (!stat.isDirectory() || stat.uid !== uid || (stat.mode & 0o022) !== 0)
    throw new Unreachable(
      `${dir} is not this user's alone: remove it, or name a socket with CUA_DRIVER_SOCKET`,
    );
}

function ownDirectory(dir: string, uid: number): boolean {
  try {
    const stat = statSync(dir);
    return stat.isDirectory() && stat.uid === uid;
  } catch {
    return false;
  }
}
