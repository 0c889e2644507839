import type { Json, JsonObject } from "./errors.js";

/** A picture as the driver made it. */
export interface Picture {
  mime: string;
  data: Uint8Array;
}

/** What a call that ran answers. */
export interface Reply {
  /** For people and models. */
  text: string;
  /** Valid against the tool's output schema. */
  structured: JsonObject;
  pictures: Picture[];
  /** It ran and did not come through (a replay that stopped): an error, not a refusal. */
  failed: boolean;
}

export interface Progress {
  done: number;
  /** 0: unknown. */
  total: number;
  message: string;
}

export interface CallOptions {
  /** Aborting cancels the call in the driver too; it then throws `Refused` with code `cancelled`. */
  signal?: AbortSignal | undefined;
  /** The caller's own bound; without it the tool's holds. */
  timeoutMs?: number | undefined;
  /** Told how far a long call is. */
  onProgress?: ((progress: Progress) => void) | undefined;
}

export interface Annotations {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
}

export interface ToolInfo {
  name: string;
  description: string;
  family: string;
  effect: string;
  input_schema: JsonObject;
  output_schema?: JsonObject | null;
  annotations: Annotations;
}

export interface ToolList {
  version: string;
  tools: ToolInfo[];
}

/** Who answers. */
export interface About {
  version: string;
  pid: number;
  /** Empty where it has none. */
  display: string;
  platform: string;
}

export interface Status {
  version: string;
  pid: number;
  /** Empty for an engine in this process. */
  socket: string;
  display: string;
  uptime_ms: number;
  sessions: Json;
  recording: Json;
}

/** One way to the driver. The same call gives the same reply and the same refusal through each. */
export interface Transport {
  readonly about: About;
  /** False once the other side is gone: this transport never comes back, open another. */
  readonly alive: boolean;
  /** Runs one tool. Throws `Refused` or `Unreachable`. */
  call(tool: string, args: JsonObject, options?: CallOptions): Promise<Reply>;
  listTools(): Promise<ToolList>;
  status(): Promise<Status>;
  /** Ends the connection, and with it its implicit session. */
  close(): Promise<void>;
}

export type ClientKind = "cli" | "mcp" | "sdk";
