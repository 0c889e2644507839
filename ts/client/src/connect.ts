/** Finds a driver, or starts one, and says hello. */
import { resolve } from "node:path";
import { findSocket } from "./endpoint.js";
import { messageOf, Unfit, Unreachable } from "./errors.js";
import { nativeBinary } from "./native.js";
import { answers, startDaemon } from "./start.js";
import type { ClientKind, Transport } from "./transport.js";

export interface ConnectOptions {
  kind: ClientKind;
  /** The daemon's socket. Without it `CUA_DRIVER_SOCKET`, or that of this user and display. */
  socket?: string | undefined;
  /** The engine in this process instead of a daemon. */
  direct?: boolean | undefined;
  /** Label of the session that unlabelled calls belong to; without it the connection's own. */
  session?: string | undefined;
  /** `"start"` (default) starts a daemon where none is; `"never"` throws `Unreachable`. */
  start?: "start" | "never" | undefined;
}

const ATTEMPTS = 3;

/** Throws `Unreachable`, `VersionMismatch` or `Refused`. Every wait is bounded. */
export async function connect(options: ConnectOptions): Promise<Transport> {
  if (options.direct === true) {
    const { AddonTransport } = await import("./addon.js");
    return AddonTransport.open({ session: options.session });
  }
  const named = options.socket ?? process.env.CUA_DRIVER_SOCKET ?? "";
  const socket = named !== "" ? resolve(named) : await findSocket();
  const grpc = import("./grpc.js");
  let last: unknown;
  // A daemon may end between the look and the hello: it lives only as long as its clients.
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (!(await answers(socket))) {
      if (options.start === "never")
        throw new Unreachable(`no driver serves ${socket}: start one with \`cua-driver serve\``);
      await startDaemon(nativeBinary(), socket);
    }
    const { GrpcTransport } = await grpc;
    try {
      return await GrpcTransport.open({
        socket,
        kind: options.kind,
        session: options.session,
        display: process.env.DISPLAY,
      });
    } catch (error) {
      if (!(error instanceof Unreachable) || error instanceof Unfit) throw error;
      last = error;
    }
  }
  throw new Unreachable(`no driver answers at ${socket}: ${messageOf(last)}`, { cause: last });
}
