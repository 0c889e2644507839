export { type ConnectOptions, connect } from "./connect.js";
export { findSocket } from "./endpoint.js";
export {
  type Json,
  type JsonObject,
  messageOf,
  type RefusalEnvelope,
  Refused,
  Unfit,
  Unreachable,
  VersionMismatch,
} from "./errors.js";
export { Lasting } from "./lasting.js";
export { nativeBinary } from "./native.js";
export { answers, startDaemon } from "./start.js";
export type {
  About,
  Annotations,
  CallOptions,
  ClientKind,
  Picture,
  Progress,
  Reply,
  Status,
  ToolInfo,
  ToolList,
  Transport,
} from "./transport.js";
export { version } from "./version.js";
