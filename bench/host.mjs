// An MCP host that has standard input and output only.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { BIN } from "./desktop.mjs";

export class Host {
  #next = 0;
  #waiting = new Map();

  constructor(env) {
    this.child = spawn(BIN, ["mcp"], { env, stdio: ["pipe", "pipe", "ignore"] });
    createInterface({ input: this.child.stdout }).on("line", (line) => {
      const message = JSON.parse(line);
      this.#waiting.get(message.id)?.(message);
      this.#waiting.delete(message.id);
    });
    this.child.once("exit", (code) => {
      for (const done of this.#waiting.values()) done({ error: { message: `mcp ended with ${code}` } });
    });
  }

  ask(method, params) {
    this.#next += 1;
    const id = this.#next;
    const answer = new Promise((done) => this.#waiting.set(id, done));
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return answer;
  }

  async call(name, args) {
    const { result, error } = await this.ask("tools/call", { name, arguments: args });
    if (error !== undefined) throw new Error(error.message);
    if (result.isError) throw new Error(result.content?.[0]?.text ?? "refused");
    return result.structuredContent;
  }

  end() {
    this.child.stdin.end();
  }
}
