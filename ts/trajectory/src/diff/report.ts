/** A difference for people, for programs and for CI. */
import { plain } from "../words.js";
import { type Diff, label, sentence, type TurnDiff } from "./diff.js";

export function asText(diff: Diff): string {
  const lines = diff.turns
    .filter((turn) => turn.standing !== "same")
    .flatMap((turn) => [
      `${label(turn)}: ${plain(turn.tool)}`,
      ...turn.differences.map((d) => `  ${sentence(d)}`),
    ]);
  const n = diff.turns.filter((turn) => turn.standing !== "same").length;
  lines.push(
    n === 0
      ? `the same: ${count(diff.turns.length)}`
      : `${n} of ${count(diff.turns.length)} ${n === 1 ? "differs" : "differ"}`,
  );
  return `${lines.join("\n")}\n`;
}

function count(n: number): string {
  return `${n} ${n === 1 ? "turn" : "turns"}`;
}

/** `heat` gives the written file of a turn's heat picture, where there is one. */
export function asJson(
  diff: Diff,
  a: string,
  b: string,
  heat: (turn: TurnDiff) => string | undefined,
): string {
  const turns = diff.turns.map((turn) => ({
    ...(turn.a === undefined ? {} : { a: turn.a }),
    ...(turn.b === undefined ? {} : { b: turn.b }),
    tool: turn.tool,
    status: turn.standing,
    differences: turn.differences.map(({ heat: picture, ...rest }) =>
      picture && heat(turn) ? { ...rest, heat: heat(turn) } : rest,
    ),
  }));
  return `${JSON.stringify({ same: diff.same, a, b, turns })}\n`;
}

/** One test case a turn. */
export function asJunit(diff: Diff, a: string, b: string): string {
  const failed = diff.turns.filter((turn) => turn.standing !== "same").length;
  const cases = diff.turns.map((turn) => {
    const head = `    <testcase classname="trajectory" name="${xml(`${label(turn)} ${turn.tool}`)}"`;
    if (turn.standing === "same") return `${head}/>`;
    const text = turn.differences.map(sentence).join("\n");
    return `${head}>\n      <failure message="${xml(turn.differences[0] ? sentence(turn.differences[0]) : "differs")}">${xml(text)}</failure>\n    </testcase>`;
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites tests="${diff.turns.length}" failures="${failed}">`,
    `  <testsuite name="${xml(`${a} and ${b}`)}" tests="${diff.turns.length}" failures="${failed}">`,
    ...cases,
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

const ENTITY: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

function xml(text: string): string {
  // XML 1.0 has no way to write these.
  return text
    .replace(/(?![\t\n\r])[\p{Cc}\p{Cs}\ufffe\uffff]/gu, "\ufffd")
    .replace(/[&<>"']/g, (c) => ENTITY[c] ?? c);
}
