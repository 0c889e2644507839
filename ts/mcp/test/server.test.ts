import { BUNDLE, Lines, refused, replied, type StandInOptions, standIn, within } from "@cua-driver/testkit";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterEach, expect, test } from "vitest";

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function driver(answer: StandInOptions["answer"]) {
  const daemon = await standIn({ answer });
  ends.push(() => daemon.kill());
  return daemon;
}

async function host(answer: StandInOptions["answer"]) {
  const daemon = await driver(answer);
  const client = new Client({ name: "test", version: "1" });
  const command = { command: process.execPath, args: [BUNDLE, "mcp", "--socket", daemon.socket] };
  await client.connect(new StdioClientTransport(command));
  ends.push(() => client.close());
  return { client, daemon };
}

function lines(args: string[]): Lines {
  const process_ = new Lines(process.execPath, [BUNDLE, "mcp", ...args]);
  ends.push(() => process_.kill());
  return process_;
}

const hello = (h: Lines, version = "2025-06-18") =>
  h.ask("initialize", {
    protocolVersion: version,
    capabilities: {},
    clientInfo: { name: "t", version: "1" },
  });

test("the official client lists the driver's tools and gets text, picture and structured result", async () => {
  const picture = Buffer.from([137, 80, 78, 71]);
  const { client, daemon } = await host(() =>
    Promise.resolve(
      replied({ width: 3, height: 2, scale_factor: 1 }, { text: "3 wide", pictures: [picture] }),
    ),
  );
  const { tools } = await client.listTools();
  expect(tools.every((tool) => tool.inputSchema.type === "object" && tool.annotations !== undefined)).toBe(
    true,
  );
  const result = await client.callTool({ name: "get_screen_size", arguments: { a: 1 } });
  expect(result).toEqual({
    content: [
      { type: "text", text: "3 wide" },
      { type: "image", mimeType: "image/png", data: picture.toString("base64") },
    ],
    structuredContent: { width: 3, height: 2, scale_factor: 1 },
  });
  expect(daemon.asked[0]).toMatchObject({ tool: "get_screen_size", args: { a: 1 } });
  expect(daemon.hellos).toMatchObject([{ kind: "mcp", session: "" }]);
});

test("a refusal is isError with its text and envelope, and nothing structured", async () => {
  const { client } = await host(() =>
    Promise.resolve(refused("out_of_bounds", "x is 900.", "Take it.", { width: 4 })),
  );
  expect(await client.callTool({ name: "click" })).toEqual({
    isError: true,
    content: [{ type: "text", text: "out_of_bounds: x is 900. Take it." }],
    _meta: {
      "cua-driver/refusal": {
        code: "out_of_bounds",
        message: "x is 900.",
        hint: "Take it.",
        details: { width: 4 },
      },
    },
  });
});

test("a call that ran and did not come through is isError with its ordinary result", async () => {
  const { client } = await host(() =>
    Promise.resolve(replied({ stopped_at: 2 }, { text: "stopped", failed: true })),
  );
  const result = await client.callTool({ name: "replay_trajectory" });
  expect(result).toMatchObject({ isError: true, structuredContent: { stopped_at: 2 } });
});

test("progress reaches a host that asked for it, before the answer", async () => {
  const daemon = await driver((asked) => {
    for (const done of [1, 2]) asked.progress({ done, total: 2, message: `turn ${done}` });
    return Promise.resolve(replied({}));
  });
  const h = lines(["--socket", daemon.socket]);
  await hello(h);
  await h.ask(
    "tools/call",
    { name: "replay_trajectory", arguments: {}, _meta: { progressToken: "mine" } },
    7,
  );
  const [, first, second, answer] = h.messages;
  expect([first, second].map((message) => message?.params)).toEqual([
    { progressToken: "mine", progress: 1, total: 2, message: "turn 1" },
    { progressToken: "mine", progress: 2, total: 2, message: "turn 2" },
  ]);
  expect(answer?.id).toBe(7);
});

test("a cancelled call is cancelled in the driver, and the connection lives", async () => {
  const { client, daemon } = await host(async (asked) => {
    if (asked.tool === "drag") await asked.cancelled;
    return replied({});
  });
  const stop = new AbortController();
  const call = expect(
    client.callTool({ name: "drag" }, undefined, { signal: stop.signal }),
  ).rejects.toThrow();
  await expect.poll(() => daemon.asked.length).toBe(1);
  stop.abort();
  await call;
  await daemon.asked[0]?.cancelled;
  await expect(client.callTool({ name: "list_windows" })).resolves.toBeDefined();
});

test("thirty calls at once are each given their own answer, a slow one holds up none", async () => {
  const { client } = await host(async (asked) => {
    const { i } = asked.args as { i: number };
    await new Promise((resolve) => setTimeout(resolve, i === 0 ? 300 : 0));
    return replied({ i });
  });
  const order: number[] = [];
  const all = Array.from({ length: 30 }, async (_, i) => {
    const result = await client.callTool({ name: "list_windows", arguments: { i } });
    order.push(i);
    return result.structuredContent;
  });
  expect(await Promise.all(all)).toEqual(Array.from({ length: 30 }, (_, i) => ({ i })));
  expect(order.at(-1)).toBe(0);
});

test("an older host: empty initialize, no initialized, one line per answer in order", async () => {
  const daemon = await driver((asked) => Promise.resolve(replied({ tool: asked.tool })));
  const h = lines([
    "--socket",
    daemon.socket,
    "--embedded",
    "--host-bundle-id",
    "com.example.host",
    "--grant",
    "existing-profile",
    "--claude-code-computer-use-compat",
  ]);
  const ids = [1, 2, 3, 4];
  const first = await h.ask("initialize", {}, 1);
  expect(first.result).toMatchObject({ protocolVersion: "2025-06-18", serverInfo: { name: "cua-driver" } });
  expect((await h.ask("tools/list", undefined, 2)).result?.tools).toBeInstanceOf(Array);
  const call = await h.ask("tools/call", { name: "list_windows" }, 3);
  expect(call.result).toMatchObject({ structuredContent: { tool: "list_windows" } });
  await h.ask("tools/call", { name: "click", arguments: {} }, 4);
  expect(h.messages.map((message) => message.id)).toEqual(ids);
});

test("what is no message is answered and survived; standard output is protocol only", async () => {
  const daemon = await driver(() => Promise.resolve(replied({})));
  const h = lines(["--socket", daemon.socket]);
  await hello(h);
  const bad = [
    '{"jsonrpc": "2.0", "id": 1, "method": ',
    "[]",
    '"x"',
    "17",
    "null",
    '{"id": 5}',
    "\u0000\u0001",
    "{}",
  ];
  for (const line of bad) h.write(line);
  h.write('{"jsonrpc":"2.0","id":9,"method":"ping","params":null,"more":1}');
  expect((await h.answer(9)).result).toEqual({});
  expect((await h.ask("no/such", {})).error?.code).toBe(-32601);
  for (const [params, said] of [
    [{ name: 7 }, /^params\.name: .*string/],
    [{ name: "click", arguments: [1] }, /^params\.arguments: /],
    [{ name: "click", arguments: "x" }, /^params\.arguments: /],
    [undefined, /^params: /],
  ] as const)
    expect((await h.ask("tools/call", params)).error).toMatchObject({
      code: -32602,
      message: expect.stringMatching(said),
    });
  expect((await h.ask("tools/call", { name: "list_windows", arguments: {} })).result).toBeDefined();
  for (const message of h.messages) expect(message.jsonrpc).toBe("2.0");
});

test("a version nobody speaks is answered with one that is spoken", async () => {
  const answer = await hello(lines(["--socket", "/tmp/nobody.sock"]), "1999-01-01");
  expect(answer.result?.protocolVersion).toMatch(/^20\d\d-\d\d-\d\d$/);
});

test("the end of input ends the process with 0, also in the middle of a call, which is taken back", async () => {
  const daemon = await driver(async (asked) => {
    await asked.cancelled;
    return replied({});
  });
  const h = lines(["--socket", daemon.socket]);
  await hello(h);
  h.send("tools/call", { name: "drag", arguments: {} });
  await expect.poll(() => daemon.asked.length, { timeout: 20_000 }).toBe(1);
  h.child.stdin.end();
  expect(await within(10_000, h.exited)).toEqual({ code: 0, signal: null });
  await within(10_000, daemon.asked[0]?.cancelled ?? Promise.reject(new Error("never asked")));
});

test("requests that were written before the end of input are answered", async () => {
  const daemon = await driver((asked) => Promise.resolve(replied({ tool: asked.tool })));
  const h = lines(["--socket", daemon.socket]);
  h.send("initialize", {}, 1);
  h.send("tools/list", {}, 2);
  h.child.stdin.end();
  expect((await within(20_000, h.exited)).code).toBe(0);
  expect(h.messages.map((message) => message.id)).toEqual([1, 2]);
});

test("a host that does not read is not in the way of its own end", async () => {
  const picture = Buffer.alloc(12 << 20, 1);
  const daemon = await driver(() => Promise.resolve(replied({}, { pictures: [picture] })));
  const h = lines(["--socket", daemon.socket]);
  await hello(h);
  h.child.stdout.pause();
  for (let id = 1; id <= 4; id++) h.send("tools/call", { name: "get_desktop_state", arguments: {} }, id);
  await expect.poll(() => daemon.asked.length, { timeout: 20_000 }).toBeGreaterThan(0);
  h.child.stdin.end();
  expect((await within(10_000, h.exited)).code).toBe(0);
});

test("answers of many megabytes come whole to a slow reader", async () => {
  const picture = Buffer.alloc(12 << 20, 2);
  const daemon = await driver(() => Promise.resolve(replied({}, { pictures: [picture] })));
  const h = lines(["--socket", daemon.socket]);
  await hello(h);
  h.child.stdout.pause();
  const ids = [1, 2, 3].map((id) => h.send("tools/call", { name: "get_desktop_state", arguments: {} }, id));
  await expect.poll(() => daemon.asked.length, { timeout: 20_000 }).toBeGreaterThan(0);
  await new Promise((resolve) => setTimeout(resolve, 300));
  h.child.stdout.resume();
  for (const id of ids) {
    const content = (await h.answer(id)).result?.content as { data: string }[];
    expect(content[0]?.data.length).toBe(Math.ceil(picture.length / 3) * 4);
  }
});

test("when the driver is gone a call says so, and the next one meets the new driver", async () => {
  const { client, daemon } = await host(() => Promise.resolve(replied({ driver: 1 })));
  expect((await client.callTool({ name: "get_config" })).structuredContent).toEqual({ driver: 1 });
  await daemon.kill();
  const { mkdirSync } = await import("node:fs");
  const { dirname } = await import("node:path");
  mkdirSync(dirname(daemon.socket), { recursive: true });
  const next = await standIn({
    answer: () => Promise.resolve(replied({ driver: 2 })),
    socket: daemon.socket,
  });
  ends.push(() => next.kill());
  expect((await client.callTool({ name: "get_config" })).structuredContent).toEqual({ driver: 2 });
});
