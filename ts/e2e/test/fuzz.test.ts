/** Arguments of every tool, made from its own schema, through a real driver: no fault, no hang, nothing sent on a refusal. */
import { Refused } from "@cua-driver/sdk";
import { expect, it } from "vitest";
import { look } from "../support/acts.js";
import { Chance, type Schema, value } from "../support/random.js";
import { type Scene, World } from "../support/world.js";

const SECONDS = process.env.CUA_TEST_ALL === "1" ? 300 : 20;
const BOUND_MS = 20_000;
/** A process that is nobody's, so that an end hits nothing. */
const NOBODY = 2 ** 22 + 7;

it(`survives ${SECONDS} s of arguments`, { timeout: (SECONDS + 120) * 1000 }, async () => {
  const seed = Number(process.env.CUA_TEST_SEED ?? Date.now() % 1_000_000);
  const world = await World.start();
  try {
    await fuzz(world, new Chance(seed));
  } catch (error) {
    throw new Error(`with CUA_TEST_SEED=${seed}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  } finally {
    await world[Symbol.asyncDispose]();
  }
});

async function fuzz(world: World, chance: Chance): Promise<void> {
  const driver = await world.driver();
  const { tools } = await driver.tools();
  let scene: Scene = await world.open("gtk3");
  let known = await real(world, driver, scene);
  const codes = new Map<string, number>();
  let calls = 0;
  const end = Date.now() + SECONDS * 1000;
  while (Date.now() < end) {
    if (scene.child.exitCode !== null || scene.child.signalCode !== null || calls % 40 === 39) {
      if (scene.child.exitCode !== null || scene.child.signalCode !== null) scene = await world.open("gtk3");
      known = await real(world, driver, scene).catch(() => known);
    }
    const tool = chance.of(tools);
    const args = value(
      chance,
      tool.input_schema as Schema,
      tool.name === "kill_app" ? { pid: [NOBODY] } : known,
    );
    const shown = `${tool.name} ${JSON.stringify(args).slice(0, 500)}`;
    if (harms(tool.name, args)) continue;
    calls += 1;
    const from = scene.told.length;
    const refusal = await within(shown, driver.raw(tool.name, args as object, { timeoutMs: 5_000 }));
    if (refusal === undefined) continue;
    codes.set(refusal.code, (codes.get(refusal.code) ?? 0) + 1);
    expect(refusal.code, `${shown}: ${refusal.message}`).not.toBe("fault");
    expect(refusal.message, shown).not.toBe("");
    // Whether anything was sent is unknown only where the application or time gave out.
    if (["app_not_answering", "timeout", "cancelled"].includes(refusal.code)) continue;
    await new Promise((done) => setTimeout(done, 15));
    const felt = scene.since(from).filter((t) => t.what === "clicked" || t.what === "text");
    expect(felt, `${shown} was refused as ${refusal.code} and was felt`).toEqual([]);
  }
  expect((await driver.status()) !== undefined).toBe(true);
  expect(calls).toBeGreaterThan(SECONDS);
  expect([...codes.keys()]).toContain("invalid_arguments");
}

/** What exists here, by the name of the argument that would carry it. */
async function real(
  world: World,
  driver: Awaited<ReturnType<World["driver"]>>,
  scene: Scene,
): Promise<Record<string, readonly unknown[]>> {
  await driver.raw("start_session", {}).catch(() => undefined);
  const target = await world.window(driver, scene);
  const seen = await look(driver, target);
  return {
    pid: [target.pid, target.pid, NOBODY],
    window_id: [target.window_id],
    snapshot_id: [seen.snapshot_id],
    element_token: seen.elements.map((e) => e.element_token),
    element_index: seen.elements.map((e) => e.element_index),
    x: [5, 50, 200],
    y: [5, 50, 200],
    key: ["a", "Tab", "Home", "F5"],
    text: ["", "ab", "Ä"],
    output_dir: [`${world.dir}/fuzz`, `${world.dir}/other`],
    dir: [`${world.dir}/fuzz`, `${world.dir}/none`],
    name: ["no such application"],
    session: [undefined],
    timeout_ms: [0, 100, 500],
  };
}

/** A real end of a real process is no part of this test; nor is a replay or a wait of minutes. */
function harms(tool: string, args: unknown): boolean {
  if (tool !== "kill_app") return false;
  const pid = (args as { pid?: unknown } | null)?.pid;
  return typeof pid === "number" && pid !== NOBODY && Number.isInteger(pid) && pid > 0 && pid < 2 ** 22;
}

async function within(shown: string, call: Promise<unknown>): Promise<Refused | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${BOUND_MS} ms: ${shown}`)), BOUND_MS);
  });
  try {
    await Promise.race([call, late]);
    return undefined;
  } catch (error) {
    if (error instanceof Refused) return error;
    throw new Error(`${shown}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}
