/** The driver as an object: connect, call tools, find applications. */

import type { Status, ToolList, Transport } from "@cua-driver/client";
import {
  type CallOptions,
  type ConnectOptions,
  connect,
  type JsonObject,
  type Reply,
} from "@cua-driver/client";
import { App } from "./app.js";
import { ToolCalls, type ToolMap } from "./gen/tools.js";
import type { Result } from "./result.js";
import { type Title, Window } from "./window.js";

export type DriverOptions = Omit<ConnectOptions, "kind">;

/** One session with one driver. Close it, or declare it with `await using`. */
export class Driver extends ToolCalls implements AsyncDisposable {
  readonly #transport: Transport;

  private constructor(transport: Transport) {
    super();
    this.#transport = transport;
  }

  /**
   * Connects to the driver of this user and display, or starts one that ends with its last client. With
   * `direct: true` the engine runs in this process. Throws `Unreachable`, `VersionMismatch` or `Refused`.
   */
  static async connect(options: DriverOptions = {}): Promise<Driver> {
    return new Driver(await connect({ ...options, kind: "sdk" }));
  }

  /** Who answers: version, pid, display. */
  get about() {
    return this.#transport.about;
  }

  override async call<N extends keyof ToolMap>(
    tool: N,
    args: ToolMap[N]["arguments"],
    options?: CallOptions,
  ): Promise<Result<ToolMap[N]["result"]>> {
    const { structured, text, pictures, failed } = await this.raw(tool, args, options);
    return { data: structured as ToolMap[N]["result"], text, pictures, failed };
  }

  /** A call by a name that need not be known when this was compiled. Throws `Refused`. */
  raw(tool: string, args: object = {}, options?: CallOptions): Promise<Reply> {
    return this.#transport.call(tool, args as JsonObject, options);
  }

  /** The tools with their schemas. */
  tools(): Promise<ToolList> {
    return this.#transport.listTools();
  }

  status(): Promise<Status> {
    return this.#transport.status();
  }

  /** The application of that name or pid; nothing is looked up before it is used. */
  app(which: string | RegExp | number): App {
    return new App(this, which);
  }

  /** The window of that title, of whatever application. */
  window(title: Title = /(?:)/): Window {
    return new Window(this, { title });
  }

  /** Ends the connection, and with it its implicit session: what it held is let go. */
  close(): Promise<void> {
    return this.#transport.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
