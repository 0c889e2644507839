// The desktop of a measurement: a driver on a private display, windows on it, and tools that answer line by line.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";

export const BIN = resolve("target/release/cua-driver");

export class Desktop {
  #children = [];

  constructor(size) {
    this.size = size;
    this.dir = mkdtempSync(join(tmpdir(), "cua-bench-"));
    this.socket = join(this.dir, "s");
  }

  async start() {
    const args = ["serve", "--display", `virtual:${this.size}`, "--socket", this.socket];
    this.daemon = spawn(BIN, args, { stdio: "ignore" });
    const pid = await this.#ready();
    const pairs = readFileSync(`/proc/${pid}/environ`, "utf8")
      .split("\0")
      .filter((p) => p.includes("="));
    this.pid = pid;
    this.env = {
      ...Object.fromEntries(pairs.map((p) => [p.slice(0, p.indexOf("=")), p.slice(p.indexOf("=") + 1)])),
      CUA_DRIVER_SOCKET: this.socket,
      GSK_RENDERER: "cairo",
      GSETTINGS_BACKEND: "memory",
      GDK_BACKEND: "x11",
    };
  }

  async #ready() {
    for (let i = 0; i < 300; i += 1) {
      const status = await run(BIN, ["status", "--json", "--socket", this.socket], process.env).catch(
        () => undefined,
      );
      if (status !== undefined) return JSON.parse(status).pid;
      await new Promise((done) => setTimeout(done, 100));
    }
    throw new Error("the driver did not come up");
  }

  /** A process on the desktop; its lines in `lines`, each with its time of arrival. */
  spawn(command, args) {
    const child = spawn(command, args, { env: this.env, stdio: ["pipe", "pipe", "ignore"] });
    child.lines = [];
    child.stdin.on("error", () => undefined);
    createInterface({ input: child.stdout }).on("line", (text) => {
      child.lines.push({ text, at: performance.now() });
      child.emit("line", text);
    });
    this.#children.push(child);
    return child;
  }

  window(kind, buttons, more = []) {
    return this.spawn("/usr/bin/python3", [resolve("bench/window.py"), kind, String(buttons), ...more]);
  }

  chromium(url) {
    return this.spawn("chromium", [
      `--app=${url}`,
      `--user-data-dir=${join(this.dir, "chromium")}`,
      "--force-renderer-accessibility",
      "--no-sandbox",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--disable-gpu",
    ]);
  }

  /** A measuring program that answers one line for each line it is sent; undefined where it cannot run. */
  async asked(command, args) {
    const child = this.spawn(command, args);
    let waiting;
    const answer = (text) => {
      waiting?.(text);
      waiting = undefined;
    };
    child.on("line", answer);
    child.once("exit", () => answer(undefined));
    const ask = (line) =>
      new Promise((done) => {
        if (child.exitCode !== null) return done(undefined);
        waiting = done;
        if (line !== undefined) child.stdin.write(`${line}\n`);
      });
    return (await ask()) === "ready" ? ask : undefined;
  }

  async stop() {
    for (const child of this.#children) child.kill("SIGKILL");
    if (this.daemon !== undefined && this.daemon.exitCode === null && this.daemon.signalCode === null) {
      const gone = once(this.daemon, "exit");
      this.daemon.kill("SIGTERM");
      const late = setTimeout(() => this.daemon.kill("SIGKILL"), 10_000);
      await gone;
      clearTimeout(late);
    }
    rmSync(this.dir, { recursive: true, force: true, maxRetries: 5 });
  }
}

export function run(command, args, env) {
  return new Promise((done, fail) => {
    const bounds = { env, timeout: 180_000, maxBuffer: 64 << 20 };
    execFile(command, args, bounds, (error, stdout) => (error === null ? done(stdout) : fail(error)));
  });
}

/** Milliseconds that it takes. */
export async function time(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
