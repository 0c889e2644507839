/** What the driver answers, in the words of MCP. */
import { messageOf, Refused } from "@cua-driver/client/errors";
import type { Reply } from "@cua-driver/client/transport";
import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/sdk/types.js";

export const REFUSAL = "cua-driver/refusal";

export function answered(reply: Reply): CallToolResult {
  const content: ContentBlock[] = reply.text === "" ? [] : [{ type: "text", text: reply.text }];
  for (const { mime, data } of reply.pictures)
    content.push({
      type: "image",
      mimeType: mime,
      data: Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("base64"),
    });
  return {
    content,
    structuredContent: reply.structured,
    ...(reply.failed && { isError: true }),
  };
}

/** A refusal has no structured part: clients check that against the output schema. */
export function failed(error: unknown): CallToolResult {
  if (error instanceof Refused)
    return {
      isError: true,
      content: [{ type: "text", text: error.text }],
      _meta: { [REFUSAL]: error.envelope },
    };
  return { isError: true, content: [{ type: "text", text: `driver_unreachable: ${messageOf(error)}` }] };
}
