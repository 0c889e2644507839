/** `trajectory diff A B`: exit 0 the same, 1 different, 2 when one cannot be read or the line says nothing doable. */
import { join } from "node:path";
import { parseArgs, type Spec } from "../args.js";
import { DEFAULTS, KINDS, type Kind } from "../diff/compare.js";
import { type Diff, diff, type TurnDiff } from "../diff/diff.js";
import { asJson, asJunit, asText } from "../diff/report.js";
import { guarded, type Io, pathOf } from "../io.js";
import { open } from "../read.js";
import { plain } from "../words.js";
import { makeFolder, writeFile } from "../write.js";

const SPEC: Spec = {
  usage:
    "Usage: cua-driver trajectory diff A B [--json] [--junit FILE] [--heat DIR] [--pixels PERCENT] [--tolerance N] [--points PX] [--ignore KIND]",
  flags: {
    junit: { kind: "text" },
    heat: { kind: "text" },
    pixels: { kind: "number", min: 0, max: 100 },
    tolerance: { kind: "number", min: 0, max: 255 },
    points: { kind: "number", min: 0, max: 10_000 },
    ignore: { kind: "many", of: KINDS },
  },
  words: { min: 2, max: 2, names: "two recordings, A and B" },
};

export function run(argv: readonly string[], io: Io): Promise<number> {
  return guarded(io, argv, 2, async () => {
    const given = parseArgs(argv, SPEC);
    if (given.has("help")) {
      io.out(`${SPEC.usage}\n`);
      return 0;
    }
    const [a, b] = given.words.map((word) => pathOf(io, word)) as [string, string];
    const found = diff(open(a), open(b), {
      pixels: given.number("pixels") ?? DEFAULTS.pixels,
      tolerance: given.number("tolerance") ?? DEFAULTS.tolerance,
      points: given.number("points") ?? DEFAULTS.points,
      ignore: new Set(given.many("ignore") as Kind[]),
    });
    const folder = given.text("heat");
    const heat = folder === undefined ? new Map<TurnDiff, string>() : writeHeat(found, pathOf(io, folder));
    const junit = given.text("junit");
    if (junit !== undefined) writeFile(pathOf(io, junit), [asJunit(found, a, b)]);
    io.out(given.has("json") ? asJson(found, a, b, (turn) => heat.get(turn)) : asText(found));
    if (!given.has("json")) for (const file of heat.values()) io.out(`${plain(file, 1000)}\n`);
    return found.same ? 0 : 1;
  });
}

/** A heat picture for every turn whose picture differs. */
function writeHeat(found: Diff, folder: string): Map<TurnDiff, string> {
  makeFolder(folder);
  const written = new Map<TurnDiff, string>();
  for (const turn of found.turns) {
    const picture = turn.differences.find((d) => d.heat)?.heat;
    if (!picture) continue;
    const file = join(folder, `turn-${String(turn.a ?? turn.b).padStart(5, "0")}-heat.png`);
    writeFile(file, [picture]);
    written.set(turn, file);
  }
  return written;
}
