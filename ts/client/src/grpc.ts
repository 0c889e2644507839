/** The driver behind a Unix socket. One object is one connection; a lost one never comes back by itself. */
import {
  type ChannelInterface as Channel,
  type ClientUnaryCall,
  connectivityState,
  credentials,
  status as grpcStatus,
  Metadata,
  type ServiceError,
} from "@grpc/grpc-js";
import { Calls, type Failure } from "./calls.js";
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
/** What a call may carry there, with room for what goes with it. */
const MOST = LARGEST - 1024;
/** A program that never closes its connection ends so long after its last call. */
const REST_MS = 1_000;

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
  readonly #restMs: number | undefined;
  #calls: Calls | undefined;
  #closed = false;

  private constructor(client: DriverClient, about: About, kind: string) {
    this.#restMs = kind === "mcp" ? undefined : REST_MS;
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
      return new GrpcTransport(client, about, options.kind);
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
    if (request.argumentsJson.length > LARGEST / 4 && Buffer.byteLength(request.argumentsJson) > MOST)
      return Promise.reject(tooLarge(`the arguments have more than ${MOST} bytes`));
    const bound = options.timeoutMs === undefined ? LONGEST_MS : options.timeoutMs + GRACE_MS;
    if (this.#calls === undefined || this.#calls.ended)
      this.#calls = new Calls(this.#client, this.#restMs, (failure) => trouble(failure));
    return this.#calls.ask(request, bound, options).then(outcome);
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
    this.#calls?.end();
    this.#client.close();
    return Promise.resolve();
  }
}

function unary<Q, A>(method: Unary<Q, A>, request: Q, within: number): Promise<A> {
  return new Promise((resolve, reject) => {
    method(request, new Metadata(), { deadline: Date.now() + within }, (error, answer) => {
      if (error)
        reject(trouble({ code: error.code, message: error.details || error.message }, within, error));
      else resolve(answer);
    });
  });
}

function outcome(answer: CallReply): Reply {
  const { outcome } = answer;
  if (outcome?.$case === "reply") {
    const { text, structuredJson, pictures, failed } = outcome.value;
    return { text, structured: parseObject(structuredJson), pictures, failed };
  }
  if (outcome?.$case === "refusal") {
    const { code, message, hint, detailsJson } = outcome.value;
    throw new Refused({ code, message, hint, details: parseJson(detailsJson) });
  }
  throw new Unreachable("the driver answered nothing that this client understands");
}

/** gRPC's own errors, mapped once. */
function trouble({ code, message }: Failure, bound = 0, cause?: unknown): Error {
  switch (code) {
    case grpcStatus.CANCELLED:
      return new Unreachable(`the driver cancelled: ${message}`);
    case grpcStatus.DEADLINE_EXCEEDED:
      return timedOut(bound);
    case grpcStatus.UNAVAILABLE:
      return new Unreachable(`no driver answers: ${message}`, { cause });
    case grpcStatus.FAILED_PRECONDITION:
      return unfit(message);
    case grpcStatus.INVALID_ARGUMENT:
      return new Refused(
        { code: "invalid_arguments", message, hint: "Correct it and call again.", details: null },
        { cause },
      );
    case grpcStatus.RESOURCE_EXHAUSTED:
      return tooLarge(message, cause);
    default:
      return new Unreachable(`the driver failed: ${message}`, { cause });
  }
}

function tooLarge(said: string, cause?: unknown): Refused {
  return new Refused(
    {
      code: "invalid_arguments",
      message: `the message is larger than ${LARGEST >> 20} MiB: ${said}`,
      hint: "Ask for less at once, or pass a file.",
      details: null,
    },
    { cause },
  );
}

/** The daemon names both versions where they are what does not fit. */
function unfit(said: string): Error {
  const other = said.match(/\d+\.\d+\.\d+/g)?.find((one) => one !== version);
  return other === undefined ? new Unfit(said) : new VersionMismatch(version, other);
}
