/** A recording, or two of them in step, as the page wants them: an overview, rows by the hundred, one turn in full. */
import { basename } from "node:path";
import { compareTurns, DEFAULTS } from "../diff/compare.js";
import { align, sentence } from "../diff/diff.js";
import { type Opened, size } from "../folder.js";
import { type Problem, TrajectoryError } from "../problem.js";
import type { Trajectory, Turn } from "../read.js";
import { compareTrees } from "../tree.js";
import type { PictureName } from "../types.js";
import { subject } from "../words.js";
import {
  CHUNK,
  type Detail,
  type Film,
  type Head,
  type Overview,
  type Row,
  type Side,
  type SideDetail,
} from "./model.js";

const PICTURES = ["before", "click", "after"] as const;
const TREE_ROWS = 20_000;
const PROBLEMS = 200;
const WITHOUT_PICTURES = { ...DEFAULTS, ignore: new Set(["picture"] as const) };

export class Steps {
  readonly #of: readonly Trajectory[];
  readonly #pairs: readonly [Turn | undefined, Turn | undefined][];

  /** `keyOf` names a picture for the page. Throws `TrajectoryError` when there is nothing to look at. */
  constructor(of: readonly [Trajectory] | readonly [Trajectory, Trajectory]) {
    for (const one of of) {
      if (one.turns.length === 0)
        throw new TrajectoryError("not_a_recording", "", `${one.dir} holds no turns`);
    }
    this.#of = of;
    const [a, b] = of;
    this.#pairs = b ? align(a.turns, b.turns) : a.turns.map((turn) => [turn, undefined]);
  }

  get length(): number {
    return this.#pairs.length;
  }

  get recordings(): readonly Trajectory[] {
    return this.#of;
  }

  overview(): Overview {
    const last = this.#of.map((of) => of.turns.at(-1)?.tryAction().action);
    const ends = [
      ...last.map((action) => action?.endMs ?? 0),
      ...this.#of.flatMap((of) => of.session.videos.map((v) => v.startMs + (v.durationMs ?? 0))),
    ];
    return { heads: this.#of.map(headOf), steps: this.length, endMs: Math.max(1, ...ends) };
  }

  /** Rows from `from` on, at most `CHUNK`. */
  rows(from: number): Row[] {
    return this.#pairs.slice(from, from + CHUNK).map(([a, b], i): Row => {
      const row: Row = { step: from + i };
      if (a) row.a = sideOf(a, 0);
      if (b) row.b = sideOf(b, 1);
      if (this.#of.length === 2) row.differs = !a || !b || differences(a, b, false).length > 0;
      return row;
    });
  }

  detail(step: number): Detail | undefined {
    const pair = this.#pairs[step];
    if (!pair) return undefined;
    const [a, b] = pair;
    return {
      ...(a ? { a: detailOf(a) } : {}),
      ...(b ? { b: detailOf(b) } : {}),
      differences:
        this.#of.length === 2
          ? a && b
            ? differences(a, b, true)
            : [{ kind: "turn", text: a ? "is only in A" : "is only in B" }]
          : [],
    };
  }

  /** A picture's bytes by recording and turn number. */
  picture(recording: number, turn: number, which: PictureName): Buffer | undefined {
    return this.#of[recording]?.turn(turn)?.picture(which);
  }

  /** A video opened for reading. */
  film(recording: number, index: number): Opened | undefined {
    const of = this.#of[recording];
    const video = of?.session.videos[index];
    return of && video ? of.openVideo(video.path) : undefined;
  }
}

function headOf(of: Trajectory, recording: number): Head {
  const { session } = of;
  const facts: [string, string | undefined][] = [
    ["Started", session.startedAt],
    ["Ended", session.endedAt],
    ["End", session.endReason ?? (session.layout === "older" ? "recorded by an older driver" : "not ended")],
    ["Session", session.label],
    ["Driver", session.driver],
    ["System", session.os],
    ["Display", session.display?.join(" × ")],
    ["Turns", String(of.turns.length)],
    ["Folder", of.dir],
  ];
  return {
    name: basename(of.dir),
    facts: facts.filter((fact): fact is [string, string] => fact[1] !== undefined && fact[1] !== ""),
    turns: of.turns.length,
    films: session.videos.map((_, i) => filmOf(of, recording, i)),
    problems: of.problems.slice(0, PROBLEMS).map((p): Problem => p),
  };
}

function filmOf(of: Trajectory, recording: number, index: number): Film {
  const video = of.session.videos[index];
  if (!video) return { name: "", startMs: 0 };
  const film: Film = {
    name: video.path,
    startMs: video.startMs,
    ...(video.durationMs === undefined ? {} : { durationMs: video.durationMs }),
  };
  const there = of.folder.entries().find((e) => e.name === video.path);
  if (there?.kind === "file") film.key = `v/${recording}/${index}`;
  else film.left = there ? "is no plain file" : "is missing";
  return film;
}

/** A film that is too large to be put into a page says so. */
export function leaveOut(film: Film, bytes: number): Film {
  const { key: _, ...rest } = film;
  return { ...rest, left: `is too large for one page (${size(bytes)})` };
}

function sideOf(turn: Turn, recording: number): Side {
  const pictures: Side["pictures"] = {};
  let listed = true;
  try {
    for (const which of PICTURES)
      if (turn.pictureFile(which)) pictures[which] = `p/${recording}/${turn.number}/${which}`;
  } catch (error) {
    if (!(error instanceof TrajectoryError)) throw error;
    listed = false;
  }
  const { action, problem } = turn.tryAction();
  if (!action)
    return {
      turn: turn.number,
      tool: "",
      subject: {},
      outcome: "unknown",
      problem: listed ? problem.message : "cannot be read",
      pictures,
    };
  return {
    turn: turn.number,
    tool: action.tool,
    subject: subject(action),
    outcome: action.outcome,
    ...(action.effect === undefined ? {} : { effect: action.effect }),
    ...(action.message === undefined ? {} : { message: action.message }),
    ...(action.startMs === undefined ? {} : { startMs: action.startMs }),
    ...(action.endMs === undefined ? {} : { endMs: action.endMs }),
    pictures,
  };
}

function detailOf(turn: Turn): SideDetail {
  const problems: string[] = [];
  const attempt = <T>(read: () => T): T | undefined => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof TrajectoryError)) throw error;
      problems.push(error.message);
      return undefined;
    }
  };
  const action = attempt(() => turn.action());
  const [before, after] = [attempt(() => turn.state("before")), attempt(() => turn.state("after"))];
  const title = after?.title ?? before?.title;
  const rows =
    before && after
      ? compareTrees(before.nodes, after.nodes)
      : (after ?? before)?.nodes.map((node) => ({ kind: "same" as const, node }));
  return {
    arguments: action?.arguments ?? null,
    result: action?.result ?? null,
    target: action?.target ?? null,
    evidence: attempt(() => turn.evidence()) ?? null,
    ...(action?.pid === undefined ? {} : { pid: action.pid }),
    ...(action?.timestamp === undefined ? {} : { timestamp: action.timestamp }),
    ...(title === undefined ? {} : { title }),
    tree: (rows ?? []).slice(0, TREE_ROWS),
    ...(before?.complete === false || after?.complete === false ? { treeCut: true } : {}),
    problems,
  };
}

function differences(a: Turn, b: Turn, pictures: boolean): Detail["differences"] {
  try {
    return compareTurns(a, b, pictures ? DEFAULTS : WITHOUT_PICTURES).map((d) => ({
      kind: d.kind,
      text: sentence(d).replace(new RegExp(`^${d.kind} `), ""),
    }));
  } catch (error) {
    if (error instanceof TrajectoryError) return [{ kind: "turn", text: error.message }];
    throw error;
  }
}
