/** A real driver on a private desktop of its own, and windows on it that print what they receive. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Driver } from "@cua-driver/sdk";
import { BINARY, type Daemon, startDaemon } from "@cua-driver/testkit";

const APPS = fileURLToPath(new URL("../apps/", import.meta.url));

export type Toolkit = "gtk3" | "gtk4" | "qt" | "tk" | "page";

/** One thing that a window says it received. */
export interface Told {
  what: string;
  name: string;
  text?: string;
  value?: string | number;
  on?: boolean;
  count?: number;
  button?: number;
}

export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

/** Waits until `look` finds something; throws with `what` when it does not within the bound. */
export async function until<T>(
  what: string,
  look: () => T | undefined | Promise<T | undefined>,
  ms = 10_000,
): Promise<T> {
  const end = Date.now() + ms;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > end) throw new Error(`not within ${ms} ms: ${what}`);
    await sleep(25);
  }
}

/** A window of a test, in a process of its own. */
export class Scene {
  readonly told: Told[] = [];
  constructor(
    readonly kind: Toolkit,
    readonly title: string,
    readonly child: ChildProcess,
  ) {}

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** What it was told since `from`, without what its window manager does. */
  since(from: number): Told[] {
    return this.told
      .slice(from)
      .filter((t) => t.what !== "active" && t.what !== "did" && t.what !== "pressed");
  }

  /** Change it, and wait until it is changed. */
  async order(order: { do: string; name?: string; [more: string]: unknown }): Promise<void> {
    const from = this.told.length;
    this.child.stdin?.write(`${JSON.stringify(order)}\n`);
    await this.hears(`the window did ${order.do}`, (t) => t.what === "did" && t.name === order.do, from);
  }

  hears(what: string, fits: (told: Told) => boolean, from = 0, ms = 5_000): Promise<Told> {
    return until(
      `${what}; it was told ${JSON.stringify(this.told.slice(-6))}`,
      () => this.told.slice(from).find(fits),
      ms,
    );
  }

  /** The text that a field has in the end. */
  text(name: string): string | undefined {
    return this.told.findLast((t) => t.what === "text" && t.name === name)?.text;
  }
}

export class World implements AsyncDisposable {
  readonly #scenes: Scene[] = [];
  readonly #closers: (() => Promise<void> | void)[] = [];

  private constructor(
    readonly daemon: Daemon,
    /** The surroundings of applications on the private desktop. */
    readonly env: NodeJS.ProcessEnv,
  ) {}

  static async start(secrets: Record<string, string> = {}): Promise<World> {
    const daemon = await startDaemon();
    const config = join(daemon.home, ".config", "cua-driver");
    mkdirSync(config, { recursive: true, mode: 0o700 });
    writeFileSync(join(config, "secrets.json"), JSON.stringify(secrets), { mode: 0o600 });
    const env = {
      ...daemon.env,
      GSK_RENDERER: "cairo",
      GSETTINGS_BACKEND: "memory",
      GDK_BACKEND: "x11",
      QT_QPA_PLATFORM: "xcb",
      QT_LINUX_ACCESSIBILITY_ALWAYS_ON: "1",
      LC_ALL: "C.UTF-8",
      PYTHONDONTWRITEBYTECODE: "1",
    };
    return new World(daemon, env);
  }

  get socket(): string {
    return this.daemon.socket;
  }

  /** A folder that ends with the driver. */
  get dir(): string {
    return this.daemon.home;
  }

  /** A client of the SDK with a session of its own. */
  async driver(session?: string): Promise<Driver> {
    const driver = await Driver.connect({ socket: this.socket, ...(session !== undefined && { session }) });
    this.#closers.push(() => driver.close());
    return driver;
  }

  /** The command line. */
  cli(args: string[], input?: string): Promise<Ran> {
    return run(args, this.env, input);
  }

  /** Open a window and wait until it is there. `edit` changes a page before it is. */
  async open(
    kind: Toolkit,
    title = `Scene ${kind} ${this.#scenes.length}`,
    edit: (html: string) => string = (html) => html,
  ): Promise<Scene> {
    const scene =
      kind === "page"
        ? await this.#page(title, edit)
        : this.#spawn(kind, title, "/usr/bin/python3", [`${APPS}${kind}.py`, title]);
    await scene.hears(`${kind} is ready`, (t) => t.what === "ready", 0, 20_000);
    return scene;
  }

  #spawn(kind: Toolkit, title: string, command: string, args: string[]): Scene {
    const child = spawn(command, args, {
      env: this.env,
      stdio: ["pipe", "pipe", "ignore"],
    });
    const scene = new Scene(kind, title, child);
    child.stdin.on("error", () => undefined);
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (line.startsWith("{")) scene.told.push(JSON.parse(line) as Told);
    });
    this.#scenes.push(scene);
    return scene;
  }

  /** Chromium with a page that tells a server of this process what it receives. */
  async #page(title: string, edit: (html: string) => string): Promise<Scene> {
    const html = edit(readFileSync(`${APPS}page.html`, "utf8").replace("Scene page", title));
    let scene: Scene | undefined;
    const server = createServer((request, response) => {
      if (request.method === "POST") {
        let body = "";
        request.on("data", (part) => {
          body += String(part);
        });
        request.on("end", () => {
          scene?.told.push(JSON.parse(body) as Told);
          response.end("{}");
        });
      } else {
        response.setHeader("content-type", "text/html; charset=utf-8");
        response.end(html);
      }
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    this.#closers.push(() => void server.close());
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    scene = this.#spawn("page", title, "chromium", [
      `--app=${address}`,
      `--user-data-dir=${mkdtempSync(join(this.dir, "chromium-"))}`,
      "--force-renderer-accessibility",
      "--no-sandbox",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--disable-gpu",
    ]);
    return scene;
  }

  /** The window of a scene as the driver lists it. */
  async window(driver: Driver, scene: Scene): Promise<{ pid: number; window_id: number }> {
    return until(`a window titled ${scene.title}`, async () => {
      const { structured } = await driver.raw("list_windows");
      const { windows } = structured as unknown as {
        windows: { pid?: number; window_id: number; title: string }[];
      };
      const found = windows.find((w) => w.title.includes(scene.title));
      if (found === undefined) return undefined;
      const target = { pid: found.pid ?? scene.pid, window_id: found.window_id };
      if (scene.kind !== "page") return target;
      // A browser shows its window before the page's elements.
      const { text } = await driver.raw("get_window_state", { ...target, include_screenshot: false });
      return text.includes('slider "Volume"') ? target : undefined;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const close of this.#closers.reverse()) await close();
    for (const { child } of this.#scenes) child.kill("SIGKILL");
    await this.daemon.stop();
  }
}

/** Runs the native command; never waits longer than a minute. */
export function run(args: string[], env: NodeJS.ProcessEnv, input?: string): Promise<Ran> {
  return new Promise((done) => {
    const child = execFile(
      BINARY,
      args,
      { env, timeout: 60_000, maxBuffer: 64 << 20 },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === "number" ? error.code : -1;
        done({ code, stdout, stderr });
      },
    );
    child.stdin?.on("error", () => undefined);
    if (input === undefined) child.stdin?.end();
    else child.stdin?.end(input);
  });
}
