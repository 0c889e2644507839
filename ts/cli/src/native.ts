/** Hands the words to the native program, when this one was started by its npm name. */
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { nativeBinary } from "@cua-driver/client";
import { report } from "./exit.js";

export async function handOver(argv: string[], json: boolean): Promise<number> {
  let binary: string;
  try {
    binary = nativeBinary();
  } catch (error) {
    return report(error, json);
  }
  return new Promise((resolve) => {
    const child = spawn(binary, argv, { stdio: "inherit" });
    const pass = (signal: NodeJS.Signals) => child.kill(signal);
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, pass);
    child.once("error", (error) => resolve(report(error, json)));
    child.once("exit", (code, signal) =>
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
    );
  });
}
