#!/usr/bin/env node
/** The commands that are not on the hot path. What is not one of them is the native program's. */
import { report } from "./exit.js";
import { parse, Usage, wantsJson } from "./parse.js";
import { type Command, commandOf, globalFlags, help, row } from "./table.js";

async function main(argv: string[]): Promise<number> {
  const command = commandOf(argv);
  const json = wantsJson(argv);
  if (command === undefined || command.where === "native")
    return (await import("./native.js")).handOver(argv, json);
  const args = argv.slice(command.name.split(" ").length);
  if (args.includes("--help") || args.includes("-h")) {
    process.stdout.write(json ? `${JSON.stringify(row(command))}\n` : help(command));
    return 0;
  }
  try {
    return await dispatch(command, args);
  } catch (error) {
    return report(error, json);
  }
}

async function dispatch(command: Command, args: string[]): Promise<number> {
  switch (command.name) {
    case "mcp": {
      const parsed = parse(command, globalFlags, args);
      const socket = parsed.value("socket");
      if (socket !== undefined && parsed.given("direct"))
        throw new Usage("--socket and --direct exclude each other");
      const { serve } = await import("@cua-driver/mcp");
      // Its host may have stopped reading: what it has not read by now it never will.
      return process.exit(
        await serve({ socket, direct: parsed.given("direct"), session: parsed.value("session") }),
      );
    }
    case "config":
      return (await import("./config.js")).config(command, parse(command, globalFlags, args));
    case "mcp-config":
      return (await import("./mcp-config.js")).mcpConfig(parse(command, globalFlags, args));
    case "recording render":
      return (await import("@cua-driver/render/command")).run(args);
    default:
      if (command.name === "trajectory" || command.name.startsWith("trajectory "))
        return (await import("@cua-driver/trajectory/command")).run([
          ...command.name.split(" ").slice(1),
          ...args,
        ]);
      throw new Usage(`${command.name} is not a command of this program`);
  }
}

// A reader that has gone away is no error; an answer that could not be written is no success.
let unwritten = false;
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE" || unwritten) return;
  unwritten = true;
  process.exitCode ||= 1;
  process.stderr.write(`cua-driver: standard output: ${error.message}\n`);
});
const code = await main(process.argv.slice(2));
process.exitCode = code || (unwritten ? 1 : 0);
// Standard input may still be open, and a connection may be ending: neither keeps a finished command.
setTimeout(() => process.exit(), 2_000).unref();
process.stdout.write("", () => setImmediate(() => process.exit()));
