/** A way to the driver that is opened at the first call and opened again when the driver went away. */
import { type ConnectOptions, connect } from "./connect.js";
import type { JsonObject } from "./errors.js";
import { Unreachable } from "./errors.js";
import type { CallOptions, Reply, Status, ToolList, Transport } from "./transport.js";

/**
 * Holds one connection. A call in flight when the driver goes away fails with `Unreachable` and is never sent a
 * second time; the next call meets a new driver, which refuses what the old one gave out.
 */
export class Lasting {
  #opening: Promise<Transport> | undefined;
  #now: Transport | undefined;
  #closed = false;

  constructor(readonly options: ConnectOptions) {}

  /** The connection of this moment, opened when there is none. */
  async transport(): Promise<Transport> {
    if (this.#closed) throw new Unreachable("this connection was closed");
    if (this.#now?.alive) return this.#now;
    this.#opening ??= this.#open();
    return this.#opening;
  }

  /** Loads what a connection is made with, so that the first call need not wait for it. Starts and sends nothing. */
  async prepare(): Promise<void> {
    await (this.options.direct === true ? import("./addon.js") : import("./grpc.js"));
  }

  async #open(): Promise<Transport> {
    try {
      await this.#now?.close();
      this.#now = undefined;
      const transport = await connect(this.options);
      if (this.#closed) {
        await transport.close();
        throw new Unreachable("this connection was closed");
      }
      this.#now = transport;
      return transport;
    } finally {
      this.#opening = undefined;
    }
  }

  async call(tool: string, args: JsonObject, options?: CallOptions): Promise<Reply> {
    return (await this.transport()).call(tool, args, options);
  }

  async listTools(): Promise<ToolList> {
    return (await this.transport()).listTools();
  }

  async status(): Promise<Status> {
    return (await this.transport()).status();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#now?.close();
  }
}
