/** `mcp-config`: what to put into an agent host's configuration. */
import { nativeBinary } from "@cua-driver/client";
import { type Parsed, Usage } from "./parse.js";

type Shape = (command: string) => string;

const json: Shape = (command) =>
  JSON.stringify({ mcpServers: { "cua-driver": { command, args: ["mcp"] } } }, null, 2);

/** A path as one word of a shell. */
const word = (path: string) => (/^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`);

/** Per host: what to do with the text, and the text. */
const HOSTS: Record<string, { where: string; text: Shape }> = {
  claude: {
    where: "run in a shell",
    text: (command) => `claude mcp add --transport stdio cua-driver -- ${word(command)} mcp`,
  },
  codex: {
    where: "put into ~/.codex/config.toml",
    text: (command) => `[mcp_servers.cua-driver]\ncommand = ${JSON.stringify(command)}\nargs = ["mcp"]`,
  },
  cursor: { where: "put into ~/.cursor/mcp.json", text: json },
  gemini: { where: "put into ~/.gemini/settings.json", text: json },
  opencode: {
    where: "put into opencode.json",
    text: (command) =>
      JSON.stringify({ mcp: { "cua-driver": { type: "local", command: [command, "mcp"] } } }, null, 2),
  },
  other: { where: "put into the host's MCP configuration", text: json },
};

export function mcpConfig(parsed: Parsed): number {
  const name = parsed.value("client") ?? "other";
  const host = Object.hasOwn(HOSTS, name) ? HOSTS[name] : undefined;
  if (host === undefined)
    throw new Usage(`--client is one of ${Object.keys(HOSTS).join(", ")}; "other" fits most hosts`);
  const text = host.text(nativeBinary());
  if (parsed.given("json")) {
    process.stdout.write(`${JSON.stringify({ client: name, how: host.where, text })}\n`);
    return 0;
  }
  process.stderr.write(`For ${name === "other" ? "most hosts" : name}, ${host.where}:\n`);
  process.stdout.write(`${text}\n`);
  return 0;
}
