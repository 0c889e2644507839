/** The cua-driver engine in the process of Node. Most programs want `@cua-driver/sdk` with `direct: true`. */

export interface OpenOptions {
  /** Path of the native program, started as the child that lets go of input when this process dies. */
  guardian?: string | undefined;
  /** Label of the session that unlabelled calls belong to; without it an implicit one that ends with close. */
  session?: string | undefined;
}

export interface NativePicture {
  mime: string;
  data: Buffer;
}

export interface NativeReply {
  text: string;
  /** JSON, valid against the tool's output schema. */
  structuredJson: string;
  pictures: NativePicture[];
  /** The call ran and did not come through. */
  failed: boolean;
}

export interface NativeRefusal {
  code: string;
  message: string;
  hint: string;
  /** A JSON object or null. */
  detailsJson: string;
}

/** Exactly one of the two is there. */
export interface NativeAnswer {
  reply?: NativeReply;
  refusal?: NativeRefusal;
}

export interface NativeProgress {
  done: number;
  /** 0: unknown. */
  total: number;
  message: string;
}

/** One engine with one client. Several can live in one process. */
export declare class Driver {
  /** JSON: {version, display, platform}. */
  aboutJson(): string;
  /** The text of tools.json. */
  toolsJson(): string;
  /** JSON: {sessions, recording, clients, busy, uptime_ms}. */
  statusJson(): Promise<string>;
  /**
   * Runs one tool on a thread of its own. `ticket` is the caller's name of this call, for `cancel`; `timeoutMs` 0
   * leaves the tool's bound. A panic in the engine rejects.
   */
  call(
    ticket: number,
    tool: string,
    argumentsJson: string,
    timeoutMs: number,
    onProgress?: ((progress: NativeProgress) => void) | undefined,
  ): Promise<NativeAnswer>;
  cancel(ticket: number): void;
  /** Ends the sessions, lets go of all input, finalises recordings. */
  close(): Promise<void>;
}

export declare function open(options?: OpenOptions): Promise<Driver>;
