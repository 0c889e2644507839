/** `mcp-config`: what to put into an agent host's configuration. */
import { nativeBinary } from "@cua-driver/client";
import { type Parsed, Usage } from "./parse.js";

type Shape = (command: string) => string;

const json: Shape = (command) =>
  JSON.stringify({ mcpServers: { "cua-driver": { command, args: ["mcp"] } } }, null, 2);

/** Per host: where it goes, and its text. */
const HOSTS: Record<string, { where: string; text: Shape }> = {
  claude: {
    where: "run this",
    text: (command) => `claude mcp add --transport stdio cua-driver -- ${command} mcp`,
  },
  codex: {
    where: "~/.codex/config.toml",
    text: (command) => `[mcp_servers.cua-driver]\ncommand = ${JSON.stringify(command)}\nargs = ["mcp"]`,
  },
  cursor: { where: "~/.cursor/mcp.json", text: json },
  gemini: { where: "~/.gemini/settings.json", text: json },
  opencode: {
    where: "opencode.json",
    text: (command) =>
      JSON.stringify({ mcp: { "cua-driver": { type: "local", command: [command, "mcp"] } } }, null, 2),
  },
  other: { where: "the host's MCP configuration", text: json },
};

export function mcpConfig(parsed: Parsed): number {
  const name = parsed.value("client") ?? "other";
  const host = HOSTS[name];
  if (host === undefined)
    throw new Usage(`--client is one of ${Object.keys(HOSTS).join(", ")}; "other" fits most hosts`);
  process.stderr.write(`For ${host.where}:\n`);
  process.stdout.write(`${host.text(nativeBinary())}\n`);
  return 0;
}
