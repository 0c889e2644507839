/** Nobody is disturbed, nothing hangs: the person's focus and pointer, stopped applications, dead ones. */
import type { Driver } from "@cua-driver/sdk";
import { afterAll, beforeAll, expect, it } from "vitest";
import { act, look, named } from "../support/acts.js";
import { World } from "../support/world.js";

let world: World;
let driver: Driver;
beforeAll(async () => {
  world = await World.start();
  driver = await world.driver();
});
afterAll(() => world[Symbol.asyncDispose]());

interface Row {
  window_id: number;
  title: string;
  is_active?: boolean;
  active?: boolean;
}

it("leaves focus and pointer where they are", async () => {
  const target = await world.open("gtk3");
  const person = await world.open("gtk3", "The person's own");
  await person.hears("it is active", (t) => t.what === "active" && t.on === true);
  const window = await world.window(driver, target);
  const where = await driver.raw("get_cursor_position");
  const from = person.told.length;
  const seen = await look(driver, window);
  for (const label of ["OK", "Agree"])
    expect(
      (await act(driver, "click", { element_token: named(seen, label).element_token })).code,
    ).toBeUndefined();
  expect(
    (
      await act(driver, "type_text", {
        element_token: named(seen, "Name", "textbox").element_token,
        text: "quiet",
      })
    ).code,
  ).toBeUndefined();
  await target.hears("the text", (t) => t.what === "text" && t.text === "quiet");
  expect(person.told.slice(from).filter((t) => t.what !== "did")).toEqual([]);
  expect((await driver.raw("get_cursor_position")).structured).toEqual(where.structured);
  const { windows } = (await driver.raw("list_windows")).structured as unknown as { windows: Row[] };
  expect(windows.map((w) => w.title)).toContain("The person's own");
  target.child.kill();
  person.child.kill();
});

it("costs a stopped application's caller a bound and others nothing", async () => {
  const stopped = await world.open("gtk3");
  const other = await world.open("gtk3");
  const [one, two] = [await world.window(driver, stopped), await world.window(driver, other)];
  const token = named(await look(driver, one), "OK", "button").element_token;
  stopped.child.kill("SIGSTOP");
  try {
    const second = await world.driver();
    const [answer, seen] = await Promise.all([
      act(driver, "click", { element_token: token }),
      look(second, two),
    ]);
    expect(answer.code).toBe("app_not_answering");
    expect(seen.elements.length).toBeGreaterThan(5);
    const { structured } = await driver.raw("get_window_state", { ...one, include_screenshot: false });
    expect((structured as { degraded_reason?: string }).degraded_reason).toBe("app_not_answering");
  } finally {
    stopped.child.kill("SIGCONT");
  }
  stopped.child.kill("SIGKILL");
  other.child.kill();
});

it("refuses what was there when its application has died", async () => {
  const scene = await world.open("gtk3");
  const target = await world.window(driver, scene);
  const token = named(await look(driver, target), "OK", "button").element_token;
  scene.child.kill("SIGKILL");
  await new Promise((done) => setTimeout(done, 500));
  const outcome = await act(driver, "click", { element_token: token });
  expect(["stale_element_token", "window_target_not_found", "app_not_answering"]).toContain(outcome.code);
  expect((await driver.status()) !== undefined).toBe(true);
});

it("answers an unchanged window with almost nothing", async () => {
  const scene = await world.open("gtk3");
  const target = await world.window(driver, scene);
  const first = await look(driver, target);
  const again = await look(driver, target, { since: first.snapshot_id });
  expect(again.size).toBeLessThan(first.size / 4);
  await scene.order({ do: "insert", name: "New" });
  const changed = await look(driver, target, { since: again.snapshot_id });
  expect(JSON.stringify(changed.structured)).toContain("New");
  scene.child.kill();
});

it("verifies and waits for what comes later", async () => {
  const scene = await world.open("gtk3");
  const target = await world.window(driver, scene);
  const expectation = [{ element: { selector: { role: "button", label: "Later" }, exists: true } }];
  const waiting = driver.raw("wait_for", { ...target, expect: expectation, timeout_ms: 8_000 });
  await scene.order({ do: "insert", name: "Later" });
  expect((await waiting).structured).toMatchObject({ status: "satisfied" });
  const { structured } = await driver.raw("verify_state", {
    ...target,
    timeout_ms: 300,
    expect: [{ element: { selector: { role: "button", label: "Never" }, exists: true } }],
  });
  expect(structured).toMatchObject({ status: "unsatisfied" });
  scene.child.kill();
});
