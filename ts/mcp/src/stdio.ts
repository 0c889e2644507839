/**
 * Messages over standard input and output, one JSON object a line. Bad lines are answered and survived, what older
 * hosts leave out is put right before the SDK sees it, and a reader that is slow holds up its own requests only.
 */
import type { Readable, Writable } from "node:stream";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage, RequestId } from "@modelcontextprotocol/sdk/types.js";

/** A longer line is refused and skipped. */
const LONGEST_LINE = 64 * 1024 * 1024;
/** With more than this unread by the host, its further requests wait. */
const MOST_UNREAD = 8 * 1024 * 1024;

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const INVALID_PARAMS = -32602;
const INTERNAL = -32603;

type Fields = Record<string, unknown>;

export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Requests that were read and not yet answered. */
  readonly open = new Set<RequestId>();
  #parts: Buffer[] = [];
  #size = 0;
  #skipping = false;

  constructor(
    readonly input: Readable,
    readonly output: Writable,
  ) {}

  start(): Promise<void> {
    this.input.on("data", (chunk: Buffer) => this.#read(chunk));
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.input.removeAllListeners("data");
    this.input.pause();
    this.onclose?.();
    return Promise.resolve();
  }

  send(message: JSONRPCMessage): Promise<void> {
    if (!("method" in message) && "id" in message && message.id !== undefined) this.open.delete(message.id);
    return this.#write(worded(message));
  }

  #write(message: object): Promise<void> {
    return new Promise((resolve) => {
      // The callback comes with an error too: a host that is gone is noticed by its end of input.
      this.output.write(`${JSON.stringify(message)}\n`, () => {
        if (this.output.writableLength <= MOST_UNREAD) this.input.resume();
        resolve();
      });
      if (this.output.writableLength > MOST_UNREAD) this.input.pause();
    });
  }

  #read(chunk: Buffer): void {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      this.#keep(chunk.subarray(from, end));
      from = end + 1;
      const line = Buffer.concat(this.#parts).toString("utf8").trim();
      const skipped = this.#skipping;
      this.#parts = [];
      this.#size = 0;
      this.#skipping = false;
      if (skipped) this.#refuse(null, INVALID_REQUEST, `a message is longer than ${LONGEST_LINE >> 20} MiB`);
      else if (line !== "") this.#line(line);
    }
    this.#keep(chunk.subarray(from));
  }

  #keep(part: Buffer): void {
    if (this.#skipping || part.length === 0) return;
    this.#size += part.length;
    if (this.#size > LONGEST_LINE) {
      this.#skipping = true;
      this.#parts = [];
    } else this.#parts.push(part);
  }

  #line(line: string): void {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      this.#refuse(null, PARSE_ERROR, "a line is not JSON");
      return;
    }
    const message = repaired(value);
    if (message === undefined) {
      this.#refuse(idOf(value), INVALID_REQUEST, "a line is not a JSON-RPC message");
      return;
    }
    if ("method" in message && "id" in message) this.open.add(message.id);
    const cancelled = idOf({ id: cancelledId(message) });
    if (cancelled !== null) this.open.delete(cancelled);
    this.onmessage?.(message);
  }

  #refuse(id: RequestId | null, code: number, message: string): void {
    void this.#write({ jsonrpc: "2.0", id, error: { code, message } });
  }
}

/** The message as the SDK's schemas want it; `undefined` when it is none. */
export function repaired(value: unknown): JSONRPCMessage | undefined {
  if (!isFields(value)) return undefined;
  const id = idOf(value);
  if (typeof value.method === "string") {
    const params = value.method === "initialize" ? initializeParams(value.params) : value.params;
    const head = { jsonrpc: "2.0" as const, method: value.method, ...(isFields(params) && { params }) };
    if (id !== null) return { ...head, id };
    return "id" in value && value.id !== null ? undefined : head;
  }
  if (id === null) return undefined;
  if (isFields(value.result)) return { jsonrpc: "2.0", id, result: value.result };
  if (isFields(value.error)) {
    const { code, message } = value.error;
    return { jsonrpc: "2.0", id, error: { code: Number(code) || 0, message: String(message) } };
  }
  return undefined;
}

/** Parameters that do not fit come from the SDK as a fault of the server, with its schema's words as JSON. */
export function worded(message: JSONRPCMessage): JSONRPCMessage {
  if (!("error" in message) || message.error.code !== INTERNAL) return message;
  let issues: unknown;
  try {
    issues = JSON.parse(message.error.message);
  } catch {
    return message;
  }
  if (!Array.isArray(issues) || issues.length === 0 || !issues.every(isFields)) return message;
  const rows = issues.map(({ path, message }) => {
    const at = Array.isArray(path) ? path.join(".") : "";
    return `${at === "" ? "the request" : at}: ${String(message)}`;
  });
  return { ...message, error: { code: INVALID_PARAMS, message: rows.join("; ") } };
}

/** Some hosts say hello with nothing in it. */
function initializeParams(given: unknown): Fields {
  const params = isFields(given) ? given : {};
  const client = isFields(params.clientInfo) ? params.clientInfo : {};
  return {
    ...params,
    protocolVersion: typeof params.protocolVersion === "string" ? params.protocolVersion : "2025-06-18",
    capabilities: isFields(params.capabilities) ? params.capabilities : {},
    clientInfo: {
      ...client,
      name: typeof client.name === "string" ? client.name : "unnamed",
      version: typeof client.version === "string" ? client.version : "0",
    },
  };
}

/** A cancelled request is not answered. */
function cancelledId(message: JSONRPCMessage): unknown {
  if (!("method" in message) || message.method !== "notifications/cancelled") return undefined;
  return message.params?.requestId;
}

function idOf(value: unknown): RequestId | null {
  if (!isFields(value)) return null;
  return typeof value.id === "string" || Number.isInteger(value.id) ? (value.id as RequestId) : null;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
