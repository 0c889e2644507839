/** A host that was wired for the older driver: its flags, its hello, its names, its fields. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Scene, World } from "../../e2e/support/world.js";
import { BINARY, Lines } from "../src/index.js";

interface Answer {
  isError?: boolean;
  content: { type: string; text?: string; mimeType?: string }[];
  structuredContent?: Record<string, unknown>;
  _meta?: Record<string, { code?: string }>;
}

let world: World;
let serve: Lines;
let host: Lines;
let scene: Scene;
const ends: (() => Promise<unknown>)[] = [];
const folder = mkdtempSync(join(tmpdir(), "cua-older-"));
const socket = join(folder, "cua-driver.sock");

beforeAll(async () => {
  world = await World.start();
  ends.push(() => world[Symbol.asyncDispose]());
  // A display has one daemon of its own here, and the host brings a second one at its own socket.
  const flags = [
    "--no-permissions-gate",
    "--no-overlay",
    "--embedded",
    "--host-bundle-id",
    "com.example.host",
  ];
  serve = new Lines(BINARY, ["serve", "--socket", socket, ...flags], world.env);
  ends.push(() => serve.kill());
  await serve.line(new RegExp(socket));
  host = new Lines(
    BINARY,
    ["mcp", "--socket", socket, "--embedded", "--host-bundle-id", "com.example.host"],
    world.env,
  );
  ends.push(() => host.kill());
  await host.ask("initialize", {}, 0);
  scene = await world.open("gtk3");
}, 90_000);

afterAll(async () => {
  for (const end of ends.reverse()) await end();
  rmSync(folder, { recursive: true, force: true });
});

async function call(name: string, args: object = {}): Promise<Answer> {
  return (await host.ask("tools/call", { name, arguments: args })).result as unknown as Answer;
}

async function window(): Promise<{ pid: number; window_id: number }> {
  const { structuredContent } = await call("list_windows");
  const rows = structuredContent?.windows as Record<string, unknown>[];
  const row = rows.find((one) => one.title === scene.title);
  for (const field of ["window_id", "pid", "app_name", "title", "bounds", "z_index", "is_on_screen"])
    expect(row, field).toHaveProperty(field);
  return { pid: Number(row?.pid), window_id: Number(row?.window_id) };
}

test("a snapshot has the fields that hosts read, and its tokens act", async () => {
  const at = await window();
  const snapshot = await call("get_window_state", { ...at, capture_mode: "som" });
  for (const field of ["snapshot_id", "window_id", "pid", "element_count", "elements", "elements_complete"])
    expect(snapshot.structuredContent, field).toHaveProperty(field);
  expect(snapshot.content.map((block) => block.type)).toEqual(["text", "image"]);
  const rows = snapshot.structuredContent?.elements as {
    label?: string;
    element_token: string;
    frame: object;
  }[];
  const ok = rows.find((row) => row.label === "OK");
  expect(ok?.frame).toMatchObject({ x: expect.any(Number), w: expect.any(Number) });
  const from = scene.told.length;
  const click = await call("click", {
    pid: at.pid,
    element_token: ok?.element_token,
    dispatch: "background",
    cursor_id: "a",
  });
  expect(click.isError).toBeFalsy();
  expect(click.structuredContent).toHaveProperty("effect");
  await scene.hears("one click", (t) => t.what === "clicked" && t.name === "OK", from);
});

test("arguments of older hosts are taken: scope, modifier, hidden underscores", async () => {
  const at = await window();
  expect((await call("list_windows", { _session_id: "x" })).isError).toBeFalsy();
  const scoped = await call("press_key", { ...at, key: "shift", scope: "window" });
  expect(scoped._meta?.["cua-driver/refusal"]?.code).not.toBe("invalid_arguments");
  const desktop = await call("get_desktop_state");
  for (const field of ["platform", "screenshot_width", "screenshot_height", "screenshot_mime_type"])
    expect(desktop.structuredContent, field).toHaveProperty(field);
});

test("a host that sends one at a time gets one line each, in order", async () => {
  const from = host.lines.length;
  const tools = ["get_screen_size", "list_windows", "get_cursor_position", "get_config", "list_apps"];
  for (const [i, name] of tools.entries()) await host.ask("tools/call", { name, arguments: {} }, `n${i}`);
  expect(host.messages.slice(from).map((message) => message.id)).toEqual(tools.map((_, i) => `n${i}`));
});

test("a session label is started, ended and revived", async () => {
  const session = { session: "older" };
  expect((await call("start_session", session)).isError).toBeFalsy();
  expect((await call("end_session", session)).isError).toBeFalsy();
  const ended = await call("list_windows", session);
  expect(ended._meta?.["cua-driver/refusal"]?.code).toBe("session_ended");
  await call("start_session", session);
  expect((await call("list_windows", session)).isError).toBeFalsy();
});
