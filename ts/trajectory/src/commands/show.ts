/** `trajectory show DIR`: what a recording holds, and what is wrong with it. Exit 1 when something is. */
import { parseArgs, type Spec } from "../args.js";
import { guarded, type Io, pathOf } from "../io.js";
import { open, type Trajectory } from "../read.js";
import { headline, plain } from "../words.js";
import { columns } from "./ls.js";

const SPEC: Spec = {
  usage: "Usage: cua-driver trajectory show DIR [--json]",
  flags: {},
  words: { min: 1, max: 1, names: "the folder of a recording" },
};

export function run(argv: readonly string[], io: Io): Promise<number> {
  return guarded(io, argv, 1, async () => {
    const given = parseArgs(argv, SPEC);
    if (given.has("help")) {
      io.out(`${SPEC.usage}\n`);
      return 0;
    }
    const of = open(pathOf(io, given.words[0] ?? ""));
    const problems = of.check();
    io.out(given.has("json") ? asJson(of, problems) : asText(of));
    for (const p of problems)
      io.err(`${plain(p.where === "" ? p.message : `${p.where}: ${p.message}`, 500)}\n`);
    return problems.length === 0 ? 0 : 1;
  });
}

function asText(of: Trajectory): string {
  const { session } = of;
  const facts = [
    session.label === undefined ? undefined : `session ${session.label}`,
    session.startedAt,
    session.endReason ?? (session.layout === "older" ? "older layout" : "not ended"),
    session.driver,
    session.os,
    ...session.videos.map((video) => video.path),
  ];
  const head = plain(`${of.dir}: ${facts.filter(Boolean).join(", ")}`, 1000);
  const rows = of.turns.map((turn) => {
    const { action, problem } = turn.tryAction();
    if (!action) return [`turn ${turn.number}`, "", "", problem.message];
    const at = action.startMs === undefined ? "" : `${(action.startMs / 1000).toFixed(1)} s`;
    return [`turn ${turn.number}`, at, action.effect ?? action.outcome, headline(action)];
  });
  return `${head}\n${columns(rows)}`;
}

function asJson(of: Trajectory, problems: ReturnType<Trajectory["check"]>): string {
  const { raw: _, ...session } = of.session;
  const turns = of.turns.map((turn) => {
    const { action, problem } = turn.tryAction();
    if (!action) return { turn: turn.number, problem: problem.message };
    const { raw: __, ...rest } = action;
    return { turn: turn.number, ...rest };
  });
  return `${JSON.stringify({ dir: of.dir, session, turns, problems })}\n`;
}
