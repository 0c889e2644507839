/** `trajectory ls [DIR]`: the recordings below a folder, newest first. */
import { relative } from "node:path";
import { parseArgs, type Spec } from "../args.js";
import { type Found, findRecordings } from "../find.js";
import { size } from "../folder.js";
import { guarded, type Io, pathOf } from "../io.js";
import { plain } from "../words.js";

const SPEC: Spec = {
  usage: "Usage: cua-driver trajectory ls [DIR] [--json]",
  flags: {},
  words: { min: 0, max: 1, names: "a folder" },
};

export function run(argv: readonly string[], io: Io): Promise<number> {
  return guarded(io, argv, 1, async () => {
    const given = parseArgs(argv, SPEC);
    if (given.has("help")) {
      io.out(`${SPEC.usage}\n`);
      return 0;
    }
    const root = pathOf(io, given.words[0] ?? ".");
    const found = findRecordings(root, Date.now());
    if (given.has("json")) io.out(`${JSON.stringify(found.map(asJson))}\n`);
    else if (found.length === 0) io.out(`no recordings in ${plain(root, 1000)}\n`);
    else io.out(table(found, root));
    return 0;
  });
}

function asJson(found: Found) {
  const { session } = found;
  return {
    dir: found.dir,
    turns: found.turns,
    bytes: found.bytes,
    layout: session.layout,
    session: session.label ?? null,
    started_at: session.startedAt ?? null,
    ended_at: session.endedAt ?? null,
    end_reason: session.endReason ?? null,
    recording: found.live,
    video: session.videos.length > 0,
  };
}

function table(found: Found[], root: string): string {
  const rows = found.map((f) => [
    relative(root, f.dir) || ".",
    (f.session.startedAt ?? new Date(f.endedMs).toISOString()).slice(0, 16).replace("T", " "),
    `${f.turns} ${f.turns === 1 ? "turn" : "turns"}`,
    size(f.bytes),
    f.live
      ? "recording"
      : (f.session.endReason ?? (f.session.layout === "older" ? "older layout" : "not ended")),
  ]);
  return columns(rows);
}

export function columns(rows: string[][]): string {
  const shown = rows.map((row) => row.map((cell) => plain(cell, 200)));
  const widths = (shown[0] ?? []).map((_, i) => Math.max(...shown.map((row) => (row[i] ?? "").length)));
  return shown
    .map(
      (row) =>
        `${row
          .map((cell, i) => cell.padEnd(widths[i] ?? 0))
          .join("  ")
          .trimEnd()}\n`,
    )
    .join("");
}
