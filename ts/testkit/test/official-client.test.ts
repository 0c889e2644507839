/** The official MCP client, which checks what it gets, and the real server on a real desktop. */
import { readFileSync } from "node:fs";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Scene, World } from "../../e2e/support/world.js";
import { BINARY } from "../src/index.js";

type Schema = Parameters<AjvJsonSchemaValidator["getValidator"]>[0];
interface Tool {
  name: string;
  effect: string;
  output_schema?: Schema;
}

const { tools: catalogue } = JSON.parse(
  readFileSync(new URL("../../../proto/tools.json", import.meta.url), "utf8"),
) as { tools: Tool[] };
const validators = new AjvJsonSchemaValidator();
let world: World;
let scene: Scene;
let client: Client;
const ends: (() => Promise<unknown>)[] = [];
let at: { pid: number; window_id: number };

beforeAll(async () => {
  world = await World.start();
  ends.push(() => world[Symbol.asyncDispose]());
  scene = await world.open("gtk3");
  client = new Client({ name: "test", version: "1" });
  ends.push(() => client.close());
  const env = Object.fromEntries(Object.entries(world.env).filter((pair) => pair[1] !== undefined)) as Record<
    string,
    string
  >;
  await client.connect(new StdioClientTransport({ command: BINARY, args: ["mcp"], env }));
  await client.listTools();
  const { windows } = (await call("list_windows")) as {
    windows: { title: string; pid: number; window_id: number }[];
  };
  const row = windows.find((one) => one.title === scene.title);
  at = { pid: Number(row?.pid), window_id: Number(row?.window_id) };
}, 90_000);

afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

/** The structured result; the client itself throws where it is not by the listed schema. */
async function call(name: string, args: object = {}): Promise<unknown> {
  const result = await client.callTool({ name, arguments: { ...args } });
  expect(result.isError, JSON.stringify(result.content).slice(0, 300)).toBeFalsy();
  return result.structuredContent;
}

const token = async (label: string) => {
  const { elements } = (await call("get_window_state", { ...at, include_screenshot: false })) as {
    elements: { label?: string; element_token: string; role: string }[];
  };
  return elements.find((element) => element.label === label)?.element_token;
};

const calls: [tool: string, args: () => object | Promise<object>][] = [
  ["list_windows", () => ({})],
  ["list_apps", () => ({})],
  ["get_window_state", () => at],
  ["get_window_state", () => ({ ...at, include_elements: false, include_tree_markdown: true })],
  ["get_window_state", () => ({ ...at, query: "OK", max_elements: 3 })],
  ["get_desktop_state", () => ({})],
  ["get_screen_size", () => ({})],
  ["get_cursor_position", () => ({})],
  ["zoom", () => ({ ...at, x1: 10, y1: 10, x2: 90, y2: 60 })],
  ["verify_state", () => ({ ...at, expect: [{ window: { exists: true } }, { text: "OK" }] })],
  ["wait_for", () => ({ ...at, expect: [{ window: { exists: false } }], timeout_ms: 300 })],
  ["click", async () => ({ element_token: await token("OK") })],
  ["set_value", async () => ({ ...at, element_token: await token("Name"), value: "Ada" })],
  ["type_text", async () => ({ element_token: await token("Name"), text: "x" })],
  ["select_option", async () => ({ element_token: await token("Colour"), option: "blue" })],
  ["invoke_menu", () => ({ ...at, path: ["File", "Save"] })],
  ["set_window_frame", () => ({ ...at, x: 60, y: 60, width: 500, height: 500 })],
  ["clipboard_write", () => ({ text: "hello" })],
  ["clipboard_read", () => ({ include_text: true })],
  ["start_session", () => ({ session: "checked" })],
  ["get_session", () => ({ session: "checked" })],
  ["list_sessions", () => ({})],
  ["end_session", () => ({ session: "checked" })],
  ["get_config", () => ({})],
  ["check_permissions", () => ({})],
  ["health_report", () => ({})],
  ["start_recording", () => ({ output_dir: `${world.dir}/recording` })],
  ["get_recording_state", () => ({})],
  ["stop_recording", () => ({})],
];

test.each(calls)("%s answers by its schema", async (name, args) => {
  const structured = await call(name, await args());
  const schema = catalogue.find((tool) => tool.name === name)?.output_schema;
  expect(schema).toBeDefined();
  if (schema !== undefined) expect(validators.getValidator(schema)(structured).errorMessage).toBeUndefined();
});

test("an act is felt by the application", async () => {
  const from = scene.told.length;
  await call("click", { element_token: await token("OK") });
  await scene.hears("one click", (t) => t.what === "clicked" && t.name === "OK", from);
});
