/** The exact text, or exactly how much of it: the field's own words decide. */
import type { Driver } from "@cua-driver/sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { act, look, named } from "../support/acts.js";
import { type Scene, type Toolkit, until, World } from "../support/world.js";

let world: World;
let driver: Driver;
beforeAll(async () => {
  world = await World.start();
  driver = await world.driver();
});
afterAll(() => world[Symbol.asyncDispose]());

const texts = {
  plain: "The quick brown fox, 0123456789!",
  signs: "a~!@#$%^&*()_+{}|:\"<>?`-=[]\\;',./",
  letters: "Привет żółw Ångström ñ ß €",
  signs_of_china: "日本語 中文 한국어",
  joined: "👩‍👩‍👧 e\u0301 🤖 🇩🇪",
  spaces: "  two  spaces  ",
};

/** The text that the field holds once it stays the same. */
async function settled(scene: Scene, name: string, wanted: string): Promise<string | undefined> {
  return until("the text", () => (scene.text(name) === wanted ? wanted : undefined), 3_000).catch(() =>
    scene.text(name),
  );
}

describe.each<Toolkit>(["gtk3", "gtk4", "qt", "page"])("%s", (kind) => {
  it.each(Object.entries(texts))("types %s as it is", async (_, text) => {
    const scene = await world.open(kind);
    const target = await world.window(driver, scene);
    const field = named(await look(driver, target), "Name", "textbox");
    const outcome = await act(driver, "type_text", { element_token: field.element_token, text });
    if (outcome.code !== undefined) {
      expect(outcome.code, JSON.stringify(outcome.details)).toBe("text_undeliverable");
      expect(scene.text("Name") ?? "").toBe("");
    } else if (outcome.effect === "partial") {
      const sent = Array.from(text).slice(0, outcome.delivered).join("");
      expect(await settled(scene, "Name", sent)).toBe(sent);
    } else {
      expect(["confirmed", "unverifiable"]).toContain(outcome.effect);
      expect(await settled(scene, "Name", text)).toBe(text);
    }
    scene.child.kill();
  });

  it("sets values and reads them back", async () => {
    const scene = await world.open(kind);
    const target = await world.window(driver, scene);
    const seen = await look(driver, target);
    const set = async (label: string, value: string) =>
      act(driver, "set_value", { ...target, element_token: named(seen, label).element_token, value });
    const name = await set("Name", "Grüße");
    expect([name.code, name.effect]).toEqual([undefined, "confirmed"]);
    expect(await settled(scene, "Name", "Grüße")).toBe("Grüße");
    const from = scene.told.length;
    const volume = await set("Volume", "40");
    expect([volume.code, volume.effect]).toEqual([undefined, "confirmed"]);
    await scene.hears("the number", (t) => t.what === "value" && Number(t.value) === 40, from);
    scene.child.kill();
  });

  it("never claims that a key did something where it does nothing", async () => {
    const scene = await world.open(kind);
    const target = await world.window(driver, scene);
    for (const key of ["F9", "F9", "F8"]) {
      const done = await act(driver, "press_key", { ...target, key });
      expect(done.effect, key).not.toBe("confirmed");
    }
    scene.child.kill();
  });
});

describe.each<Toolkit>(["gtk3", "qt", "page"])("lines in %s", (kind) => {
  it("takes a newline for Return in a line and keeps it in a page of text", async () => {
    const scene = await world.open(kind);
    const target = await world.window(driver, scene);
    const first = await look(driver, target);
    const from = scene.told.length;
    const line = await act(driver, "type_text", {
      element_token: named(first, "Name", "textbox").element_token,
      text: "one\n",
    });
    expect(line.code).toBeUndefined();
    await scene.hears("Return", (t) => t.what === "activated", from);
    expect(scene.text("Name")).toBe("one");
    const second = await look(driver, target);
    const notes = named(second, "Notes", "textbox").element_token;
    expect((await act(driver, "type_text", { element_token: notes, text: "one\ntwo" })).code).toBeUndefined();
    expect(await settled(scene, "Notes", "one\ntwo")).toBe("one\ntwo");
    scene.child.kill();
  });
});

it("presses Return in a GTK4 entry, which lets nobody focus it but by a click", async () => {
  const scene = await world.open("gtk4");
  const target = await world.window(driver, scene);
  const field = async () => named(await look(driver, target), "Name", "textbox").element_token;
  const from = scene.told.length;
  const typed = await act(driver, "type_text", { element_token: await field(), text: "one\n" });
  expect(typed.code, JSON.stringify(typed)).toBeUndefined();
  await scene.hears("Return", (t) => t.what === "activated", from);
  expect(await settled(scene, "Name", "one")).toBe("one");
  const again = scene.told.length;
  const pressed = await act(driver, "press_key", { element_token: await field(), key: "Return" });
  expect(pressed.code, JSON.stringify(pressed)).toBeUndefined();
  await scene.hears("Return", (t) => t.what === "activated", again);
  scene.child.kill();
});

it("types into the window that was asked for, not the one with the keyboard", async () => {
  const one = await world.open("gtk3");
  const two = await world.open("gtk3");
  const a = await world.window(driver, one);
  await look(driver, await world.window(driver, two));
  const field = named(await look(driver, a), "Name", "textbox");
  expect(
    (await act(driver, "type_text", { element_token: field.element_token, text: "for one" })).code,
  ).toBeUndefined();
  expect(await settled(one, "Name", "for one")).toBe("for one");
  expect(two.text("Name")).toBeUndefined();
  one.child.kill();
  two.child.kill();
});

it("reaches a window without elements and without a pid by points and keys", async () => {
  const scene = await world.open("tk");
  const { window_id } = await world.window(driver, scene);
  const from = scene.told.length;
  const click = await act(driver, "click", { window_id, pid: scene.pid, x: 60, y: 25 });
  expect(click.code, JSON.stringify(click)).toBeUndefined();
  await scene.hears("the click", (t) => t.what === "clicked" && t.name === "OK", from);
  expect((await act(driver, "click", { window_id, pid: scene.pid, x: 100, y: 75 })).code).toBeUndefined();
  const typed = await act(driver, "type_text", { window_id, pid: scene.pid, text: "äb1" });
  expect(typed.code, JSON.stringify(typed)).toBeUndefined();
  expect(await settled(scene, "Name", "äb1")).toBe("äb1");
  scene.child.kill();
});
