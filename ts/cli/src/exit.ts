/** How a command ends: 0 done, 1 refused or failed, 2 usage, 3 driver unreachable. */
import { messageOf, Refused, Unreachable } from "@cua-driver/client/errors";
import { Usage } from "./parse.js";

/** Says what went wrong where people and programs look for it; answers the exit code. */
export function report(error: unknown, json: boolean): number {
  if (error instanceof Refused) {
    if (json) process.stdout.write(`${JSON.stringify(error.envelope)}\n`);
    else process.stderr.write(`${error.text}\n`);
    return 1;
  }
  process.stderr.write(`cua-driver: ${messageOf(error)}\n`);
  if (error instanceof Usage) return 2;
  if (error instanceof Unreachable) return 3;
  return 1;
}
