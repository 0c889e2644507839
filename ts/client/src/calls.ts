/** The calls of one connection, all on one stream: an RPC for each costs several times as much. */
import { type ClientDuplexStream, Metadata, type ServiceError } from "@grpc/grpc-js";
import { cancelled, timedOut, Unreachable } from "./errors.js";
import type { CallReply, CallRequest, CallsReply, CallsRequest, DriverClient } from "./gen/driver.js";
import type { CallOptions } from "./transport.js";

/** What a call that was not made says of itself, as an RPC would. */
export interface Failure {
  code: number;
  message: string;
}

interface Open {
  options: CallOptions;
  /** Takes the call off the list. */
  release(): void;
  resolve(answer: CallReply): void;
  reject(error: Error): void;
}

export class Calls {
  readonly #stream: ClientDuplexStream<CallsRequest, CallsReply>;
  readonly #trouble: (failure: Failure) => Error;
  readonly #open = new Map<number, Open>();
  readonly #rest: NodeJS.Timeout | undefined;
  #next = 1;
  #ended = false;

  /** `restMs`: an open stream keeps the process alive, so it ends when nothing was called for so long. */
  constructor(client: DriverClient, restMs: number | undefined, trouble: (failure: Failure) => Error) {
    this.#trouble = trouble;
    this.#stream = client.calls(new Metadata());
    this.#stream.on("data", (reply) => this.#read(reply));
    this.#stream.on("error", (error: ServiceError) => {
      const { code, details, message } = error;
      this.#fail(() => this.#trouble({ code, message: details === "" ? message : details }));
    });
    this.#stream.on("end", () =>
      this.#fail(() => new Unreachable("the driver ended the call without an answer")),
    );
    if (restMs !== undefined) {
      this.#rest = setTimeout(() => {
        if (this.#open.size === 0) this.end();
        else this.#rest?.refresh();
      }, restMs);
      this.#rest.unref();
    }
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Settles with the answer, or as the abort, the bound or the end of the stream has it. */
  ask(call: CallRequest, bound: number, options: CallOptions): Promise<CallReply> {
    return new Promise((resolve, reject) => {
      const number = this.#next++;
      const abort = () => this.#drop(number, cancelled(options.signal?.reason));
      const late = setTimeout(() => this.#drop(number, timedOut(bound)), bound);
      const release = () => {
        clearTimeout(late);
        options.signal?.removeEventListener("abort", abort);
        this.#open.delete(number);
        this.#rest?.refresh();
      };
      options.signal?.addEventListener("abort", abort, { once: true });
      this.#open.set(number, { options, release, resolve, reject });
      this.#stream.write({ number, what: { $case: "call", value: call } });
    });
  }

  /** No further calls; those that run are answered. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#rest);
    this.#stream.end();
  }

  #read({ number, what }: CallsReply): void {
    const open = this.#open.get(number);
    if (open === undefined || what === undefined) return;
    if (what.$case === "progress") {
      open.options.onProgress?.(what.value);
      return;
    }
    open.release();
    if (what.$case === "reply") open.resolve(what.value);
    else open.reject(this.#trouble(what.value));
  }

  #drop(number: number, why: Error): void {
    const open = this.#open.get(number);
    if (open === undefined) return;
    open.release();
    if (!this.#ended) this.#stream.write({ number, what: { $case: "cancel", value: {} } });
    open.reject(why);
  }

  #fail(why: () => Error): void {
    this.#ended = true;
    clearTimeout(this.#rest);
    for (const open of [...this.#open.values()]) {
      open.release();
      open.reject(why());
    }
  }
}
