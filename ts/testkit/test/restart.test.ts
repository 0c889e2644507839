/** A driver that dies under its clients: the next call meets a new one, which takes nothing of the old one's. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Driver, Unreachable } from "@cua-driver/sdk";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Scene, World } from "../../e2e/support/world.js";
import { BINARY, Lines, within } from "../src/index.js";

let world: World;
let scene: Scene;
const folder = mkdtempSync(join(tmpdir(), "cua-restart-"));
const socket = join(folder, "d.sock");

beforeAll(async () => {
  world = await World.start();
  scene = await world.open("gtk3");
}, 90_000);

afterAll(async () => {
  await world[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

interface Result {
  isError?: boolean;
  structuredContent?: Record<string, unknown>;
  _meta?: Record<string, { code?: string }>;
}

test("a killed driver is started again by the MCP server, and old tokens are refused", async () => {
  const host = new Lines(BINARY, ["mcp", "--socket", socket], world.env);
  const call = async (name: string, args: object = {}) =>
    (await host.ask("tools/call", { name, arguments: args })).result as unknown as Result;
  try {
    await host.ask("initialize", {});
    const token = await tokenOfOk(async (name, args) => (await call(name, args)).structuredContent ?? {});
    const first = await pidOf(world.env);
    process.kill(first, "SIGKILL");
    await expect
      .poll(async () => (await call("get_config")).isError ?? false, { timeout: 20_000 })
      .toBe(false);
    expect(await pidOf(world.env)).not.toBe(first);
    const from = scene.told.length;
    const click = await call("click", { element_token: token });
    expect(click._meta?.["cua-driver/refusal"]?.code).toBe("stale_element_token");
    expect(scene.since(from).filter((t) => t.what === "clicked")).toHaveLength(0);
    host.child.stdin.end();
    expect((await within(10_000, host.exited)).code).toBe(0);
  } finally {
    await host.kill();
  }
});

test("a call in flight when its driver is killed is Unreachable, at once", async () => {
  const other = join(folder, "other.sock");
  const daemon = new Lines(BINARY, ["serve", "--socket", other], world.env);
  await daemon.line(/serves/);
  const driver = await Driver.connect({ socket: other, start: "never" });
  const expectation = [{ window: { exists: false } }];
  const at = await world.window(driver, scene);
  const waiting = driver.raw("wait_for", { ...at, expect: expectation, timeout_ms: 60_000 });
  const fate = expect(waiting).rejects.toBeInstanceOf(Unreachable);
  await new Promise((resolve) => setTimeout(resolve, 300));
  await daemon.kill();
  await within(5_000, fate);
  await driver.close();
});

test("what an engine in a killed process held down is let go", async () => {
  const host = new Lines(BINARY, ["mcp", "--direct"], world.env);
  try {
    await host.ask("initialize", {});
    const at = {
      from_x: 20,
      from_y: 380,
      to_x: 300,
      to_y: 390,
      duration_ms: 9_000,
      delivery_mode: "foreground",
    };
    const { structuredContent } = (await host.ask("tools/call", { name: "list_windows", arguments: {} }))
      .result as {
      structuredContent: { windows: { title: string; window_id: number }[] };
    };
    const window_id = structuredContent.windows.find((one) => one.title === scene.title)?.window_id;
    host.send("tools/call", { name: "drag", arguments: { window_id, ...at } });
    await expect.poll(() => buttonDown(world.env), { timeout: 10_000 }).toBe(true);
    host.child.kill("SIGKILL");
    await expect.poll(() => buttonDown(world.env), { timeout: 5_000 }).toBe(false);
  } finally {
    await host.kill();
  }
});

/** Whether the first button of the person's pointer is down, as the X server says. */
async function buttonDown(env: NodeJS.ProcessEnv): Promise<boolean> {
  const ask =
    "from Xlib import X, display; print(display.Display().screen().root.query_pointer().mask & X.Button1Mask)";
  const python = new Lines("/usr/bin/python3", ["-c", ask], env);
  await within(10_000, python.exited);
  return Number(python.lines[0]) > 0;
}

async function tokenOfOk(
  read: (tool: string, args: object) => Promise<Record<string, unknown>>,
): Promise<unknown> {
  const { windows } = (await read("list_windows", {})) as {
    windows: { title: string; window_id: number; pid: number }[];
  };
  const at = windows.find((one) => one.title === scene.title);
  const args = { pid: at?.pid, window_id: at?.window_id, include_screenshot: false };
  const { elements } = (await read("get_window_state", args)) as {
    elements: { label?: string; element_token: string }[];
  };
  const ok = elements.find((one) => one.label === "OK");
  expect(ok).toBeDefined();
  return ok?.element_token;
}

async function pidOf(env: NodeJS.ProcessEnv): Promise<number> {
  const status = new Lines(BINARY, ["status", "--json", "--socket", socket], env);
  await within(20_000, status.exited);
  return (JSON.parse(status.lines.join("")) as { pid: number }).pid;
}
