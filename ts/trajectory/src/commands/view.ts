import type { Io } from "../io.js";
export async function run(_argv: readonly string[], _io: Io): Promise<number> {
  return 1;
}
