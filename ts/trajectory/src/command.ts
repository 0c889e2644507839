/** `cua-driver trajectory …`: picks the command; each is read only when it is wanted. */
import { nearest } from "./args.js";
import { type Command, type Io, processIo } from "./io.js";

const COMMANDS: Record<string, () => Promise<{ run: Command }>> = {
  ls: () => import("./commands/ls.js"),
  show: () => import("./commands/show.js"),
  view: () => import("./commands/view.js"),
  diff: () => import("./commands/diff.js"),
  clean: () => import("./commands/clean.js"),
  parameterize: () => import("./commands/parameterize.js"),
};

/** `argv` starts with the name of the command. Answers the exit code. */
export async function run(argv: readonly string[], io?: Io): Promise<number> {
  const own = io ? undefined : processIo();
  const using = io ?? own;
  if (!using) return 1;
  try {
    const [name = "", ...rest] = argv;
    const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (load) return await (await load()).run(rest, using);
    const near = nearest(name, Object.keys(COMMANDS));
    const known = Object.keys(COMMANDS).join(", ");
    using.err(
      name === ""
        ? `say what to do: ${known}\n`
        : `no command "${name}"${near ? `; did you mean ${near}?` : ` (${known})`}\n`,
    );
    return 2;
  } finally {
    own?.close();
  }
}
