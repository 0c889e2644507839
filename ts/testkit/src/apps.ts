/** Applications that say what they receive. */

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Lines, within } from "./lines.js";

export type Toolkit = "gtk3" | "gtk4" | "qt" | "tk" | "web";

/** What an application received. */
export interface Event {
  event: string;
  id?: string;
  text?: string;
  [field: string]: unknown;
}

export interface FixtureApp {
  title: string;
  pid: number;
  events: Event[];
  /** The first event from `from` on that has these fields; throws when it does not come. */
  got(fields: Partial<Event>, from?: number): Promise<Event>;
  /** Changes the application from within: insert, remove, title. */
  order(order: { do: string; [field: string]: string }): Promise<void>;
  stop(): Promise<void>;
}

const FIXTURES = fileURLToPath(new URL("../fixtures/", import.meta.url));
const UP_MS = 30_000;
const EVENT_MS = 5_000;

export async function startApp(toolkit: Toolkit, title: string, env: NodeJS.ProcessEnv): Promise<FixtureApp> {
  if (toolkit === "web") return startPage(env);
  const more = { PYTHONUNBUFFERED: "1", QT_LINUX_ACCESSIBILITY_ALWAYS_ON: "1", NO_AT_BRIDGE: "0" };
  const process_ = new Lines("/usr/bin/python3", [join(FIXTURES, `${toolkit}.py`), title], {
    ...env,
    ...more,
  });
  const app = fixture(title, process_, () => process_.lines.map((line) => JSON.parse(line) as Event));
  await up(app, process_);
  return app;
}

async function startPage(env: NodeJS.ProcessEnv): Promise<FixtureApp> {
  const events: Event[] = [];
  const server = createServer((request, response) => {
    if (request.method !== "POST") {
      response.setHeader("content-type", "text/html");
      response.end(readFileSync(join(FIXTURES, "page.html")));
      return;
    }
    let body = "";
    request.on("data", (part: Buffer) => {
      body += part.toString("utf8");
    });
    request.on("end", () => {
      events.push(JSON.parse(body) as Event);
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const profile = mkdtempSync(join(tmpdir(), "cua-testkit-web-"));
  const flags = [
    "--no-sandbox",
    "--no-first-run",
    "--disable-gpu",
    "--force-renderer-accessibility",
    "--password-store=basic",
  ];
  const args = [
    ...flags,
    `--user-data-dir=${profile}`,
    "--window-size=700,500",
    `--app=http://127.0.0.1:${port}/`,
  ];
  const process_ = new Lines("chromium", args, env);
  const app = fixture("Fixture page", process_, () => events);
  const stop = async () => {
    await app.stop();
    server.closeAllConnections();
    server.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  };
  const whole = {
    ...app,
    get events() {
      return events;
    },
    stop,
  };
  await up(whole, process_);
  return whole;
}

function fixture(title: string, process_: Lines, read: () => Event[]): FixtureApp {
  const got = async (fields: Partial<Event>, from = 0) => {
    const wanted = Object.entries(fields);
    const end = Date.now() + EVENT_MS;
    for (;;) {
      const found = read()
        .slice(from)
        .find((event) => wanted.every(([name, value]) => event[name] === value));
      if (found !== undefined) return found;
      if (Date.now() > end)
        throw new Error(
          `${title} did not get ${JSON.stringify(fields)}; it got ${JSON.stringify(read().slice(from))}`,
        );
      await sleep(10);
    }
  };
  return {
    title,
    pid: process_.child.pid ?? 0,
    get events() {
      return read();
    },
    got,
    order: async (order) => {
      const from = read().length;
      process_.write(JSON.stringify(order));
      await got({ event: "did", do: order.do }, from);
    },
    stop: () => process_.kill(),
  };
}

async function up(app: FixtureApp, process_: Lines): Promise<void> {
  const ready = async () => {
    while (!app.events.some((event) => event.event === "ready")) {
      if (process_.child.exitCode !== null) throw new Error(`${app.title} ended: ${process_.stderr}`);
      await sleep(20);
    }
  };
  await within(UP_MS, ready()).catch(async (error: unknown) => {
    await app.stop();
    throw error;
  });
}
