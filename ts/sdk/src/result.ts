import type { Picture } from "@cua-driver/client";

/** What a tool that ran answers. */
export interface Result<T> {
  /** The tool's structured result. */
  data: T;
  /** The same for people and models. */
  text: string;
  pictures: Picture[];
  /** It ran and did not come through (a replay that stopped). */
  failed: boolean;
}
