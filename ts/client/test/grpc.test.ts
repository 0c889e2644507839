import { refused, replied, type StandIn, type StandInOptions, standIn } from "@cua-driver/testkit";
import { credentials } from "@grpc/grpc-js";
import { afterEach, expect, test } from "vitest";
import { Calls } from "../src/calls.js";
import { DriverClient } from "../src/gen/driver.js";
import { connect, Lasting, type Progress, Refused, Unreachable, VersionMismatch } from "../src/index.js";

const open: { kill(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.kill();
});

async function serve(answer: StandInOptions["answer"], more: Partial<StandInOptions> = {}): Promise<StandIn> {
  const daemon = await standIn({ answer, ...more });
  open.push(daemon);
  return daemon;
}

async function client(daemon: StandIn) {
  const one = new DriverClient(`unix:${daemon.socket}`, credentials.createInsecure());
  open.unshift({ kill: async () => one.close() });
  return one;
}

async function to(daemon: StandIn) {
  const transport = await connect({ kind: "sdk", socket: daemon.socket, start: "never", session: "mine" });
  open.unshift({ kill: () => transport.close() });
  return transport;
}

test("a call carries its arguments there and its reply back, pictures as bytes", async () => {
  const picture = Buffer.alloc(12 << 20, 7);
  const daemon = await serve((asked) =>
    Promise.resolve(replied({ got: asked.args }, { text: "yes", pictures: [picture] })),
  );
  const transport = await to(daemon);
  const reply = await transport.call("zoom", { a: 'ü"\n' }, { timeoutMs: 700 });
  expect(reply.structured).toEqual({ got: { a: 'ü"\n' } });
  expect(reply.text).toBe("yes");
  expect(Buffer.compare(reply.pictures[0]?.data ?? Buffer.alloc(0), picture)).toBe(0);
  expect(daemon.asked[0]?.timeoutMs).toBe(700);
  expect(daemon.hellos).toMatchObject([{ kind: "sdk", version: "0.1.0", session: "mine" }]);
});

test("a refusal is thrown whole", async () => {
  const details = { current_token: "s00000001:4" };
  const daemon = await serve(() =>
    Promise.resolve(refused("stale_element_token", "It is gone.", "Look again.", details)),
  );
  const error = await (await to(daemon)).call("click", {}).catch((e: unknown) => e);
  expect(error).toBeInstanceOf(Refused);
  expect((error as Refused).envelope).toEqual({
    code: "stale_element_token",
    message: "It is gone.",
    hint: "Look again.",
    details,
  });
  expect((error as Refused).text).toBe("stale_element_token: It is gone. Look again.");
});

test("aborting takes the call back in the driver, and the connection lives", async () => {
  const daemon = await serve(async (asked) => {
    if (asked.tool === "drag") await asked.cancelled;
    return replied({});
  });
  const transport = await to(daemon);
  for (const onProgress of [undefined, () => undefined]) {
    const stop = new AbortController();
    const call = transport.call("drag", {}, { signal: stop.signal, onProgress });
    setTimeout(() => stop.abort(), 50);
    await expect(call).rejects.toMatchObject({ code: "cancelled" });
    await daemon.asked.at(-1)?.cancelled;
  }
  await expect(transport.call("click", {}, { signal: AbortSignal.abort() })).rejects.toMatchObject({
    code: "cancelled",
  });
  expect(daemon.asked).toHaveLength(2);
  await expect(transport.call("list_windows", {})).resolves.toBeDefined();
});

test("progress comes in order and before the reply", async () => {
  const daemon = await serve((asked) => {
    for (const done of [1, 2, 3]) asked.progress({ done, total: 3, message: `turn ${done}` });
    return Promise.resolve(replied({ end: true }));
  });
  const seen: Progress[] = [];
  const reply = await (await to(daemon)).call("replay_trajectory", {}, { onProgress: (p) => seen.push(p) });
  expect(seen.map((p) => p.message)).toEqual(["turn 1", "turn 2", "turn 3"]);
  expect(reply.structured).toEqual({ end: true });
});

test("calls run side by side, and each gets its own answer", async () => {
  let release = (): void => undefined;
  const slow = new Promise<void>((resolve) => {
    release = resolve;
  });
  const daemon = await serve(async ({ tool }) => {
    if (tool === "drag") await slow;
    if (tool === "type_text") return refused("input_busy", "Not now.");
    return replied({ tool });
  });
  const transport = await to(daemon);
  const first = transport.call("drag", {});
  await expect(transport.call("type_text", {})).rejects.toMatchObject({ code: "input_busy" });
  expect((await transport.call("click", {})).structured).toEqual({ tool: "click" });
  release();
  expect((await first).structured).toEqual({ tool: "drag" });
  expect(daemon.streams()).toBe(1);
});

test("a bound that is over ends its own call", async () => {
  const daemon = await serve(async ({ tool, cancelled }) => {
    if (tool === "drag") await cancelled;
    return replied({ tool });
  });
  const calls = new Calls(await client(daemon), undefined, ({ message }) => new Error(message));
  const ask = (tool: string) =>
    calls.ask({ tool, argumentsJson: "{}", client: undefined, timeoutMs: 0 }, 100, {});
  await expect(ask("drag")).rejects.toMatchObject({ code: "timeout", details: { timeout_ms: 100 } });
  await daemon.asked[0]?.cancelled;
  expect((await ask("click")).outcome?.$case).toBe("reply");
  calls.end();
  await expect(ask("click")).rejects.toThrow();
});

test("a stream at rest ends, so that the process may, and the next call opens another", async () => {
  const daemon = await serve(() => Promise.resolve(replied({})));
  const channel = await client(daemon);
  const calls = new Calls(channel, 100, ({ message }) => new Error(message));
  const ask = () => calls.ask({ tool: "a", argumentsJson: "{}", client: undefined, timeoutMs: 0 }, 5000, {});
  await ask();
  await ask();
  expect(calls.ended).toBe(false);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(calls.ended).toBe(true);
  const transport = await to(daemon);
  await transport.call("b", {});
  await new Promise((resolve) => setTimeout(resolve, 1300));
  await transport.call("c", {});
  expect(daemon.streams()).toBe(3);
});

test("a call that a dying driver leaves open is Unreachable and is not sent again", async () => {
  const daemon = await serve(() => new Promise(() => undefined));
  const transport = await to(daemon);
  const call = expect(transport.call("click", {})).rejects.toBeInstanceOf(Unreachable);
  while (daemon.asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await daemon.kill();
  await call;
  expect(transport.alive).toBe(false);
  await expect(transport.call("click", {})).rejects.toBeInstanceOf(Unreachable);
  expect(daemon.asked).toHaveLength(1);
});

test("a lasting connection meets the next driver with a hello of its own", async () => {
  const first = await serve(() => Promise.resolve(replied({ driver: 1 })));
  const lasting = new Lasting({ kind: "mcp", socket: first.socket, start: "never" });
  open.unshift({ kill: () => lasting.close() });
  expect((await lasting.call("get_config", {})).structured).toEqual({ driver: 1 });
  await first.kill();
  await expect(lasting.call("get_config", {})).rejects.toBeInstanceOf(Unreachable);
  const { mkdirSync } = await import("node:fs");
  const { dirname } = await import("node:path");
  mkdirSync(dirname(first.socket), { recursive: true });
  const second = await serve(() => Promise.resolve(replied({ driver: 2 })), { socket: first.socket });
  const both = await Promise.all([lasting.call("get_config", {}), lasting.call("get_config", {})]);
  expect(both.map((reply) => reply.structured)).toEqual([{ driver: 2 }, { driver: 2 }]);
  expect(second.hellos).toHaveLength(1);
});

test("nobody there, and somebody of another version, are told apart", async () => {
  await expect(connect({ kind: "sdk", socket: "/tmp/no-such.sock", start: "never" })).rejects.toThrow(
    /cua-driver serve/,
  );
  const old = await serve(() => Promise.resolve(replied({})), { version: "0.9.3" });
  const error = await connect({ kind: "sdk", socket: old.socket, start: "never" }).catch((e: unknown) => e);
  expect(error).toBeInstanceOf(VersionMismatch);
  expect((error as Error).message).toMatch(/0\.1\.0.*0\.9\.3.*cua-driver stop/);
});
