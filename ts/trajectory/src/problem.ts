/** What is wrong with a recording, in words a person can act on. */

export type ProblemCode =
  | "not_found"
  | "not_a_recording"
  | "foreign_version"
  | "bad_json"
  | "missing"
  | "half_turn"
  | "hole"
  | "link"
  | "too_large"
  | "not_a_file"
  | "unreadable"
  | "bad_picture";

/** Something about one file or folder; the rest of the recording can still be read. */
export interface Problem {
  code: ProblemCode;
  /** Path inside the recording, `turn-00002/action.json`; empty for the recording itself. */
  where: string;
  message: string;
}

/** A recording, or a part of it that was asked for, that cannot be read. */
export class TrajectoryError extends Error {
  readonly problem: Problem;

  constructor(code: ProblemCode, where: string, message: string) {
    super(where === "" ? message : `${where}: ${message}`);
    this.name = "TrajectoryError";
    this.problem = { code, where, message };
  }
}
