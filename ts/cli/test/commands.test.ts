import { spawnSync } from "node:child_process";
import { openSync, readFileSync } from "node:fs";
import { BUNDLE, Lines, refused, replied, type StandInOptions, standIn, within } from "@cua-driver/testkit";
import { afterEach, expect, test } from "vitest";

interface Row {
  name: string;
  where: string;
  example: string;
  flags: { name: string; hidden?: boolean }[];
}

const { commands } = JSON.parse(
  readFileSync(new URL("../../../proto/commands.json", import.meta.url), "utf8"),
) as { commands: Row[] };
const own = commands.filter((command) => command.where === "ts");

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function run(args: string[], env: NodeJS.ProcessEnv = {}) {
  const program = new Lines(process.execPath, [BUNDLE, ...args], {
    ...process.env,
    CUA_DRIVER_BIN: "/nowhere",
    ...env,
  });
  program.child.stdin.end();
  const { code } = await within(20_000, program.exited);
  return { code, stdout: program.lines.join("\n"), stderr: program.stderr };
}

async function driver(answer: StandInOptions["answer"]) {
  const daemon = await standIn({ answer });
  ends.push(() => daemon.kill());
  return daemon;
}

test.each(own)("help of $name shows its example and its flags", async ({ name, example, flags }) => {
  const { code, stdout } = await run([...name.split(" "), "--help"]);
  expect(code).toBe(0);
  expect(stdout).toContain(example);
  for (const flag of flags) expect(stdout.includes(`--${flag.name}`)).toBe(flag.hidden !== true);
});

test("what a word holds cannot act on a terminal", async () => {
  const { code, stderr } = await run(["config", "show", "--\u001b[2Jx\u202e"]);
  expect(code).toBe(2);
  expect(stderr).toContain("\\u{1b}[2Jx\\u{202e}");
  for (const acting of ["\u001b", "\u202e"]) expect(stderr).not.toContain(acting);
});

test("a mistyped flag is wrong usage, with the nearest one", async () => {
  const { code, stdout, stderr } = await run(["mcp", "--sokcet", "/tmp/x"]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain("did you mean --socket?");
});

test.each([
  { args: ["mcp", "--socket"], says: "--socket needs PATH" },
  { args: ["mcp", "--socket", "/tmp/x", "--direct"], says: "exclude each other" },
  { args: ["mcp", "now"], says: "one word too many" },
  { args: ["config", "set", "x"], says: "Usage: cua-driver config" },
  { args: ["config", "rest"], says: "Usage: cua-driver config" },
  { args: ["config", "reset", "x", "y"], says: "Usage: cua-driver config" },
  { args: ["mcp-config", "--client", "nobody"], says: "--client is one of" },
  { args: ["mcp-config", "--client", "constructor"], says: "--client is one of" },
  { args: ["trajectory", "show"], says: "needs the folder" },
])("$args is wrong usage", async ({ args, says }) => {
  const { code, stderr } = await run(args);
  expect(code).toBe(2);
  expect(stderr).toContain(says);
  const json = await run([...args, "--json"]);
  if (args.at(-1) === "--socket") return; // There the flag is the socket's name.
  expect({ code: json.code, stderr: json.stderr }).toEqual({ code: 2, stderr: "" });
  expect(JSON.parse(json.stdout)).toMatchObject({ code: "invalid_arguments", message: expect.any(String) });
});

test.each(own)("help of $name is one JSON object with --json", async ({ name, example }) => {
  const { code, stdout } = await run([...name.split(" "), "--help", "--json"]);
  expect(code).toBe(0);
  const row = JSON.parse(stdout);
  expect(row).toMatchObject({ name, example });
  for (const flag of row.flags) expect(flag).toEqual({ ...flag, text: expect.any(String) });
});

test("config shows, gets and sets through the driver", async () => {
  const daemon = await driver(() =>
    Promise.resolve(replied({ max_image_dimension: 1568, token_lifetime: "snapshot" })),
  );
  const at = ["--socket", daemon.socket];
  expect(JSON.parse((await run(["config", "show", ...at])).stdout)).toHaveProperty(
    "token_lifetime",
    "snapshot",
  );
  expect((await run(["config", "get", "max_image_dimension", ...at])).stdout).toBe("1568");
  expect((await run(["config", "set", "max_image_dimension", "0", ...at])).code).toBe(0);
  expect(daemon.asked.at(-1)).toMatchObject({
    tool: "set_config",
    args: { key: "max_image_dimension", value: 0 },
  });
  for (const [words, args] of [
    [["reset"], { reset: true }],
    [["reset", "token_lifetime"], { reset: true, key: "token_lifetime" }],
  ] as const) {
    expect((await run(["config", ...words, ...at])).code).toBe(0);
    expect(daemon.asked.at(-1)).toMatchObject({ tool: "set_config", args });
  }
  const unknown = await run(["config", "get", "max_image_dimention", ...at]);
  expect(unknown.code).toBe(2);
  expect(unknown.stderr).toContain("did you mean max_image_dimension?");
});

test("a refusal is exit 1: words for people, the envelope with --json", async () => {
  const daemon = await driver(() =>
    Promise.resolve(refused("invalid_arguments", "No such key.", "Known are a, b.")),
  );
  const words = ["config", "set", "c", "1", "--socket", daemon.socket];
  const plain = await run(words);
  expect({ code: plain.code, stdout: plain.stdout }).toEqual({ code: 1, stdout: "" });
  expect(plain.stderr).toContain("invalid_arguments: No such key. Known are a, b.");
  const json = await run([...words, "--json"]);
  expect(json.code).toBe(1);
  expect(JSON.parse(json.stdout)).toEqual({
    code: "invalid_arguments",
    message: "No such key.",
    hint: "Known are a, b.",
    details: null,
  });
});

test("without a driver, and without a program to start one, the exit is 3", async () => {
  const { code, stderr } = await run(["config", "show", "--socket", "/tmp/no-such-driver.sock"]);
  expect(code).toBe(3);
  expect(stderr).toContain("/nowhere");
  const json = await run(["config", "show", "--socket", "/tmp/no-such-driver.sock", "--json"]);
  expect({ code: json.code, stderr: json.stderr }).toEqual({ code: 3, stderr: "" });
  expect(JSON.parse(json.stdout)).toMatchObject({
    code: "driver_unreachable",
    message: expect.stringContaining("/nowhere"),
  });
});

test("mcp-config names the native program", async () => {
  const { code, stdout } = await run(["mcp-config"], { CUA_DRIVER_BIN: process.execPath });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    mcpServers: { "cua-driver": { command: process.execPath, args: ["mcp"] } },
  });
});

test.each([
  { client: "claude", said: "For claude, run in a shell:" },
  { client: "codex", said: "For codex, put into ~/.codex/config.toml:" },
  { client: "other", said: "For most hosts, put into" },
])("mcp-config says whose text it is: $client", async ({ client, said }) => {
  const at = { CUA_DRIVER_BIN: process.execPath };
  const plain = await run(["mcp-config", "--client", client], at);
  expect(plain.stderr).toContain(said);
  const json = await run(["mcp-config", "--client", client, "--json"], at);
  expect(json.stderr).toBe("");
  expect(JSON.parse(json.stdout)).toMatchObject({ client, text: plain.stdout });
});

test("what is not its own goes to the native program, words and exit code alike", async () => {
  const { code, stdout } = await run(["-e", "console.log(process.argv0); process.exit(7)"], {
    CUA_DRIVER_BIN: process.execPath,
  });
  expect(code).toBe(7);
  expect(stdout).toBe(process.execPath);
});

test.each([["mcp-config"], ["mcp", "--help"]])(
  "an answer that cannot be written is no success: %s",
  (...args) => {
    const env = { ...process.env, CUA_DRIVER_BIN: process.execPath };
    const stdio = ["ignore", openSync("/dev/full", "w"), "pipe"] as const;
    const { status, stderr } = spawnSync(process.execPath, [BUNDLE, ...args], { env, stdio: [...stdio] });
    expect(status).toBe(1);
    expect(stderr.toString()).toContain("standard output");
  },
);
