/** The engine in this process: it never holds up the event loop, and two live side by side. */
import { afterAll, expect, test } from "vitest";
import { AddonTransport } from "../src/addon.js";
import { Refused } from "../src/index.js";

const open: AddonTransport[] = [];
const driver = async () => {
  const one = await AddonTransport.open({});
  open.push(one);
  return one;
};
afterAll(async () => {
  for (const one of open) await one.close();
});

test("calls run beside the event loop, many at once, each with its own answer", async () => {
  const one = await driver();
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  const calls = Array.from({ length: 100 }, (_, i) =>
    i % 2 === 0 ? one.call("get_config", {}) : one.call("list_sessions", {}),
  );
  const answers = await Promise.all(calls);
  clearInterval(timer);
  expect(turns).toBeGreaterThan(0);
  answers.forEach(({ structured }, i) => {
    expect(structured).toHaveProperty(i % 2 === 0 ? "max_image_dimension" : "sessions");
  });
});

test("two engines in one process know nothing of each other", async () => {
  const [one, other] = [await driver(), await driver()];
  await one.call("start_session", { session: "mine" });
  const labels = async (of: AddonTransport) =>
    JSON.stringify((await of.call("list_sessions", {})).structured);
  expect(await labels(one)).toContain('"mine"');
  expect(await labels(other)).not.toContain('"mine"');
});

test("a refusal is thrown, and what was aborted before it began is never run", async () => {
  const one = await driver();
  const error = await one.call("clikc", {}).catch((e: unknown) => e);
  expect(error).toBeInstanceOf(Refused);
  expect((error as Refused).code).toBe("invalid_arguments");
  const aborted = one.call("get_config", {}, { signal: AbortSignal.abort() });
  await expect(aborted).rejects.toMatchObject({ code: "cancelled" });
});

test("a closed engine rejects calls, and closing twice is one end", async () => {
  const one = await driver();
  await one.close();
  await one.close();
  expect(one.alive).toBe(false);
  await expect(one.call("get_config", {})).rejects.toThrow(/closed/);
});

test("an engine lists the same tools that the MCP server does", async () => {
  const { tools } = await (await driver()).listTools();
  const { toolList } = await import("../../mcp/src/gen/list.js");
  expect(tools.map((tool) => tool.name)).toEqual(toolList().map((tool) => tool.name));
});
