/** `trajectory view DIR [DIR2]`: the page, served until it is closed; or one file with `--export`. */
import { spawn } from "node:child_process";
import { parseArgs, type Spec } from "../args.js";
import { fail, guarded, type Io, pathOf } from "../io.js";
import { open } from "../read.js";
import { exportPage } from "../view/export.js";
import { serve } from "../view/server.js";
import { Steps } from "../view/steps.js";

const SPEC: Spec = {
  usage: "Usage: cua-driver trajectory view DIR [DIR2] [--export FILE.html] [--open | --no-open] [--port N]",
  flags: {
    export: { kind: "text" },
    open: { kind: "switch" },
    "no-open": { kind: "switch" },
    port: { kind: "number", min: 0, max: 65_535 },
  },
  words: { min: 1, max: 2, names: "the folder of a recording" },
};

export function run(argv: readonly string[], io: Io): Promise<number> {
  return guarded(io, argv, 1, async () => {
    const given = parseArgs(argv, SPEC);
    if (given.has("help")) {
      io.out(`${SPEC.usage}\n`);
      return 0;
    }
    const [a, b] = given.words.map((word) => open(pathOf(io, word)));
    if (!a) return 2;
    const steps = new Steps(b ? [a, b] : [a]);
    const file = given.text("export");
    const say = (name: "file" | "url", value: string) =>
      io.out(given.has("json") ? `${JSON.stringify({ [name]: value })}\n` : `${value}\n`);
    if (file !== undefined) {
      const path = pathOf(io, file);
      exportPage(steps, path);
      say("file", path);
      return 0;
    }
    const wanted = given.has("open") || (io.terminal && !given.has("no-open"));
    const port = given.number("port") ?? 0;
    let serving: Serving;
    try {
      serving = await serve(steps, port);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      fail(io, argv, "failed", `cannot listen on 127.0.0.1:${port}: ${why}; leave --port out for a free one`);
      return 1;
    }
    say("url", serving.url);
    return served(serving, wanted, io);
  });
}

type Serving = Awaited<ReturnType<typeof serve>>;

async function served(serving: Serving, openIt: boolean, io: Io): Promise<number> {
  if (io.signal.aborted) serving.stop();
  io.signal.addEventListener("abort", () => serving.stop());
  if (io.terminal) io.err("ends when the page is closed, or with Ctrl-C\n");
  if (openIt) openBrowser(serving.url, io);
  const reason = await serving.ended;
  if (reason === "idle") io.err("nobody looked; ended\n");
  return 0;
}

/** The person's browser; one that cannot be started is no failure, the address is printed. */
function openBrowser(url: string, io: Io): void {
  const own = io.env.BROWSER;
  const [program, args] = own
    ? [own, [url]]
    : process.platform === "darwin"
      ? ["open", [url]]
      : process.platform === "win32"
        ? ["explorer", [url]]
        : ["xdg-open", [url]];
  const child = spawn(program as string, args as string[], { stdio: "ignore", detached: true });
  child.on("error", () => io.err(`no browser could be started; open ${url}\n`));
  child.unref();
}
