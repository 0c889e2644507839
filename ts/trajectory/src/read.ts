/** Opens a recording: its session, its turns (each read when asked for), its events, and what is wrong with it. */
import { Folder, LIMIT, type Opened } from "./folder.js";
import { BadJson, type JsonObject, number, object, parse, text } from "./json.js";
import { layoutOf, readAction, readSession } from "./migrate.js";
import { type Problem, TrajectoryError } from "./problem.js";
import { readState } from "./tree.js";
import {
  type Action,
  PICTURE_FILE,
  type PictureName,
  type Session,
  type State,
  type TrajectoryEvent,
} from "./types.js";

const TURN = /^turn-(\d{5,9})$/;

export type StateName = "before" | "after";
const STATE_FILE: Record<StateName, string> = { before: "before_state.json", after: "app_state.json" };
/** Names that recorders of the other layout gave the same thing. */
const STATE_ALIAS: Record<StateName, string> = { before: "before_state.json", after: "after_state.json" };
const PICTURE_ALIAS: Record<PictureName, string> = {
  before: "before.png",
  after: "after.png",
  click: "click.png",
};

export class Turn {
  readonly number: number;
  /** Name of its folder. */
  readonly name: string;
  readonly #of: Trajectory;
  #files: Set<string> | undefined;
  #action: Action | TrajectoryError | undefined;

  constructor(of: Trajectory, name: string, n: number) {
    this.#of = of;
    this.name = name;
    this.number = n;
  }

  /** Plain files in its folder. */
  get files(): ReadonlySet<string> {
    this.#files ??= new Set(
      this.#of.folder
        .entries(this.name)
        .filter((e) => e.kind === "file")
        .map((e) => e.name),
    );
    return this.#files;
  }

  /** What was done; throws `TrajectoryError` when `action.json` is missing or cannot be read. */
  action(): Action {
    if (this.#action instanceof TrajectoryError) throw this.#action;
    if (this.#action) return this.#action;
    try {
      const raw = this.#of.json(LIMIT.action, this.name, "action.json");
      if (text(raw.tool) === undefined)
        throw new TrajectoryError("bad_json", `${this.name}/action.json`, "names no tool");
      if (raw.arguments !== undefined && !object(raw.arguments)) {
        throw new TrajectoryError("bad_json", `${this.name}/action.json`, "arguments are not an object");
      }
      this.#action = readAction(this.#of.session.layout, raw, () => this.stateOrNone("before"));
      return this.#action;
    } catch (error) {
      if (error instanceof TrajectoryError) this.#action = error;
      throw error;
    }
  }

  /** What it did, or why that cannot be told. */
  tryAction(): { action: Action; problem?: undefined } | { action?: undefined; problem: Problem } {
    try {
      return { action: this.action() };
    } catch (error) {
      if (error instanceof TrajectoryError) return { problem: error.problem };
      throw error;
    }
  }

  /** The window's tree; `undefined` when the recording has none, throws when it is there and broken. */
  state(which: StateName): State | undefined {
    const file = [STATE_FILE[which], STATE_ALIAS[which]].find((name) => this.files.has(name));
    return file === undefined ? undefined : readState(this.#of.json(LIMIT.state, this.name, file));
  }

  stateOrNone(which: StateName): State | undefined {
    try {
      return this.state(which);
    } catch (error) {
      if (error instanceof TrajectoryError) return undefined;
      throw error;
    }
  }

  evidence(): JsonObject | undefined {
    return this.files.has("evidence.json")
      ? this.#of.json(LIMIT.action, this.name, "evidence.json")
      : undefined;
  }

  /** Name of the file with this picture, where there is one. */
  pictureFile(which: PictureName): string | undefined {
    return [PICTURE_FILE[which], PICTURE_ALIAS[which]].find((name) => this.files.has(name));
  }

  /** PNG bytes, unchecked. */
  picture(which: PictureName): Buffer | undefined {
    const file = this.pictureFile(which);
    return file === undefined ? undefined : this.#of.folder.read(LIMIT.picture, this.name, file);
  }

  /** Absolute path of a picture, safe to hand to another program: a plain file inside the recording. */
  picturePath(which: PictureName): string | undefined {
    const file = this.pictureFile(which);
    return file === undefined ? undefined : `${this.#of.folder.path}/${this.name}/${file}`;
  }
}

export class Trajectory {
  readonly folder: Folder;
  readonly session: Session;
  readonly turns: readonly Turn[];
  /** What was found wrong while opening; broken turns show when they are read. */
  readonly problems: readonly Problem[];

  private constructor(folder: Folder) {
    this.folder = folder;
    const problems: Problem[] = [];
    const entries = folder.entries();
    const turns = this.#turns(entries, problems);
    this.session = this.#session(
      entries.some((e) => e.name === "session.json"),
      turns.length,
      problems,
    );
    this.turns = turns;
    this.problems = problems;
  }

  static open(dir: string): Trajectory {
    return new Trajectory(new Folder(dir));
  }

  get dir(): string {
    return this.folder.path;
  }

  json(limit: number, ...parts: string[]): JsonObject {
    const bytes = this.folder.read(limit, ...parts);
    try {
      const value = object(parse(bytes.toString("utf8")));
      if (value) return value;
      throw new BadJson("is not an object");
    } catch (error) {
      if (error instanceof BadJson || error instanceof RangeError)
        throw new TrajectoryError("bad_json", parts.join("/"), error.message);
      throw error;
    }
  }

  turn(n: number): Turn | undefined {
    return this.turns.find((turn) => turn.number === n);
  }

  /** Lines of `events.jsonl` that are events; a last line cut by a crash is no error. */
  events(): TrajectoryEvent[] {
    let body: string;
    try {
      body = this.folder.read(LIMIT.events, "events.jsonl").toString("utf8");
    } catch (error) {
      if (error instanceof TrajectoryError) return [];
      throw error;
    }
    return body.split("\n").flatMap((line): TrajectoryEvent[] => {
      if (line.trim() === "") return [];
      try {
        const raw = object(parse(line));
        const event = text(raw?.event);
        if (!raw || event === undefined) return [];
        const [tMs, turn] = [number(raw.t_ms), number(raw.turn)];
        return [
          { event, ...(tMs === undefined ? {} : { tMs }), ...(turn === undefined ? {} : { turn }), raw },
        ];
      } catch {
        return [];
      }
    });
  }

  /** Videos that are there, opened one after the other by whoever asks. */
  openVideo(name: string): Opened {
    return this.folder.open(LIMIT.video, name);
  }

  /** Everything wrong, each turn's action, states and evidence read too. */
  check(): Problem[] {
    const found = [...this.problems];
    const keep = (read: () => unknown) => {
      try {
        read();
      } catch (error) {
        if (!(error instanceof TrajectoryError)) throw error;
        found.push(error.problem);
      }
    };
    for (const turn of this.turns) {
      keep(() => turn.action());
      keep(() => turn.state("before"));
      keep(() => turn.state("after"));
      keep(() => turn.evidence());
    }
    return found;
  }

  #turns(entries: { name: string; kind: string }[], problems: Problem[]): Turn[] {
    const turns: Turn[] = [];
    for (const { name, kind } of entries) {
      const match = TURN.exec(name);
      if (!match) {
        if (/turn|^unfinished-/i.test(name))
          problems.push({
            code: "half_turn",
            where: printable(name),
            message: "a turn that was never finished; it is left alone",
          });
        continue;
      }
      if (kind === "link")
        problems.push({ code: "link", where: name, message: "is a link; links are not followed" });
      else if (kind !== "folder")
        problems.push({ code: "not_a_file", where: name, message: "is not a folder" });
      else turns.push(new Turn(this, name, Number(match[1])));
    }
    turns.sort((a, b) => a.number - b.number || a.name.localeCompare(b.name));
    turns.forEach((turn, i) => {
      const expected = (turns[i - 1]?.number ?? 0) + 1;
      if (turn.number !== expected)
        problems.push({ code: "hole", where: turn.name, message: `turn ${expected} is missing before it` });
    });
    return turns;
  }

  #session(there: boolean, turns: number, problems: Problem[]): Session {
    if (!there) {
      if (turns === 0)
        throw new TrajectoryError(
          "not_a_recording",
          "",
          `${this.folder.path} is not a recording: it has no session.json and no turns`,
        );
      problems.push({ code: "missing", where: "session.json", message: "is missing" });
      return readSession({});
    }
    const raw = this.json(LIMIT.session, "session.json");
    layoutOf(raw);
    return readSession(raw);
  }
}

function printable(name: string): string {
  return JSON.stringify(name.slice(0, 100)).slice(1, -1);
}

/** Open the recording in `dir`; throws `TrajectoryError` with what is wrong and where. */
export function open(dir: string): Trajectory {
  return Trajectory.open(dir);
}
