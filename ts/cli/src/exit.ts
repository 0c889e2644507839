/** How a command ends: 0 done, 1 refused or failed, 2 usage, 3 driver unreachable. */
import { messageOf, Refused, Unreachable } from "@cua-driver/client/errors";
import { Usage } from "./parse.js";

// What a terminal obeys, and what turns the reading direction of a line; line ends are the text's own.
const UNSAFE = /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;
const plain = (text: string) => text.replace(UNSAFE, (c) => `\\u{${c.codePointAt(0)?.toString(16)}}`);

/** Says what went wrong where people and programs look for it; answers the exit code. */
export function report(error: unknown, json: boolean): number {
  if (error instanceof Refused) {
    if (json) process.stdout.write(`${JSON.stringify(error.envelope)}\n`);
    else process.stderr.write(`${plain(error.text)}\n`);
    return 1;
  }
  const [exit, code] =
    error instanceof Usage
      ? [2, "invalid_arguments"]
      : error instanceof Unreachable
        ? [3, "driver_unreachable"]
        : [1, "failed"];
  const message = messageOf(error);
  if (json) process.stdout.write(`${JSON.stringify({ code, message, hint: "", details: null })}\n`);
  else process.stderr.write(`cua-driver: ${plain(message)}\n`);
  return exit;
}
