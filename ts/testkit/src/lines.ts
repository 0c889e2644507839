/** A process spoken to in lines, as a host with nothing but standard input and output does. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** What the native program starts for the commands that are not its own. */
export const BUNDLE = fileURLToPath(new URL("../../cli/dist/bundle/main.js", import.meta.url));

export interface Message {
  jsonrpc?: string;
  id?: number | string | null;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { code: number; message: string };
}

export class Lines {
  readonly lines: string[] = [];
  stderr = "";
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  readonly child: ChildProcessWithoutNullStreams;
  #next = 100;

  constructor(command: string, args: string[], env: NodeJS.ProcessEnv = process.env) {
    this.child = spawn(command, args, { env, stdio: ["pipe", "pipe", "pipe"] });
    this.child.stdin.on("error", () => undefined);
    this.child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
    });
    createInterface({ input: this.child.stdout }).on("line", (line) => this.lines.push(line));
    this.exited = new Promise((resolve) =>
      this.child.once("exit", (code, signal) => resolve({ code, signal })),
    );
  }

  get messages(): Message[] {
    return this.lines.map((line) => JSON.parse(line) as Message);
  }

  write(line: string): void {
    this.child.stdin.write(`${line}\n`);
  }

  notify(method: string, params?: object): void {
    this.write(JSON.stringify({ jsonrpc: "2.0", method, params }));
  }

  /** Sends a request and answers its id. */
  send(method: string, params?: object, id: number | string = ++this.#next): number | string {
    this.write(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    return id;
  }

  /** The answer to that id; throws when it does not come. */
  async answer(id: number | string, withinMs = 20_000): Promise<Message> {
    const end = Date.now() + withinMs;
    while (Date.now() < end) {
      const found = this.messages.find((message) => message.id === id && message.method === undefined);
      if (found !== undefined) return found;
      await sleep(5);
    }
    throw new Error(`no answer to ${id}; standard error: ${this.stderr}`);
  }

  /** The first line that has this; throws when it does not come, or the process ends before. */
  async line(pattern: RegExp, withinMs = 20_000): Promise<string> {
    const end = Date.now() + withinMs;
    for (;;) {
      const found = this.lines.find((line) => pattern.test(line));
      if (found !== undefined) return found;
      if (this.child.exitCode !== null)
        throw new Error(`it ended with ${this.child.exitCode}: ${this.stderr}`);
      if (Date.now() > end) throw new Error(`no line ${pattern} within ${withinMs} ms: ${this.stderr}`);
      await sleep(10);
    }
  }

  ask(method: string, params?: object, id?: number | string): Promise<Message> {
    return this.answer(this.send(method, params, id));
  }

  async kill(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill("SIGKILL");
    await this.exited;
  }
}

export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const stop = new AbortController();
  const late = sleep(ms, undefined, { signal: stop.signal }).then(() => {
    throw new Error(`not within ${ms} ms`);
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    stop.abort();
  }
}
