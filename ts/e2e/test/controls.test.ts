/** Check boxes, combo boxes, menus, pictures: done, told by the window, and proven by the driver. */
import type { Driver } from "@cua-driver/sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { act, type Element, look, named, type Seen } from "../support/acts.js";
import { type Toolkit, World } from "../support/world.js";

let world: World;
let driver: Driver;
beforeAll(async () => {
  world = await World.start();
  driver = await world.driver();
});
afterAll(() => world[Symbol.asyncDispose]());

/** The one combo box; Qt gives it no name. */
function theCombo(seen: Seen): Element {
  const all = seen.elements.filter((e) => e.role === "combobox");
  expect(all).toHaveLength(1);
  return all[0] as Element;
}

describe.each<Toolkit>(["gtk3", "gtk4", "qt", "page"])("%s", (kind) => {
  it("ticks a box", async () => {
    const scene = await world.open(kind);
    const box = named(await look(driver, await world.window(driver, scene)), "Agree", "checkbox");
    const from = scene.told.length;
    const outcome = await act(driver, "click", { element_token: box.element_token });
    expect([outcome.code, outcome.effect]).toEqual([undefined, "confirmed"]);
    await scene.hears("the tick", (t) => t.what === "checked" && t.on === true, from);
    expect(scene.since(from).filter((t) => t.what === "checked")).toHaveLength(1);
    scene.child.kill();
  });

  it("chooses an option", async () => {
    const scene = await world.open(kind);
    const combo = theCombo(await look(driver, await world.window(driver, scene)));
    const from = scene.told.length;
    const outcome = await act(driver, "select_option", {
      element_token: combo.element_token,
      option: "blue",
    });
    expect([outcome.code, outcome.effect]).toEqual([undefined, "confirmed"]);
    await scene.hears("the colour", (t) => t.what === "chosen" && t.value === "blue", from);
    scene.child.kill();
  });

  it("refuses an option that is not there, with those that are", async () => {
    const scene = await world.open(kind);
    const combo = theCombo(await look(driver, await world.window(driver, scene)));
    const from = scene.told.length;
    const outcome = await act(driver, "select_option", {
      element_token: combo.element_token,
      option: "mauve",
    });
    expect(outcome.code).toBe("option_not_found");
    expect(JSON.stringify(outcome.details)).toContain("green");
    expect(scene.since(from)).toEqual([]);
    scene.child.kill();
  });
});

describe.each<Toolkit>(["gtk3", "qt"])("menus of %s", (kind) => {
  it("works a menu by its labels", async () => {
    const scene = await world.open(kind);
    const target = await world.window(driver, scene);
    const from = scene.told.length;
    const outcome = await act(driver, "invoke_menu", { ...target, path: ["File", "Save"] });
    expect(outcome.code, JSON.stringify(outcome)).toBeUndefined();
    await scene.hears("Save", (t) => t.what === "menu" && t.name === "Save", from);
    expect(scene.since(from).filter((t) => t.what === "menu")).toHaveLength(1);
    scene.child.kill();
  });

  it("refuses a path that is not there", async () => {
    const scene = await world.open(kind);
    const target = await world.window(driver, scene);
    const from = scene.told.length;
    const outcome = await act(driver, "invoke_menu", { ...target, path: ["File", "Burn"] });
    expect(outcome.code).toBe("menu_path_unavailable");
    expect(scene.since(from).filter((t) => t.what === "menu")).toEqual([]);
    scene.child.kill();
  });
});

describe("pictures", () => {
  it("shows the window asked for, covered or not, and its points fit", async () => {
    const scene = await world.open("gtk3");
    const target = await world.window(driver, scene);
    const state = await driver.raw("get_window_state", { ...target });
    const { elements } = state.structured as unknown as {
      elements: {
        label?: string;
        role: string;
        image_frame?: { x: number; y: number; w: number; h: number };
      }[];
    };
    expect(state.pictures).toHaveLength(1);
    const png = Buffer.from(state.pictures[0]?.data ?? []);
    expect(png.subarray(1, 4).toString()).toBe("PNG");
    const frame = elements.find((e) => e.label === "OK" && e.role === "button")?.image_frame;
    if (frame === undefined) throw new Error("the button has no frame in the picture");
    const from = scene.told.length;
    const point = { x: Math.round(frame.x + frame.w / 2), y: Math.round(frame.y + frame.h / 2) };
    const outcome = await act(driver, "click", { ...target, ...point });
    expect(outcome.code, JSON.stringify(outcome)).toBeUndefined();
    await scene.hears("the click at its point", (t) => t.what === "clicked" && t.name === "OK", from);

    const cover = await world.open("gtk3", "Cover over all");
    await act(driver, "set_window_frame", {
      ...(await world.window(driver, cover)),
      x: 0,
      y: 0,
      width: 1200,
      height: 760,
    });
    const covered = await driver.raw("get_window_state", { ...target, include_accessibility_tree: false });
    expect(covered.pictures).toHaveLength(1);
    const size = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).readUInt32BE(16);
    expect(size(covered.pictures[0]?.data)).toBe(size(state.pictures[0]?.data));
    const at = scene.told.length;
    const hidden = await act(driver, "click", { ...target, ...point });
    if (hidden.code === undefined)
      await scene.hears("the click under the cover", (t) => t.what === "clicked" && t.name === "OK", at);
    else expect(hidden.code).toBe("background_unavailable");
    expect(cover.since(0).filter((t) => t.what === "clicked")).toEqual([]);
    scene.child.kill();
    cover.child.kill();
  });

  it.each([
    ["left of it", { x: -1, y: 5 }],
    ["far away", { x: 100_000, y: 5 }],
  ])("refuses a point %s", async (_, point) => {
    const scene = await world.open("gtk3");
    const target = await world.window(driver, scene);
    const outcome = await act(driver, "click", { ...target, ...point });
    expect(["out_of_bounds", "invalid_arguments"]).toContain(outcome.code);
    expect(scene.since(0).filter((t) => t.what === "clicked")).toEqual([]);
    scene.child.kill();
  });

  it("says that a minimised window has none", async () => {
    const scene = await world.open("gtk3");
    const target = await world.window(driver, scene);
    expect((await act(driver, "set_window_state", { ...target, state: "minimized" })).code).toBeUndefined();
    const { structured, pictures } = await driver.raw("get_window_state", { ...target });
    expect(pictures).toHaveLength(0);
    expect((structured as { screenshot_error?: { code: string } }).screenshot_error?.code).toBe(
      "window_minimized",
    );
    scene.child.kill();
  });
});
