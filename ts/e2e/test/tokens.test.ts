/** A token acts on the object it was minted for, or is refused: told by the windows themselves. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Driver } from "@cua-driver/sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { act, look, named } from "../support/acts.js";
import { type Scene, type Toolkit, World } from "../support/world.js";

let world: World;
let driver: Driver;
beforeAll(async () => {
  world = await World.start();
  driver = await world.driver();
});
afterAll(() => world[Symbol.asyncDispose]());

const clicks = (scene: Scene, from: number) =>
  scene
    .since(from)
    .filter((t) => t.what === "clicked")
    .map((t) => t.name);

interface Case {
  change: string;
  order: { do: string; name: string; to?: string };
  /** What a click on the token of OK may come to: this button, or a refusal. */
  may: (outcome: { code?: string | undefined }, clicked: string[]) => boolean;
}

const pressed = (outcome: { code?: string | undefined }, clicked: string[]) =>
  outcome.code === undefined && clicked.join() === "OK";
const refusedAs =
  (...codes: string[]) =>
  (outcome: { code?: string | undefined }, clicked: string[]) =>
    outcome.code !== undefined && codes.includes(outcome.code) && clicked.length === 0;

const cases: Case[] = [
  { change: "a button is inserted before it", order: { do: "insert", name: "New" }, may: pressed },
  { change: "another one is removed", order: { do: "remove", name: "Delete" }, may: pressed },
  { change: "it is removed", order: { do: "remove", name: "OK" }, may: refusedAs("stale_element_token") },
  {
    change: "an alike one takes its place",
    order: { do: "twin", name: "OK" },
    may: refusedAs("stale_element_token"),
  },
  {
    change: "it is renamed",
    order: { do: "rename", name: "OK", to: "Erase" },
    may: refusedAs("stale_element_token"),
  },
  { change: "it is disabled", order: { do: "disable", name: "OK" }, may: refusedAs("element_disabled") },
  {
    change: "it is hidden",
    order: { do: "hide", name: "OK" },
    may: refusedAs("element_not_visible", "stale_element_token"),
  },
];

describe.each<Toolkit>(["gtk3", "gtk4", "qt"])("%s", (kind) => {
  it.each(cases)("clicks the same button or none when $change", async ({ order, may }) => {
    const scene = await world.open(kind);
    const target = await world.window(driver, scene);
    const ok = named(await look(driver, target), "OK", "button");
    await scene.order(order);
    const from = scene.told.length;
    const outcome = await act(driver, "click", { element_token: ok.element_token });
    if (outcome.code === undefined) await scene.hears("a click", (t) => t.what === "clicked", from);
    const clicked = clicks(scene, from);
    expect(
      may(outcome, clicked),
      `${JSON.stringify(outcome)} and the window says ${JSON.stringify(clicked)}`,
    ).toBe(true);
    scene.child.kill();
  });

  it("keeps the number of an object and names its newer token", async () => {
    const scene = await world.open(kind);
    const target = await world.window(driver, scene);
    const before = named(await look(driver, target), "Delete", "button");
    await scene.order({ do: "insert", name: "New" });
    const after = named(await look(driver, target), "Delete", "button");
    expect(after.element_index).toBe(before.element_index);
    const outcome = await act(driver, "click", { element_token: before.element_token });
    expect(outcome).toMatchObject({
      code: "stale_element_token",
      details: { current_token: after.element_token },
    });
    scene.child.kill();
  });
});

it.each<Toolkit>(["gtk3", "gtk4", "qt"])("takes no counter beside it for an effect: %s", async (kind) => {
  const scene = await world.open(kind);
  const target = await world.window(driver, scene);
  const seen = await look(driver, target);
  await scene.order({ do: "count", name: "Delete", every: 80 });
  // What changes by itself is known once it was seen.
  await sleep(1500);
  const ok = { element_token: named(seen, "OK", "button").element_token };
  const agree = { element_token: named(seen, "Agree").element_token };
  for (let n = 0; n < 3; n++) {
    const from = scene.told.length;
    expect((await act(driver, "click", ok)).effect).toBe("unverifiable");
    await scene.hears("the click", (t) => t.what === "clicked" && t.name === "OK", from);
    expect((await act(driver, "click", agree)).effect).toBe("confirmed");
    expect((await act(driver, "press_key", { ...target, key: "F5" })).effect).not.toBe("confirmed");
  }
  scene.child.kill();
});

it("does not click an element that lies under another one of its window", async () => {
  const scene = await world.open("gtk3");
  const target = await world.window(driver, scene);
  await scene.order({ do: "cover", name: "Lid" });
  const seen = await look(driver, target);
  const from = scene.told.length;
  for (const [tool, args] of [
    ["double_click", {}],
    ["click", { delivery_mode: "foreground" }],
  ] as const) {
    const outcome = await act(driver, tool, { element_token: named(seen, "OK").element_token, ...args });
    expect(outcome).toMatchObject({
      code: "element_not_visible",
      details: { occluded_by: { role: "button", label: "Lid" } },
    });
  }
  await act(driver, "double_click", { element_token: named(seen, "Lid").element_token });
  await scene.hears("the lid", (t) => t.what === "pressed" && t.name === "Lid", from);
  expect(scene.since(from).filter((t) => t.name === "OK")).toEqual([]);
  scene.child.kill();
});

it("keeps sessions apart", async () => {
  const scene = await world.open("gtk3");
  const target = await world.window(driver, scene);
  const mine = named(await look(driver, target), "OK", "button");
  const other = await world.driver();
  await look(other, target);
  const stolen = await act(other, "click", { element_token: mine.element_token });
  expect(stolen.code).toMatch(/element_token/);
  const from = scene.told.length;
  expect((await act(driver, "click", { element_token: mine.element_token })).code).toBeUndefined();
  await scene.hears("one click", (t) => t.what === "clicked" && t.name === "OK", from);
  scene.child.kill();
});

it("refuses yesterday's token of another driver", async () => {
  const scene = await world.open("gtk3");
  const target = await world.window(driver, scene);
  const old = named(await look(driver, target), "OK", "button").element_token;
  const next = await World.start();
  try {
    const fresh = await next.driver();
    const own = await next.open("gtk3");
    await look(fresh, await next.window(fresh, own));
    const from = own.told.length;
    expect((await act(fresh, "click", { element_token: old })).code).toMatch(/element_token/);
    expect(clicks(own, from)).toEqual([]);
  } finally {
    await next[Symbol.asyncDispose]();
  }
  scene.child.kill();
});

it("does not take one window for another of the same process", async () => {
  const scene = await world.open("gtk3");
  const target = await world.window(driver, scene);
  await scene.order({ do: "dialog", name: "Question" });
  const { code, details } = await act(driver, "press_key", { pid: target.pid, key: "a" });
  expect(code).toBe("ambiguous_window_target");
  expect((details as { candidates: unknown[] }).candidates).toHaveLength(2);
  scene.child.kill();
});
