/** A recording is replayed in a restarted application, and what is secret is in no byte of it. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Driver } from "@cua-driver/sdk";
import { afterAll, beforeAll, expect, it } from "vitest";
import { act, look, named } from "../support/acts.js";
import { type Scene, type Toolkit, until, World } from "../support/world.js";

const CANARY = "canary-7f3a-Yellow";
const NAMED = "named-canary-51c2";
let world: World;
let driver: Driver;
beforeAll(async () => {
  world = await World.start({ login: NAMED });
  driver = await world.driver();
});
afterAll(() => world[Symbol.asyncDispose]());

function files(dir: string): string[] {
  return readdirSync(dir, { withFileTypes: true }).flatMap((e) =>
    e.isDirectory() ? files(join(dir, e.name)) : [join(dir, e.name)],
  );
}

const json = (path: string) => JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>;

/** Type a name, tick the box, press OK; recorded. */
async function record(kind: Toolkit, dir: string, title: string): Promise<void> {
  const scene = await world.open(kind, title);
  const target = await world.window(driver, scene);
  await driver.raw("start_recording", { output_dir: dir });
  const seen = await look(driver, target);
  const acts: [string, object][] = [
    ["type_text", { element_token: named(seen, "Name", "textbox").element_token, text: "Ada" }],
    ["click", { element_token: named(seen, "Agree", "checkbox").element_token }],
    ["click", { element_token: named(seen, "OK", "button").element_token }],
  ];
  for (const [tool, args] of acts) expect((await act(driver, tool, args)).code).toBeUndefined();
  await driver.raw("stop_recording");
  scene.child.kill("SIGKILL");
  await until("its window is gone", async () => {
    const { windows } = (await driver.raw("list_windows")).structured as unknown as {
      windows: { title: string }[];
    };
    return windows.some((w) => w.title === title) ? undefined : true;
  });
}

interface Replayed {
  status?: string;
  turns?: { status: string; code?: string; differences: { at: string }[] }[];
}

async function replay(dir: string, more: object = {}): Promise<Replayed> {
  const { structured } = await driver.raw("replay_trajectory", { dir, delay_ms: 0, ...more });
  return structured as unknown as Replayed;
}

const told = (scene: Scene) =>
  scene
    .since(0)
    .filter((t) => ["clicked", "checked"].includes(t.what) || (t.what === "text" && t.text === "Ada"))
    .map((t) => `${t.what} ${t.name}`);

it("writes whole turns that say how to find their target again", async () => {
  const dir = join(world.dir, "whole");
  await record("gtk3", dir, "Whole");
  expect(json(join(dir, "session.json"))).toMatchObject({ schema: "cua-trajectory", end_reason: "stopped" });
  const turns = readdirSync(dir).filter((n) => n.startsWith("turn-"));
  expect(turns).toEqual(["turn-00001", "turn-00002", "turn-00003"]);
  for (const turn of turns) {
    const here = readdirSync(join(dir, turn));
    for (const name of [
      "action.json",
      "before_state.json",
      "app_state.json",
      "evidence.json",
      "before.png",
      "screenshot.png",
    ])
      expect(here, turn).toContain(name);
  }
  const click = json(join(dir, "turn-00003", "action.json"));
  expect(click).toMatchObject({ tool: "click" });
  expect(JSON.stringify(click.target)).toContain('"OK"');
  expect(statSync(dir).mode & 0o77).toBe(0);
});

it.each<Toolkit>(["gtk3", "gtk4", "qt"])(
  "replays in a restarted %s application that has changed",
  async (kind) => {
    const dir = join(world.dir, `replay-${kind}`);
    await record(kind, dir, `Replay ${kind}`);
    const again = await world.open(kind, `*Replay ${kind}`);
    await again.order({ do: "insert", name: "New" });
    const result = await replay(dir);
    expect(
      result.turns?.map((t) => t.status),
      JSON.stringify(result),
    ).not.toContain("failed");
    expect(result.turns).toHaveLength(3);
    await again.hears("OK", (t) => t.what === "clicked");
    expect(told(again)).toEqual(["text Name", "checked Agree", "clicked OK"]);
    again.child.kill("SIGKILL");
  },
);

it.each<[string, (html: string) => string, string, boolean]>([
  ["is as it was", (html) => html, "clicked OK", true],
  [
    "has a button more",
    (html) => html.replace("<button", "<button>New</button><button"),
    "clicked OK",
    false,
  ],
  [
    "is translated in part",
    (html) => html.replace(">OK<", ">Gut<").replace(">Delete<", ">Weg<"),
    "clicked Gut",
    false,
  ],
])("replays a page in a new Chromium that %s", async (what, edit, clicked, same) => {
  const dir = join(world.dir, `page-${what}`);
  await record("page", dir, "Replay page");
  const again = await world.open("page", "Replay page", edit);
  try {
    await world.window(driver, again);
    const { turns = [] } = await replay(dir);
    expect(turns.map((t) => t.status)).not.toContain("failed");
    // The page comes from another port each time.
    const differences = turns.flatMap((t) => t.differences).filter((d) => !d.at.includes("Address"));
    expect(differences.length === 0, JSON.stringify(differences)).toBe(same);
    await again.hears(clicked, (t) => t.what === "clicked");
    expect(told(again)).toEqual(["text Name", "checked Agree", clicked]);
  } finally {
    again.child.kill("SIGKILL");
  }
});

it("acts on nothing in a dry run, and stops where the target is gone", async () => {
  const dir = join(world.dir, "gone");
  await record("gtk3", dir, "Gone");
  const again = await world.open("gtk3", "Gone");
  expect((await replay(dir, { dry_run: true })).turns?.map((t) => t.status)).not.toContain("failed");
  expect(told(again)).toEqual([]);
  await again.order({ do: "remove", name: "OK" });
  const result = await replay(dir, { wait_ms: 500 });
  expect(result.turns?.at(-1)).toMatchObject({ status: "failed", code: "replay_target_missing" });
  expect(told(again)).not.toContain("clicked OK");
  again.child.kill("SIGKILL");
});

it("never takes the first of two alike", async () => {
  const dir = join(world.dir, "twins");
  await record("gtk3", dir, "Twins");
  const one = await world.open("gtk3", "Twins");
  const two = await world.open("gtk3", "Twins");
  const result = await replay(dir, { wait_ms: 500 });
  expect(result.turns?.[0]).toMatchObject({ status: "failed", code: "replay_target_ambiguous" });
  expect([...told(one), ...told(two)]).toEqual([]);
  one.child.kill("SIGKILL");
  two.child.kill("SIGKILL");
});

it.each<Toolkit>(["gtk3", "gtk4", "qt", "page"])("keeps secrets of %s out of every byte", async (kind) => {
  const dir = join(world.dir, `secret-${kind}`);
  const scene = await world.open(kind, `Secret ${kind}`);
  const target = await world.window(driver, scene);
  await driver.raw("start_recording", { output_dir: dir });
  const answers: string[] = [];
  const keep = async (tool: string, args: object) =>
    answers.push(JSON.stringify(await act(driver, tool, args)));
  const field = async (label: string) => named(await look(driver, target), label, "textbox").element_token;
  await keep("type_text", { element_token: await field("Secret"), text: CANARY });
  await keep("type_text", { element_token: await field("Name"), secret: "login" });
  const state = await driver.raw("get_window_state", target);
  answers.push(JSON.stringify(state.structured), state.text);
  await driver.raw("stop_recording");
  await until("the password", () => (scene.text("Secret") === CANARY ? true : undefined), 5_000);
  await until("the named secret", () => (scene.text("Name") === NAMED ? true : undefined), 5_000);
  const written = files(dir);
  expect(written.length).toBeGreaterThan(5);
  for (const secret of [CANARY, NAMED]) {
    for (const path of written)
      expect(readFileSync(path).includes(secret), `${secret} is in ${path}`).toBe(false);
    expect(answers.join().includes(secret), `${secret} was answered`).toBe(false);
    expect(world.daemon.log().includes(secret), `${secret} is in the log`).toBe(false);
  }
  scene.child.kill("SIGKILL");
});

it("refuses an unknown secret and types nothing", async () => {
  const scene = await world.open("gtk3");
  const seen = await look(driver, await world.window(driver, scene));
  const outcome = await act(driver, "type_text", {
    element_token: named(seen, "Name", "textbox").element_token,
    secret: "nobody",
  });
  expect(outcome.code).toBe("secret_required");
  expect(scene.text("Name")).toBeUndefined();
  scene.child.kill();
});

it.each([
  ["a path outside", { output_dir: "/etc/cua-driver-test" }, "path_not_allowed"],
  ["a relative path", { output_dir: "here" }, "path_not_allowed"],
  ["no path", {}, "invalid_arguments"],
])("refuses to record to %s", async (_, args, code) => {
  expect((await act(driver, "start_recording", args)).code).toBe(code);
});

it("refuses a second recording and a full folder", async () => {
  const dir = join(world.dir, "twice");
  await driver.raw("start_recording", { output_dir: dir });
  expect((await act(driver, "start_recording", { output_dir: join(world.dir, "other") })).code).toBe(
    "recording_active",
  );
  await driver.raw("stop_recording");
  expect((await act(driver, "start_recording", { output_dir: dir })).code).toBe("recording_exists");
  expect((await act(driver, "stop_recording", {})).code).toBe("not_recording");
});

/** A file system of its own, so small that it is full after a few turns. */
it.skipIf(process.getuid?.() !== 0)("goes on and says so when the disk is full", async () => {
  const disk = join(world.dir, "small");
  mkdirSync(disk);
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=300k,mode=700", "tmpfs", disk]);
  try {
    const scene = await world.open("gtk3", "Full");
    const target = await world.window(driver, scene);
    const dir = join(disk, "run");
    await driver.raw("start_recording", { output_dir: dir });
    const ok = named(await look(driver, target), "OK", "button").element_token;
    for (let i = 0; i < 20; i += 1)
      expect((await act(driver, "click", { element_token: ok })).code).toBeUndefined();
    const { structured } = await driver.raw("stop_recording");
    const state = structured as unknown as { last_error: string; turns: number };
    expect(state.last_error).toMatch(/full/);
    expect(told(scene).filter((t) => t === "clicked OK")).toHaveLength(20);
    const turns = readdirSync(dir).filter((n) => n.startsWith("turn-"));
    expect(turns.length).toBe(state.turns);
    expect(turns.length).toBeGreaterThan(0);
    expect(turns.length).toBeLessThan(20);
    // What is there is whole: every turn can be read, and so can the session.
    for (const turn of turns) expect(json(join(dir, turn, "action.json"))).toMatchObject({ tool: "click" });
    const session = json(join(dir, "session.json"));
    expect(session).toMatchObject({ schema: "cua-trajectory", end_reason: "stopped" });
    expect(Object.keys(session.lost_turns as object).length + turns.length).toBe(20);
    scene.child.kill("SIGKILL");
  } finally {
    execFileSync("umount", ["--lazy", disk]);
  }
});

it("marks where the video took no frames", async () => {
  const dir = join(world.dir, "gap");
  await driver.raw("start_recording", { output_dir: dir, record_video: true });
  const encoder = childrenOf(world.daemon.pid, "ffmpeg");
  expect(encoder).toHaveLength(1);
  await sleep(800);
  const from = Date.now();
  for (const pid of encoder) process.kill(pid, "SIGSTOP");
  await sleep(1_000);
  for (const pid of encoder) process.kill(pid, "SIGCONT");
  const stalled = Date.now() - from;
  await sleep(800);
  const { structured } = await driver.raw("stop_recording");
  const lines = readFileSync(join(dir, "events.jsonl"), "utf8").trim().split("\n");
  const gaps = lines.map((l) => JSON.parse(l) as Gap).filter((e) => e.event === "gap");
  const frames = gaps.reduce((sum, g) => sum + Number(/(\d+) frames/.exec(g.reason)?.[1] ?? 0), 0);
  expect(frames * 33, JSON.stringify(gaps)).toBeGreaterThan(stalled * 0.7);
  const probe = ["-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0"];
  const seconds = execFileSync("ffprobe", [...probe, join(dir, "recording.mp4")], { encoding: "utf8" });
  const { video } = structured as unknown as { video: { start_ms: number; end_ms: number } };
  expect(Math.abs(Number(seconds) * 1000 - (video.end_ms - video.start_ms))).toBeLessThan(500);
});

interface Gap {
  event: string;
  reason: string;
}

/** Processes of this name that one started. */
function childrenOf(parent: number, name: string): number[] {
  const of = (pid: string) => {
    try {
      return readFileSync(`/proc/${pid}/stat`, "utf8");
    } catch {
      return "";
    }
  };
  return readdirSync("/proc")
    .filter((p) => /^\d+$/.test(p) && of(p).includes(`(${name}) `))
    .filter((p) => Number(of(p).split(") ")[1]?.split(" ")[1]) === parent)
    .map(Number);
}
