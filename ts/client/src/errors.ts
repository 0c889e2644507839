/** What can go wrong, in three kinds: an expected no, nobody there, and two that do not fit together. */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** An expected no, the same over every way in. `details` is an object per code, or null. */
export interface RefusalEnvelope {
  code: string;
  message: string;
  hint: string;
  details: Json;
}

/** The driver refused the call; nothing was sent to the application. */
export class Refused extends Error implements RefusalEnvelope {
  override readonly name = "Refused";
  readonly code: string;
  readonly hint: string;
  readonly details: Json;

  constructor(envelope: RefusalEnvelope, options?: ErrorOptions) {
    super(envelope.message, options);
    this.code = envelope.code;
    this.hint = envelope.hint;
    this.details = envelope.details;
  }

  get envelope(): RefusalEnvelope {
    return { code: this.code, message: this.message, hint: this.hint, details: this.details };
  }

  /** One line for people and models: `code: message hint`. */
  get text(): string {
    return [`${this.code}: ${this.message}`, this.hint].filter((part) => part !== "").join(" ");
  }
}

/** No driver answers, or it stopped answering. The fate of a call in flight is unknown. */
export class Unreachable extends Error {
  override readonly name: string = "Unreachable";
}

/** A driver answers and will not have this client: it serves another display. Trying again is no use. */
export class Unfit extends Unreachable {
  override readonly name: string = "Unfit";
}

/** Client and daemon are of versions that do not speak to each other. */
export class VersionMismatch extends Unfit {
  override readonly name: string = "VersionMismatch";
  constructor(
    readonly client: string,
    readonly daemon: string,
  ) {
    super(
      `this client is ${client}, the daemon ${daemon}: end the daemon with \`cua-driver stop\`, the next call starts one that fits`,
    );
  }
}

export function cancelled(cause?: unknown): Refused {
  return new Refused(
    {
      code: "cancelled",
      message: "the call was cancelled by its caller.",
      hint: "What it held was let go; look again before the next act.",
      details: null,
    },
    { cause },
  );
}

export function timedOut(timeoutMs: number): Refused {
  return new Refused({
    code: "timeout",
    message: `the driver did not answer within ${timeoutMs} ms.`,
    hint: "Look again, then retry with a longer timeout.",
    details: { timeout_ms: timeoutMs },
  });
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
