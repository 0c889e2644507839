/** The public packages as npm gives them to somebody: packed, installed into an empty folder, run there. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { bare, Lines, within } from "@cua-driver/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const PUBLIC = ["client", "sdk", "mcp", "cli", "node"];
const folder = mkdtempSync(join(tmpdir(), "cua-packed-"));
const env = bare(folder);
const execute = promisify(execFile);

beforeAll(async () => {
  const workspaces = PUBLIC.flatMap((name) => ["-w", `@cua-driver/${name}`]);
  const { stdout } = await execute("npm", ["pack", "--json", ...workspaces, "--pack-destination", folder], {
    cwd: ROOT,
  });
  const tarballs = [...stdout.matchAll(/"filename": "([^"]+\.tgz)"/g)].map((match) =>
    join(folder, match[1] ?? ""),
  );
  writeFileSync(join(folder, "package.json"), '{ "name": "empty", "private": true, "type": "module" }\n');
  await execute("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", ...new Set(tarballs)], {
    cwd: folder,
  });
}, 240_000);

afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

/** Runs a script in the folder; its standard output. */
async function script(text: string): Promise<string> {
  const file = join(folder, "script.js");
  writeFileSync(file, text);
  const { stdout } = await execute(process.execPath, [file], { cwd: folder, env, timeout: 60_000 });
  return stdout.trim();
}

test("the SDK runs the engine in its own process and throws refusals", async () => {
  const out = await script(`
    import { Driver, Refused } from "@cua-driver/sdk";
    const driver = await Driver.connect({ direct: true });
    const { tools } = await driver.tools();
    const error = await driver.raw("clikc").catch((e) => e);
    console.log(JSON.stringify({ tools: tools.length > 30, refused: error instanceof Refused, code: error.code }));
    await driver.close();
  `);
  expect(JSON.parse(out)).toEqual({ tools: true, refused: true, code: "invalid_arguments" });
});

test("the SDK starts the driver that came with it, which ends with its last client", async () => {
  const out = await script(`
    import { Driver } from "@cua-driver/sdk";
    const driver = await Driver.connect();
    console.log(JSON.stringify(driver.about));
    await driver.close();
  `);
  const { pid } = JSON.parse(out) as { pid: number };
  expect(pid).not.toBe(process.pid);
  await expect.poll(() => alive(pid), { timeout: 20_000, interval: 200 }).toBe(false);
});

test("cua-driver is there as a command: native verbs, and the MCP server", async () => {
  const command = join(folder, "node_modules", ".bin", "cua-driver");
  const { stdout } = await execute(command, ["tools"], { cwd: folder, env });
  expect(stdout).toContain("get_window_state");
  const host = new Lines(command, ["mcp", "--direct"], env);
  try {
    expect((await host.ask("initialize", {})).result).toHaveProperty("serverInfo");
    const { result } = await host.ask("tools/call", { name: "get_config", arguments: {} });
    expect(result).toHaveProperty("structuredContent");
    host.child.stdin.end();
    expect((await within(20_000, host.exited)).code).toBe(0);
  } finally {
    await host.kill();
  }
});

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
