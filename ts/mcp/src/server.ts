/** Lists and calls what the driver lists. Adds nothing of its own. */
import type { JsonObject } from "@cua-driver/client/errors";
import type { CallOptions, Reply } from "@cua-driver/client/transport";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { Protocol } from "@modelcontextprotocol/sdk/shared/protocol.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { answered, failed } from "./answer.js";
import { toolList } from "./gen/list.js";

export const INSTRUCTIONS = `Operates desktop applications. Look first: list_windows, then get_window_state {pid, window_id} for the window's elements and picture. Act on an element by its element_token; use x,y (pixels of the last picture) where there is no element. A token holds until the next snapshot of its window. Believe "effect": confirmed was checked independently; unverifiable was sent and could not be checked: look again, or ask verify_state. Acts go to background windows without disturbing the person; only when refused background_unavailable retry that one act with delivery_mode "foreground". A refusal says what to do next.`;

/** What the server needs of the driver. */
export interface Calls {
  call(tool: string, args: JsonObject, options: CallOptions): Promise<Reply>;
}

export function makeServer(driver: Calls, version: string): Server {
  const server = new Server(
    { name: "cua-driver", title: "Desktop driver", version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );

  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: toolList() }));

  // Not Server's own: that reads every byte of every picture again to see whether it is base64.
  const setRequestHandler: Server["setRequestHandler"] = Protocol.prototype.setRequestHandler;
  setRequestHandler.call(server, CallToolRequestSchema, async ({ params }, extra) => {
    const token = params._meta?.progressToken;
    const onProgress: CallOptions["onProgress"] =
      token === undefined
        ? undefined
        : ({ done, total, message }) => {
            const known = { progressToken: token, progress: done, ...(total > 0 && { total }), message };
            extra
              .sendNotification({ method: "notifications/progress", params: known })
              .catch(() => undefined);
          };
    try {
      const args = (params.arguments ?? {}) as JsonObject;
      return answered(await driver.call(params.name, args, { signal: extra.signal, onProgress }));
    } catch (error) {
      return failed(error);
    }
  });

  return server;
}
