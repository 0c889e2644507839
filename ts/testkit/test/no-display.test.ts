/** Without a display: every way in starts, lists the tools, and refuses alike what needs one. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Driver, Refused } from "@cua-driver/sdk";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BINARY, type Daemon, Lines, startDaemon } from "../src/index.js";

const SDK = fileURLToPath(new URL("../../sdk/dist/index.js", import.meta.url));
const execute = promisify(execFile);
let daemon: Daemon;

beforeAll(async () => {
  daemon = await startDaemon({ display: "none" });
}, 60_000);

afterAll(() => daemon.stop());

type Way = (tool: string, args: object) => Promise<unknown>;

const ways: Record<string, Way> = {
  sdk: async (tool, args) => {
    const driver = await Driver.connect({ socket: daemon.socket });
    try {
      return (await driver.raw(tool, args)).structured;
    } catch (error) {
      if (error instanceof Refused) return error.envelope;
      throw error;
    } finally {
      await driver.close();
    }
  },
  cli: async (tool, args) => {
    const words = ["call", tool, JSON.stringify(args), "--json"];
    const ran = await execute(BINARY, words, { env: daemon.env }).catch((error: { stdout: string }) => error);
    return JSON.parse(ran.stdout);
  },
  mcp: async (tool, args) => {
    const host = new Lines(BINARY, ["mcp", "--socket", daemon.socket], daemon.env);
    try {
      await host.ask("initialize", {});
      const { tools } = (await host.ask("tools/list")).result as { tools: unknown[] };
      expect(tools.length).toBeGreaterThan(30);
      const { result } = await host.ask("tools/call", { name: tool, arguments: args });
      const meta = result?._meta as Record<string, unknown> | undefined;
      return meta?.["cua-driver/refusal"] ?? result?.structuredContent;
    } finally {
      await host.kill();
    }
  },
  addon: async (tool, args) => {
    const script = `
      import { Driver, Refused } from ${JSON.stringify(SDK)};
      const driver = await Driver.connect({ direct: true });
      const seen = await driver.raw(${JSON.stringify(tool)}, ${JSON.stringify(args)}).then(
        (reply) => reply.structured,
        (error) => { if (error instanceof Refused) return error.envelope; throw error; },
      );
      console.log(JSON.stringify(seen));
      await driver.close();`;
    const { stdout } = await execute(process.execPath, ["--input-type=module", "-e", script], {
      env: daemon.env,
    });
    return JSON.parse(stdout);
  },
};

test.each([
  ["list_windows", {}],
  ["get_desktop_state", {}],
  ["click", { pid: 1, window_id: 2, x: 3, y: 4 }],
  ["type_text", { pid: 1, window_id: 2, text: "x" }],
])("%s is refused no_display the same way in all", async (tool, args) => {
  const seen: unknown[] = [];
  for (const way of Object.values(ways)) seen.push(await way(tool, args));
  expect(seen[0]).toMatchObject({ code: "no_display", hint: expect.stringContaining("--display virtual") });
  for (const other of seen) expect(other).toEqual(seen[0]);
});

test("health_report runs and names the display", async () => {
  for (const way of Object.values(ways))
    expect(JSON.stringify(await way("health_report", {}))).toMatch(/display/i);
});
