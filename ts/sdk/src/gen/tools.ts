// Generated from proto/tools.json by `cargo xtask codegen`. Do not edit.
import type { CallOptions, Json } from "@cua-driver/client";
import type { Result } from "../result.js";

/** Every tool by its name. */
export interface ToolMap {
}

/** One method per tool. Each throws `Refused` or `Unreachable`. */
export abstract class ToolCalls {
  abstract call<N extends keyof ToolMap>(
    tool: N,
    args: ToolMap[N]["arguments"],
    options?: CallOptions,
  ): Promise<Result<ToolMap[N]["result"]>>;
}
