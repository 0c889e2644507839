/** The one table of commands, and what both a parser and a reader of help need of it. */
import { commands, global } from "cua:commands";

export interface Flag {
  name: string;
  short?: string;
  /** What stands for the value in help; a flag without one is a switch. */
  value?: string;
  many?: boolean;
  hidden?: boolean;
  text: string;
}

export interface Argument {
  name: string;
  required?: boolean;
  many?: boolean;
}

export interface Command {
  name: string;
  where: "native" | "ts";
  hidden?: boolean;
  summary: string;
  usage: string;
  example: string;
  text?: string;
  args: Argument[];
  flags: Flag[];
}

export const globalFlags: readonly Flag[] = global;

/** The command that the words begin with, two words before one. */
export function commandOf(words: readonly string[]): Command | undefined {
  const named = (name: string) => commands.find((command) => command.name === name);
  return named(words.slice(0, 2).join(" ")) ?? named(words[0] ?? "");
}

/** A command for programs, as the native program gives it. */
export function row(command: Command) {
  const { name, summary, usage, text = "", example } = command;
  const flags = [...command.flags, ...globalFlags]
    .filter((flag) => flag.hidden !== true)
    .map(({ name, short, value, text }) => ({ name, short, value, text }));
  const below = commands.filter((c) => c.hidden !== true && c.name.startsWith(`${command.name} `));
  return {
    name,
    summary,
    usage,
    text,
    example,
    flags,
    commands: below.map(({ name, summary }) => ({ name, summary })),
  };
}

export function help(command: Command): string {
  const shown = [...command.flags, ...globalFlags].filter((flag) => flag.hidden !== true);
  const heads = shown.map(
    (flag) =>
      `${flag.short === undefined ? "" : `-${flag.short}, `}--${flag.name}${flag.value === undefined ? "" : ` ${flag.value}`}`,
  );
  const width = Math.max(...heads.map((head) => head.length));
  const rows = shown.map((flag, i) => `  ${(heads[i] ?? "").padEnd(width)}  ${flag.text}`);
  const text = command.text === undefined ? [] : ["", command.text];
  return [
    command.summary,
    "",
    `Usage: ${command.usage}`,
    ...text,
    "",
    "Flags:",
    ...rows,
    "",
    "Example:",
    `  ${command.example}`,
    "",
  ].join("\n");
}
