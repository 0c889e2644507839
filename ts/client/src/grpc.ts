/** The driver behind a Unix socket. One object is one connection; a lost one never comes back by itself. */
import {
  type ChannelInterface as Channel,
  type ClientReadableStream,
  type ClientUnaryCall,
  connectivityState,
  credentials,
  status as grpcStatus,
  Metadata,
  type ServiceError,
} from "@grpc/grpc-js";
import { cancelled, Refused, timedOut, Unfit, Unreachable, VersionMismatch } from "./errors.js";
import { type CallReply, type CallRequest, type ClientInfo, DriverClient } from "./gen/driver.js";
import type { About, CallOptions, Reply, Status, ToolList, Transport } from "./transport.js";
import { fits, version } from "./version.js";
import { parseJson, parseObject } from "./wire.js";

const LARGEST = 64 * 1024 * 1024;
/** A call without its own bound is held open this long; the driver's own bounds are far shorter. */
const LONGEST_MS = 30 * 60_000;
/** How much later than the driver this side gives up. */
const GRACE_MS = 5_000;
const SHORT_MS = 10_000;

const OPTIONS = {
  "grpc.max_receive_message_length": LARGEST,
  "grpc.max_send_message_length": LARGEST,
  "grpc.use_local_subchannel_pool": 1,
  "grpc.client_idle_timeout_ms": 2 ** 31 - 1,
  "grpc.keepalive_time_ms": 10_000,
  "grpc.keepalive_timeout_ms": 10_000,
  "grpc.enable_http_proxy": 0,
  "grpc.enable_retries": 0,
  "grpc.service_config_disable_resolution": 1,
  "grpc-node.flow_control_window": 4 * 1024 * 1024,
  "grpc-node.max_session_memory": Number.MAX_SAFE_INTEGER,
};

export interface GrpcOptions {
  socket: string;
  kind: string;
  /** Label of the session that unlabelled calls belong to; empty: the connection's own. */
  session?: string | undefined;
  /** Where this client's windows are; the driver of another display refuses. */
  display?: string | undefined;
  /** Bound of connecting and of the first answer. */
  timeoutMs?: number | undefined;
}

type Unary<Q, A> = (
  request: Q,
  metadata: Metadata,
  options: { deadline: number },
  callback: (error: ServiceError | null, answer: A) => void,
) => ClientUnaryCall;

export class GrpcTransport implements Transport {
  readonly about: About;
  readonly #client: DriverClient;
  readonly #channel: Channel;
  #closed = false;

  private constructor(client: DriverClient, about: About) {
    this.#client = client;
    this.#channel = client.getChannel();
    this.about = about;
  }

  /** Connects and says hello. Throws `Unreachable`, `VersionMismatch`, or `Refused` by the daemon. */
  static async open(options: GrpcOptions): Promise<GrpcTransport> {
    const client = new DriverClient(`unix:${options.socket}`, credentials.createInsecure(), OPTIONS);
    const info: ClientInfo = {
      version,
      kind: options.kind,
      display: options.display ?? "",
      session: options.session ?? "",
    };
    const within = options.timeoutMs ?? SHORT_MS;
    try {
      const about = await unary(client.hello.bind(client), { client: info }, within);
      if (!fits(version, about.version)) throw new VersionMismatch(version, about.version);
      return new GrpcTransport(client, about);
    } catch (error) {
      client.close();
      throw error;
    }
  }

  get alive(): boolean {
    return !this.#closed && this.#channel.getConnectivityState(false) === connectivityState.READY;
  }

  call(tool: string, args: object, options: CallOptions = {}): Promise<Reply> {
    if (options.signal?.aborted) return Promise.reject(cancelled(options.signal.reason));
    if (!this.alive) return Promise.reject(new Unreachable("the connection to the driver is lost"));
    const request: CallRequest = {
      tool,
      argumentsJson: JSON.stringify(args),
      client: undefined,
      timeoutMs: options.timeoutMs ?? 0,
    };
    const bound = options.timeoutMs === undefined ? LONGEST_MS : options.timeoutMs + GRACE_MS;
    return options.onProgress === undefined
      ? this.#once(request, bound, options)
      : this.#stream(request, bound, options, options.onProgress);
  }

  #once(request: CallRequest, bound: number, options: CallOptions): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const call = this.#client.call(
        request,
        new Metadata(),
        { deadline: Date.now() + bound },
        (error, answer) => {
          release();
          if (error) reject(trouble(error, bound, options.signal));
          else settle(answer, resolve, reject);
        },
      );
      const release = onAbort(options.signal, call);
    });
  }

  #stream(
    request: CallRequest,
    bound: number,
    options: CallOptions,
    onProgress: NonNullable<CallOptions["onProgress"]>,
  ): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const call = this.#client.callStream(request, new Metadata(), { deadline: Date.now() + bound });
      const release = onAbort(options.signal, call);
      call.on("data", ({ event }) => {
        if (event?.$case === "progress") onProgress(event.value);
        else if (event?.$case === "reply") settle(event.value, resolve, reject);
      });
      call.on("error", (error: ServiceError) => {
        release();
        reject(trouble(error, bound, options.signal));
      });
      call.on("end", () => {
        release();
        reject(new Unreachable("the driver ended the call without an answer"));
      });
    });
  }

  async listTools(): Promise<ToolList> {
    const reply = await unary(this.#client.listTools.bind(this.#client), {}, SHORT_MS);
    return JSON.parse(reply.toolsJson) as ToolList;
  }

  async status(): Promise<Status> {
    const s = await unary(this.#client.status.bind(this.#client), {}, SHORT_MS);
    return {
      version: s.version,
      pid: s.pid,
      socket: s.socket,
      display: s.display,
      uptime_ms: s.uptimeMs,
      sessions: parseJson(s.sessionsJson),
      recording: parseJson(s.recordingJson),
    };
  }

  close(): Promise<void> {
    this.#closed = true;
    this.#client.close();
    return Promise.resolve();
  }
}

function unary<Q, A>(method: Unary<Q, A>, request: Q, within: number): Promise<A> {
  return new Promise((resolve, reject) => {
    method(request, new Metadata(), { deadline: Date.now() + within }, (error, answer) => {
      if (error) reject(trouble(error, within, undefined));
      else resolve(answer);
    });
  });
}

function onAbort(
  signal: AbortSignal | undefined,
  call: Pick<ClientUnaryCall, "cancel"> | Pick<ClientReadableStream<unknown>, "cancel">,
): () => void {
  if (signal === undefined) return () => undefined;
  const cancel = () => call.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  return () => signal.removeEventListener("abort", cancel);
}

function settle(answer: CallReply, resolve: (reply: Reply) => void, reject: (error: Error) => void): void {
  const outcome = answer.outcome;
  if (outcome?.$case === "reply") {
    const { text, structuredJson, pictures, failed } = outcome.value;
    resolve({ text, structured: parseObject(structuredJson), pictures, failed });
  } else if (outcome?.$case === "refusal") {
    const { code, message, hint, detailsJson } = outcome.value;
    reject(new Refused({ code, message, hint, details: parseJson(detailsJson) }));
  } else {
    reject(new Unreachable("the driver answered nothing that this client understands"));
  }
}

/** gRPC's own errors, mapped once. */
function trouble(error: ServiceError, bound: number, signal: AbortSignal | undefined): Error {
  const said = error.details === "" ? error.message : error.details;
  switch (error.code) {
    case grpcStatus.CANCELLED:
      return signal?.aborted ? cancelled(signal.reason) : new Unreachable(`the driver cancelled: ${said}`);
    case grpcStatus.DEADLINE_EXCEEDED:
      return timedOut(bound);
    case grpcStatus.UNAVAILABLE:
      return new Unreachable(`no driver answers: ${said}`, { cause: error });
    case grpcStatus.FAILED_PRECONDITION:
      return unfit(said);
    case grpcStatus.INVALID_ARGUMENT:
      return new Refused(
        { code: "invalid_arguments", message: said, hint: "Correct it and call again.", details: null },
        { cause: error },
      );
    case grpcStatus.RESOURCE_EXHAUSTED:
      return new Refused(
        {
          code: "invalid_arguments",
          message: `the message is larger than ${LARGEST >> 20} MiB: ${said}`,
          hint: "Ask for less at once, or pass a file.",
          details: null,
        },
        { cause: error },
      );
    default:
      return new Unreachable(`the driver failed: ${said}`, { cause: error });
  }
}

/** The daemon names both versions where they are what does not fit. */
function unfit(said: string): Error {
  const other = said.match(/\d+\.\d+\.\d+/g)?.find((one) => one !== version);
  return other === undefined ? new Unfit(said) : new VersionMismatch(version, other);
}
