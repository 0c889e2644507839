// Generated from proto/tools.json by `cargo xtask codegen`. Do not edit.
import type { Tool } from "@modelcontextprotocol/sdk/types.js";

const text =
  "[]";

/** Every tool, as MCP lists it. */
export function toolList(): Tool[] {
  return JSON.parse(text) as Tool[];
}
