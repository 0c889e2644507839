export {
  type About,
  type CallOptions,
  type Json,
  type JsonObject,
  type Picture,
  type Progress,
  type RefusalEnvelope,
  Refused,
  type Status,
  type ToolInfo,
  type ToolList,
  Unreachable,
  VersionMismatch,
} from "@cua-driver/client";
export { App } from "./app.js";
export { Driver, type DriverOptions } from "./driver.js";
export * from "./gen/tools.js";
export { type ClickOptions, Locator } from "./locator.js";
export type { Result } from "./result.js";
export type { ElementRow, WindowRow, WindowState } from "./seen.js";
export { NotFound, type Patience } from "./wait.js";
export { type Frame, type Predicate, type Title, Window } from "./window.js";
