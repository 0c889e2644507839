/** The engine in this process. One object is one client of one engine of its own. */
import { type Driver, open } from "@cua-driver/node";
import { cancelled, messageOf, Refused, Unreachable } from "./errors.js";
import { nativeBinary } from "./native.js";
import type { About, CallOptions, Reply, Status, ToolList, Transport } from "./transport.js";
import { parseJson, parseObject } from "./wire.js";

export interface AddonOptions {
  session?: string | undefined;
}

export class AddonTransport implements Transport {
  readonly about: About;
  readonly #driver: Driver;
  #next = 1;
  #closed = false;

  private constructor(driver: Driver, about: About) {
    this.#driver = driver;
    this.about = about;
  }

  static async open(options: AddonOptions): Promise<AddonTransport> {
    try {
      const driver = await open({ guardian: guardian(), session: options.session });
      const about = parseObject(driver.aboutJson());
      return new AddonTransport(driver, {
        version: String(about.version),
        pid: process.pid,
        display: String(about.display ?? ""),
        platform: String(about.platform),
      });
    } catch (error) {
      throw new Unreachable(`the engine did not start in this process: ${messageOf(error)}`, {
        cause: error,
      });
    }
  }

  get alive(): boolean {
    return !this.#closed;
  }

  async call(tool: string, args: object, options: CallOptions = {}): Promise<Reply> {
    const { signal, timeoutMs, onProgress } = options;
    if (signal?.aborted) throw cancelled(signal.reason);
    const ticket = this.#next++;
    const cancel = () => this.#driver.cancel(ticket);
    signal?.addEventListener("abort", cancel, { once: true });
    try {
      const answer = await this.#driver.call(ticket, tool, JSON.stringify(args), timeoutMs ?? 0, onProgress);
      if (answer.refusal) {
        const { code, message, hint, detailsJson } = answer.refusal;
        throw new Refused({ code, message, hint, details: parseJson(detailsJson) });
      }
      if (!answer.reply) throw new Unreachable("the engine gave no answer");
      const { text, structuredJson, pictures, failed } = answer.reply;
      return { text, structured: parseObject(structuredJson), pictures, failed };
    } finally {
      signal?.removeEventListener("abort", cancel);
    }
  }

  listTools(): Promise<ToolList> {
    return Promise.resolve(JSON.parse(this.#driver.toolsJson()) as ToolList);
  }

  async status(): Promise<Status> {
    const status = parseObject(await this.#driver.statusJson());
    return {
      version: this.about.version,
      pid: process.pid,
      socket: "",
      display: this.about.display,
      uptime_ms: Number(status.uptime_ms ?? 0),
      sessions: status.sessions ?? [],
      recording: status.recording ?? null,
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#driver.close();
  }
}

/** The program that lets go of input when this process dies; without one the engine holds nothing down. */
function guardian(): string | undefined {
  try {
    return nativeBinary();
  } catch {
    return undefined;
  }
}
