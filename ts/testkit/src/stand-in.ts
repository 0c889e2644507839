/** A driver's side of the wire with answers written by a test: for what a real driver does not do on request. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type CallReply,
  type CallRequest,
  type ClientInfo,
  type DriverServer,
  DriverService,
  type Progress,
} from "@cua-driver/client/wire/driver";
import { Metadata, Server, ServerCredentials, status } from "@grpc/grpc-js";

/** One call as it came in. `cancelled` settles when the client took it back. */
export interface Asked {
  tool: string;
  args: unknown;
  timeoutMs: number;
  cancelled: Promise<void>;
  progress(step: Progress): void;
}

export interface StandIn {
  socket: string;
  /** Who said hello, in order. */
  hellos: ClientInfo[];
  asked: Asked[];
  /** How many streams of calls were opened. */
  streams(): number;
  /** Ends at once, as a killed driver does. */
  kill(): Promise<void>;
}

export interface StandInOptions {
  answer: (asked: Asked) => Promise<CallReply>;
  version?: string;
  socket?: string;
}

const LARGE = { "grpc.max_receive_message_length": 1 << 26, "grpc.max_send_message_length": 1 << 26 };

export async function standIn({ answer, version = "0.1.0", socket }: StandInOptions): Promise<StandIn> {
  const dir = mkdtempSync(join(tmpdir(), "cua-stand-in-"));
  const path = socket ?? join(dir, "s.sock");
  const server = new Server(LARGE);
  const hellos: ClientInfo[] = [];
  const asked: Asked[] = [];
  let streams = 0;
  const take = (request: CallRequest, cancelled: Promise<void>, progress: Asked["progress"]) => {
    const args: unknown = JSON.parse(request.argumentsJson);
    const one = { tool: request.tool, args, timeoutMs: request.timeoutMs, cancelled, progress };
    asked.push(one);
    return answer(one);
  };
  const service: DriverServer = {
    hello: (call, reply) => {
      if (call.request.client) hellos.push(call.request.client);
      reply(null, {
        version,
        pid: process.pid,
        display: call.request.client?.display ?? "",
        platform: "linux",
      });
    },
    listTools: (_call, reply) => reply(null, { toolsJson: '{"version":"0.1.0","tools":[]}' }),
    call: (call, reply) => {
      const cancelled = new Promise<void>((resolve) => call.once("cancelled", () => resolve()));
      take(call.request, cancelled, () => undefined).then(
        (answered) => reply(null, answered),
        (error: Error) => reply({ code: status.INTERNAL, details: error.message, metadata: new Metadata() }),
      );
    },
    calls: (stream) => {
      streams += 1;
      const cancels = new Map<number, () => void>();
      stream.once("cancelled", () => {
        for (const cancel of cancels.values()) cancel();
      });
      stream.on("end", () => stream.end());
      stream.on("data", ({ number, what }) => {
        if (what?.$case === "cancel") return cancels.get(number)?.();
        if (what?.$case !== "call") return;
        const cancelled = new Promise<void>((resolve) => cancels.set(number, resolve));
        const progress = (value: Progress) =>
          void stream.write({ number, what: { $case: "progress", value } });
        take(what.value, cancelled, progress).then(
          (value) => stream.write({ number, what: { $case: "reply", value } }),
          ({ message }: Error) =>
            stream.write({ number, what: { $case: "failure", value: { code: status.INTERNAL, message } } }),
        );
      });
    },
    status: (_call, reply) =>
      reply(null, {
        version,
        pid: process.pid,
        socket: path,
        display: "",
        uptimeMs: 1,
        sessionsJson: "[]",
        recordingJson: "null",
      }),
    watch: (call) => call.end(),
    shutdown: (_call, reply) => reply(null, {}),
  };
  server.addService(DriverService, service);
  await new Promise<void>((resolve, reject) =>
    server.bindAsync(`unix:${path}`, ServerCredentials.createInsecure(), (error) =>
      error ? reject(error) : resolve(),
    ),
  );
  return {
    socket: path,
    hellos,
    asked,
    streams: () => streams,
    kill: async () => {
      server.forceShutdown();
      rmSync(path, { force: true });
      rmSync(dir, { recursive: true, force: true });
      await new Promise((resolve) => setTimeout(resolve, 20));
    },
  };
}

export function replied(
  structured: unknown,
  more: { text?: string; pictures?: Buffer[]; failed?: boolean } = {},
): CallReply {
  return {
    outcome: {
      $case: "reply",
      value: {
        text: more.text ?? "",
        structuredJson: JSON.stringify(structured),
        pictures: (more.pictures ?? []).map((data) => ({ mime: "image/png", data })),
        failed: more.failed ?? false,
      },
    },
  };
}

export function refused(code: string, message: string, hint = "", details: unknown = null): CallReply {
  return {
    outcome: { $case: "refusal", value: { code, message, hint, detailsJson: JSON.stringify(details) } },
  };
}
