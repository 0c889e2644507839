/** kill -9 at a random moment of whoever takes part: nothing stays down, nobody is orphaned, the next start works. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { act, look, named } from "../support/acts.js";
import { Chance } from "../support/random.js";
import { type Scene, until, World } from "../support/world.js";

const ROUNDS = process.env.CUA_TEST_ALL === "1" ? 34 : 1;
const chance = new Chance(Number(process.env.CUA_TEST_SEED ?? Date.now() % 1_000_000));

interface Process {
  pid: number;
  command: string;
}

/** Living processes of the private desktop: the folder of its display is in their environment or command. */
function desktopOf(world: World): Process[] {
  const mark = dirname(world.env.XAUTHORITY ?? "no folder");
  const out: Process[] = [];
  for (const pid of readdirSync("/proc")
    .filter((n) => /^\d+$/.test(n))
    .map(Number)) {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
      if (!command.includes(mark) && !readFileSync(`/proc/${pid}/environ`).includes(mark)) continue;
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      if (stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3) === "Z") continue;
      out.push({ pid, command });
    } catch {
      // It ended in the meantime.
    }
  }
  return out;
}

const victims = {
  driver: (world: World) => [world.daemon.pid],
  application: (_: World, scene: Scene) => [scene.pid],
  "window manager": (world: World) => find(world, /openbox/),
  "accessibility bus": (world: World) => find(world, /at-spi/),
  "X server": (world: World) => find(world, /Xvfb/),
  "session bus": (world: World) => find(world, /dbus-daemon/),
} satisfies Record<string, (world: World, scene: Scene) => number[]>;

function find(world: World, command: RegExp): number[] {
  return desktopOf(world)
    .filter((p) => command.test(p.command))
    .map((p) => p.pid);
}

/** What belongs to the driver itself of that desktop, and not to the test. */
const left = (world: World) => desktopOf(world).filter((p) => !p.command.includes("/ts/e2e/apps/"));

describe.each(Object.entries(victims))("kill -9 of the %s", (name, of) => {
  it.each(Array.from({ length: ROUNDS }, (_, n) => n + 1))("round %i", { timeout: 120_000 }, async () => {
    const world = await World.start();
    const driver = await world.driver();
    const scene = await world.open("gtk3");
    const field = named(
      await look(driver, await world.window(driver, scene)),
      "Name",
      "textbox",
    ).element_token;
    const acting = act(driver, "type_text", { element_token: field, text: "ABC def ".repeat(40) }).catch(
      (error: unknown) => ({
        lost: String(error),
      }),
    );
    await new Promise((done) => setTimeout(done, chance.below(120)));
    const hit = of(world, scene);
    expect(hit.length, `there is a ${name}`).toBeGreaterThan(0);
    for (const pid of hit) process.kill(pid, "SIGKILL");
    await until(
      "the call in flight ends",
      async () => ((await acting) === undefined ? undefined : true),
      30_000,
    );
    if (name === "driver") {
      await until(
        "nothing of its desktop is left",
        () => (left(world).length === 0 ? true : undefined),
        10_000,
      ).catch((error: unknown) => {
        throw new Error(`${String(error)}: ${JSON.stringify(left(world))}`);
      });
    } else {
      // It still answers, whatever it can still do.
      const other = await world.driver();
      expect((await act(other, "health_report", {})).code).toBeUndefined();
    }
    await world[Symbol.asyncDispose]().catch(() => undefined);
    const next = await World.start();
    const again = await next.driver();
    expect((await act(again, "get_screen_size", {})).code).toBeUndefined();
    await next[Symbol.asyncDispose]();
  });
});
