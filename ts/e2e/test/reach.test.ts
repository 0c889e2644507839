/**
 * What reaches which toolkit under which window manager, with the person's window in front: delivered, refused or
 * wrong, and what became of the person's focus and pointer. The table is written to `out/reach.md`.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Driver } from "@cua-driver/sdk";
import { afterAll, beforeAll, expect, it } from "vitest";
import { act, look, named, type Seen, type Target } from "../support/acts.js";
import { type Scene, type Told, type Toolkit, until, World } from "../support/world.js";

const OUT = fileURLToPath(new URL("../../../out/", import.meta.url));
const MANAGERS: Record<string, string[]> = process.env.CUA_TEST_ALL
  ? {
      openbox: ["openbox", "--replace", "--sm-disable"],
      metacity: ["metacity", "--replace"],
      xfwm4: ["xfwm4", "--replace", "--compositor=off"],
      mutter: ["mutter", "--x11", "--replace"],
      kwin: ["kwin_x11", "--replace"],
    }
  : { openbox: ["openbox", "--replace", "--sm-disable"] };
const KINDS: Toolkit[] = ["gtk3", "gtk4", "qt", "tk", "page"];

interface Try {
  name: string;
  kinds?: Toolkit[];
  acts: (place: Place) => [tool: string, args: object][];
  fits: (told: Told) => boolean;
}

interface Place {
  target: Target;
  token: (label: string, role?: string) => { element_token: string };
  point: (label: string, role?: string) => { x: number; y: number };
}

const hears = (what: string, name: string) => (t: Told) => t.what === what && t.name === name;
const WITH_ELEMENTS: Toolkit[] = ["gtk3", "gtk4", "qt", "page"];
const TRIES: Try[] = [
  {
    name: "button, by element",
    kinds: WITH_ELEMENTS,
    acts: (p) => [["click", p.token("OK")]],
    fits: hears("clicked", "OK"),
  },
  {
    name: "button, by point",
    acts: (p) => [["click", { ...p.target, ...p.point("OK") }]],
    fits: hears("clicked", "OK"),
  },
  {
    name: "check box, by element",
    kinds: WITH_ELEMENTS,
    acts: (p) => [["click", p.token("Agree")]],
    fits: hears("checked", "Agree"),
  },
  {
    name: "slider, by value",
    kinds: WITH_ELEMENTS,
    acts: (p) => [["set_value", { ...p.token("Volume", "slider"), value: "65" }]],
    fits: (t) => t.what === "value" && Number(t.value) === 65,
  },
  {
    name: "text, by element",
    kinds: WITH_ELEMENTS,
    acts: (p) => [["type_text", { ...p.token("Name", "textbox"), text: "Grün ж" }]],
    fits: (t) => t.what === "text" && t.name === "Name" && t.text?.endsWith("Grün ж") === true,
  },
  {
    name: "Return, by element",
    kinds: WITH_ELEMENTS,
    acts: (p) => [["press_key", { ...p.token("Name", "textbox"), key: "Return" }]],
    fits: hears("activated", "Name"),
  },
  {
    name: "text, at a point",
    acts: (p) => [["type_text", { ...p.target, ...p.point("Name", "textbox"), text: "zß1" }]],
    fits: (t) => t.what === "text" && t.name === "Name" && t.text?.includes("zß1") === true,
  },
  {
    name: "wheel",
    kinds: ["gtk3", "gtk4", "qt"],
    acts: (p) => [["scroll", { ...p.target, ...p.point("Volume", "slider"), direction: "up", amount: 2 }]],
    fits: hears("value", "Volume"),
  },
  {
    name: "drag",
    kinds: WITH_ELEMENTS,
    acts: (p) => {
      const { x, y } = p.point("Volume", "slider");
      return [["drag", { ...p.target, from_x: x - 20, from_y: y, to_x: x + 30, to_y: y, duration_ms: 200 }]];
    },
    fits: hears("value", "Volume"),
  },
];

const rows: string[] = [];
let world: World;
let driver: Driver;
let manager: ChildProcess | undefined;
beforeAll(async () => {
  world = await World.start();
  driver = await world.driver();
});
afterAll(async () => {
  manager?.kill();
  await world[Symbol.asyncDispose]();
  mkdirSync(OUT, { recursive: true });
  const acts = TRIES.map((t) => t.name);
  const head = `| window manager | toolkit | ${acts.join(" | ")} |\n|---|---|${acts.map(() => "---|").join("")}\n`;
  writeFileSync(`${OUT}reach.md`, head + rows.join(""));
});

async function manage(command: string[]): Promise<void> {
  manager?.kill();
  manager = spawn(command[0] ?? "", command.slice(1), { env: world.env, stdio: "ignore" });
  const running = manager;
  await sleep(1_500);
  expect(running.exitCode, `${command[0]} ended`).toBeNull();
}

/** A point inside an element, in pixels of its window. */
function middle(seen: Seen, label: string, role?: string): { x: number; y: number } {
  const { window } = seen.structured as unknown as { window: { bounds: { x: number; y: number } } };
  const { frame } = named(seen, label, role) as unknown as {
    frame: { x: number; y: number; w: number; h: number };
  };
  return {
    x: Math.round(frame.x + frame.w / 2 - window.bounds.x),
    y: Math.round(frame.y + frame.h / 2 - window.bounds.y),
  };
}

async function placeOf(scene: Scene): Promise<Place> {
  const target = await world.window(driver, scene);
  const seen = await look(driver, target);
  const tk = (label: string) => (label === "OK" ? { x: 60, y: 25 } : { x: 100, y: 75 });
  return {
    target,
    token: (label, role) => ({ element_token: named(seen, label, role).element_token }),
    point: (label, role) => (scene.kind === "tk" ? tk(label) : middle(seen, label, role)),
  };
}

/** In one word what came of it. */
async function attempt(scene: Scene, one: Try): Promise<{ word: string; refused: boolean }> {
  const place = await placeOf(scene);
  const from = scene.told.length;
  let code: string | undefined;
  for (const [tool, args] of one.acts(place)) code ??= (await act(driver, tool, args)).code;
  const arrived = await until("it", () => scene.told.slice(from).find(one.fits), 1_500).catch(
    () => undefined,
  );
  if (arrived !== undefined) return { word: code === undefined ? "yes" : "WRONG", refused: false };
  return code === undefined ? { word: "WRONG", refused: false } : { word: code, refused: true };
}

it.each(Object.entries(MANAGERS))(
  "reaches every toolkit under %s and disturbs nobody",
  async (name, command) => {
    await manage(command);
    const wrong: string[] = [];
    for (const kind of KINDS) {
      const scene = await world.open(kind);
      const person = await world.open("gtk3", "The person's own");
      await person.hears("it is active", (t) => t.what === "active" && t.on === true);
      // What is covered is another matter: side by side.
      const frames = [
        [scene, { x: 20, y: 40, width: 640, height: 620 }],
        [person, { x: 760, y: 60, width: 440, height: 480 }],
      ] as const;
      for (const [of, frame] of frames)
        await driver.raw("set_window_frame", { ...(await world.window(driver, of)), ...frame });
      await sleep(500);
      const cells: string[] = [];
      for (const one of TRIES) {
        if (one.kinds?.includes(kind) === false) {
          cells.push("–");
          continue;
        }
        const from = person.told.length;
        const before = (await driver.raw("get_cursor_position")).structured;
        const { word, refused } = await attempt(scene, one);
        await sleep(120);
        const after = (await driver.raw("get_cursor_position")).structured;
        const told = person.told.slice(from);
        const focus = told.filter((t) => t.what === "active");
        const kept =
          focus.length === 0 ? "" : focus.at(-1)?.on === true ? ", focus given back" : ", FOCUS TAKEN";
        const strayed = told.some((t) => t.what !== "active" && t.what !== "did");
        const moved = JSON.stringify(before) === JSON.stringify(after) ? "" : ", POINTER MOVED";
        const cell = `${word}${kept}${moved}${strayed ? ", STRAYED" : ""}`;
        cells.push(cell);
        if (/[A-Z]{5}/.test(cell) || refused) wrong.push(`${name} ${kind} ${one.name}: ${cell}`);
      }
      rows.push(`| ${name} | ${kind} | ${cells.join(" | ")} |\n`);
      scene.child.kill("SIGKILL");
      person.child.kill("SIGKILL");
      await sleep(300);
    }
    expect(wrong).toEqual([]);
  },
  240_000,
);
