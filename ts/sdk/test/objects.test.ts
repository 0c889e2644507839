/** The SDK's objects against real windows, which print what they receive. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Scene, type Toolkit, World } from "../../e2e/support/world.js";
import { Driver, NotFound, Refused, type Window } from "../src/index.js";

let world: World;
let driver: Driver;

beforeAll(async () => {
  world = await World.start();
  driver = await Driver.connect({ socket: world.socket });
}, 90_000);

afterAll(async () => {
  await driver.close();
  await world[Symbol.asyncDispose]();
});

describe.each<Toolkit>(["gtk3", "page"])("%s", (kind) => {
  let scene: Scene;
  let window: Window;

  beforeAll(async () => {
    scene = await world.open(kind);
    window = driver.window(new RegExp(scene.title));
    await window.find({ timeoutMs: 20_000 });
  }, 60_000);

  test("a button is pressed by its role and name", async () => {
    const from = scene.told.length;
    await window.getByRole("button", { name: "OK" }).click();
    await scene.hears("one click", (t) => t.what === "clicked" && t.name === "OK", from);
    expect(scene.since(from).filter((t) => t.what === "clicked")).toHaveLength(1);
  });

  test("a field is filled and read", async () => {
    const field = window.getByRole("textbox", { name: "Name" });
    const from = scene.told.length;
    await field.fill("Ada Löwe");
    await scene.hears("the text", (t) => t.what === "text" && t.text === "Ada Löwe", from);
    expect(await field.value()).toBe("Ada Löwe");
  });

  test("what is not there, and what is there twice, is said", async () => {
    const none = window.getByRole("button", { name: "Nowhere", timeoutMs: 0 });
    expect(await none.exists()).toBe(false);
    await expect(none.click()).rejects.toThrow(/no button "Nowhere".*there are/);
    await expect(window.getByRole("button", { timeoutMs: 0 }).click()).rejects.toThrow(
      /elements fit button.*give nth/,
    );
    await expect(driver.window("no such title").find({ timeoutMs: 0 })).rejects.toBeInstanceOf(NotFound);
  });

  test("a picture is a PNG, written where asked", async () => {
    const path = join(world.dir, `${kind}.png`);
    const { mime, data } = await window.screenshot({ path });
    expect(mime).toBe("image/png");
    expect(Buffer.from(data).subarray(1, 4).toString()).toBe("PNG");
    expect(Buffer.compare(await readFile(path), data)).toBe(0);
  });

  test("what holds is verified", async () => {
    const expectation = [{ element: { selector: { role: "button", label: "OK" }, exists: true } }];
    expect(await window.verify(expectation)).toMatchObject({ status: "satisfied" });
  });
});

test("a locator waits for what comes later", async () => {
  const scene = await world.open("gtk3");
  const click = driver.window(scene.title).getByRole("button", { name: "Later" }).click();
  await scene.order({ do: "insert", name: "Later" });
  await click;
  await scene.hears("one click", (t) => t.what === "clicked" && t.name === "Later");
});

test("a refusal is thrown with its code, hint and details", async () => {
  const error = await driver
    .raw("click", { element_token: "s00000000:1", x: 1, y: 1 })
    .catch((e: unknown) => e);
  expect(error).toBeInstanceOf(Refused);
  expect(error).toMatchObject({ code: "conflicting_element_target", hint: expect.stringMatching(/./) });
});

test("typed methods are there for every tool", async () => {
  const { tools } = await driver.tools();
  for (const { name } of tools) {
    const method = name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
    expect(typeof Reflect.get(driver, method), method).toBe("function");
  }
});

test("closing ends the session: another one of the same socket knows nothing of its tokens", async () => {
  const scene = await world.open("gtk3");
  const first = await Driver.connect({ socket: world.socket });
  const { elements } = await first.window(scene.title).snapshot();
  const token = elements.find((element) => element.label === "OK")?.element_token;
  await first.close();
  await expect(driver.raw("click", { element_token: token })).rejects.toMatchObject({
    code: "stale_element_token",
  });
  expect(scene.since(0).filter((t) => t.what === "clicked")).toHaveLength(0);
});
