/** `cua-driver mcp`: from the first line of standard input to its end. */
import { Lasting } from "@cua-driver/client/lasting";
import { version } from "@cua-driver/client/version";
import { makeServer } from "./server.js";
import { StdioTransport } from "./stdio.js";

/** At the end of input, what is still running gets this long before it is cancelled. */
const GRACE_MS = 400;
/** Then sessions are ended and the last answers written within this. */
const LAST_MS = 400;

export interface ServeOptions {
  /** The daemon's socket; without it that of this user and display, where one is started if need be. */
  socket?: string | undefined;
  /** Run the engine in this process instead. */
  direct?: boolean | undefined;
  /** The session that calls belong to; without it one of this connection's own. */
  session?: string | undefined;
}

/** Serves until the end of standard input; answers the exit code. */
export async function serve(options: ServeOptions): Promise<number> {
  const driver = new Lasting({ kind: "mcp", ...options });
  const transport = new StdioTransport(process.stdin, process.stdout);
  const ended = endOfInput();
  const server = makeServer(driver, version);
  // A moment later: the host usually asks for the list next, and that needs none of it.
  server.oninitialized = () => void setTimeout(() => driver.prepare().catch(() => undefined), 30);
  await server.connect(transport);
  await ended;
  await within(GRACE_MS, settled(transport));
  await transport.close();
  await within(LAST_MS, Promise.all([driver.close(), drained()]));
  return 0;
}

/** The host closed our input, or stopped reading our output. */
function endOfInput(): Promise<void> {
  return new Promise((resolve) => {
    process.stdin.once("end", resolve);
    process.stdin.once("close", resolve);
    process.stdin.once("error", () => resolve());
    process.stdout.once("error", () => resolve());
  });
}

async function settled(transport: StdioTransport): Promise<void> {
  while (transport.open.size > 0) await new Promise((resolve) => setTimeout(resolve, 10));
}

function drained(): Promise<void> {
  return new Promise((resolve) => process.stdout.write("", () => resolve()));
}

/** Waits for `work`, but not longer. */
async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work.catch(() => undefined), late]);
  clearTimeout(timer);
}
