/** One table over four ways in: the same refusals, the same results. The addon comes from its packed tarball. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Driver, Refused } from "@cua-driver/sdk";
import { BINARY, Lines } from "@cua-driver/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { look, named } from "../support/acts.js";
import { type Scene, World } from "../support/world.js";

interface Answer {
  refusal?: { code: string; message: string; hint: string; details: unknown };
  result?: unknown;
}
type Way = (tool: string, args: object) => Promise<Answer>;

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
let world: World;
let scene: Scene;
let window: { pid: number; window_id: number };
let ended: string;
const ways: Record<string, Way> = {};
const ends: (() => Promise<unknown> | unknown)[] = [];

beforeAll(async () => {
  world = await World.start();
  scene = await world.open("gtk3");
  const driver = await world.driver("ways");
  window = await world.window(driver, scene);
  ended = named(await look(await world.driver(), window), "OK").element_token;
  ways.sdk = sdk(driver);
  ways.cli = cli();
  ways.mcp = await mcp();
  ways.addon = await addon();
}, 180_000);
afterAll(async () => {
  for (const end of ends.reverse()) await end();
  await world[Symbol.asyncDispose]();
});

function sdk(driver: Driver): Way {
  return async (tool, args) => {
    try {
      return { result: (await driver.raw(tool, args)).structured };
    } catch (error) {
      if (error instanceof Refused) return { refusal: error.envelope };
      throw error;
    }
  };
}

function cli(): Way {
  return async (tool, args) => {
    const { code, stdout, stderr } = await world.cli([
      "call",
      tool,
      JSON.stringify(args),
      "--json",
      "--session",
      "ways",
    ]);
    if (stdout.trim() === "") throw new Error(`exit ${code}, nothing on standard output: ${stderr}`);
    const value = JSON.parse(stdout) as Record<string, unknown>;
    return code === 0 ? { result: value } : { refusal: value as unknown as NonNullable<Answer["refusal"]> };
  };
}

async function mcp(): Promise<Way> {
  const host = new Lines(BINARY, ["mcp", "--socket", world.socket, "--session", "ways"], world.env);
  ends.push(() => host.kill());
  // A host that sends no `initialized` and no parameters.
  await host.answer(host.send("initialize", {}), 30_000);
  return async (tool, args) => {
    const { result } = await host.answer(host.send("tools/call", { name: tool, arguments: args }), 30_000);
    const r = result as { isError?: boolean; structuredContent?: unknown; _meta?: Record<string, unknown> };
    const refusal = r._meta?.["cua-driver/refusal"] as NonNullable<Answer["refusal"]> | undefined;
    return refusal === undefined ? { result: r.structuredContent } : { refusal };
  };
}

/** Packs the addon, installs the tarball into an empty folder and runs it there, on the same desktop. */
async function addon(): Promise<Way> {
  const dir = join(world.dir, "addon");
  mkdirSync(dir);
  const packed = execFileSync(
    "npm",
    ["pack", "--silent", "-w", "@cua-driver/node", "--pack-destination", dir],
    {
      cwd: ROOT,
      encoding: "utf8",
    },
  );
  const tarball = packed.trim().split("\n").at(-1) ?? "";
  writeFileSync(join(dir, "package.json"), '{ "name": "empty", "private": true, "type": "module" }\n');
  execFileSync("npm", ["install", "--silent", "--no-audit", "--no-fund", "--offline", join(dir, tarball)], {
    cwd: dir,
  });
  writeFileSync(
    join(dir, "serve.js"),
    `import { createInterface } from "node:readline";
import { open } from "@cua-driver/node";
const driver = await open({ guardian: process.argv[2], session: "ways" });
for await (const line of createInterface({ input: process.stdin })) {
  const { id, tool, args } = JSON.parse(line);
  const { reply, refusal } = await driver.call(id, tool, JSON.stringify(args), 0);
  const answer = refusal
    ? { refusal: { code: refusal.code, message: refusal.message, hint: refusal.hint, details: JSON.parse(refusal.detailsJson) } }
    : { result: JSON.parse(reply.structuredJson) };
  console.log(JSON.stringify({ id, result: answer }));
}
await driver.close();
`,
  );
  const host = new Lines(process.execPath, [join(dir, "serve.js"), BINARY], world.env);
  ends.push(() => host.kill());
  let id = 0;
  return async (tool, args) => {
    id += 1;
    host.write(JSON.stringify({ id, tool, args }));
    return (await host.answer(id, 30_000)).result as Answer;
  };
}

type Row = [what: string, tool: string, args: () => object, code: string];
const gone = { window_id: 4_000_000_001 };
const refusals: Row[] = [
  ["an unknown tool", "clikc", () => ({}), "invalid_arguments"],
  ["an unknown argument", "list_windows", () => ({ pdi: 1 }), "invalid_arguments"],
  ["a missing argument", "press_key", () => window, "invalid_arguments"],
  ["a mistyped argument", "click", () => ({ ...window, x: "ten", y: 1 }), "invalid_arguments"],
  ["an argument out of range", "click", () => ({ ...window, x: 1, y: 1, count: 9 }), "invalid_arguments"],
  [
    "an unknown word",
    "click",
    () => ({ ...window, x: 1, y: 1, delivery_mode: "sideways" }),
    "invalid_arguments",
  ],
  ["a bare index", "click", () => ({ ...window, element_index: 3 }), "snapshot_id_required"],
  ["a token that is none", "click", () => ({ element_token: "OK" }), "invalid_element_token"],
  ["a token of nobody", "click", () => ({ element_token: "s00000000:3" }), "stale_element_token"],
  ["a token of another session", "click", () => ({ element_token: ended }), "stale_element_token"],
  [
    "token and point together",
    "click",
    () => ({ element_token: ended, x: 1, y: 1 }),
    "conflicting_element_target",
  ],
  [
    "a window that is not",
    "get_window_state",
    () => ({ ...gone, pid: window.pid }),
    "window_target_not_found",
  ],
  [
    "another process's window",
    "click",
    () => ({ ...window, pid: 1, x: 5, y: 5 }),
    "window_owner_pid_mismatch",
  ],
  [
    "a process without windows",
    "press_key",
    () => ({ pid: process.pid, key: "a" }),
    "window_target_not_found",
  ],
  ["an unknown key", "press_key", () => ({ ...window, key: "Retrun" }), "invalid_arguments"],
  ["a menu that is not", "invoke_menu", () => ({ ...window, path: ["Nowhere"] }), "menu_path_unavailable"],
  ["a recording that is none", "replay_trajectory", () => ({ dir: world.dir }), "trajectory_invalid"],
  ["a folder outside", "start_recording", () => ({ output_dir: "/proc/x" }), "path_not_allowed"],
  ["nothing to stop", "stop_recording", () => ({}), "not_recording"],
  ["no such application", "launch_app", () => ({ name: "no such application" }), "invalid_arguments"],
  ["no such secret", "type_text", () => ({ ...window, secret: "nobody" }), "secret_required"],
];

/** What differs by nature between two calls, or between two engines. */
function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value)
      .replace(/s[0-9a-f]{8}(:\d+)?/g, "TOKEN")
      .replace(/"elapsed_ms":\d+/g, '"elapsed_ms":0'),
  );
}

describe("refusals", () => {
  it.each(refusals)("%s", async (_, tool, args, code) => {
    const from = scene.since(0).length;
    const want = await ways.sdk?.(tool, args());
    expect(want?.refusal?.code, JSON.stringify(want)).toBe(code);
    expect(want?.refusal?.message).not.toBe("");
    expect(want?.refusal?.hint).not.toBe("");
    for (const [name, way] of Object.entries(ways)) {
      // The command line knows the tools by itself and calls an unknown one a wrong usage.
      if (name === "cli" && tool === "clikc") continue;
      expect(plain((await way(tool, args())).refusal), name).toEqual(plain(want?.refusal));
    }
    expect(scene.since(0)).toHaveLength(from);
  });
});

describe("results", () => {
  it.each([
    ["get_screen_size", () => ({})],
    ["get_cursor_position", () => ({})],
    ["get_recording_state", () => ({})],
    ["list_windows", () => ({})],
    ["get_window_state", () => ({ ...window, include_screenshot: false })],
  ])("%s", async (tool, args: () => object) => {
    const want = plain((await ways.sdk?.(tool, args()))?.result);
    expect(want).toBeInstanceOf(Object);
    for (const [name, way] of Object.entries(ways))
      expect(plain((await way(tool, args())).result), name).toEqual(want);
  });
});

describe("acts", () => {
  it.each(["sdk", "cli", "mcp", "addon"])("presses a button by token over %s", async (name) => {
    const way = ways[name] as Way;
    const { result } = await way("get_window_state", { ...window, include_screenshot: false });
    const { elements } = result as { elements: { label?: string; role: string; element_token: string }[] };
    const ok = elements.find((e) => e.label === "OK" && e.role === "button");
    const from = scene.told.length;
    const outcome = await way("click", { element_token: ok?.element_token });
    expect(outcome.refusal).toBeUndefined();
    await scene.hears("one click", (t) => t.what === "clicked" && t.name === "OK", from);
    expect(scene.since(from).filter((t) => t.what === "clicked")).toHaveLength(1);
  });
});
