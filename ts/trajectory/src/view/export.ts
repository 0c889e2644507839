/** One self-contained page: the viewer and everything it shows, each piece decoded only when it is looked at. */
import { createHash } from "node:crypto";
import { closeSync, readSync } from "node:fs";
import { deflateRawSync } from "node:zlib";
import type { Json } from "../json.js";
import { TrajectoryError } from "../problem.js";
import { writeFile } from "../write.js";
import { CHUNK, type Film, type Overview, type Row, type Side } from "./model.js";
import { encoded, exportedPage } from "./page.js";
import { leaveOut, type Steps } from "./steps.js";

/** A video larger than this stays outside. */
const FILM_BYTES = 192 << 20;
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47]);

/** Write the page, private, whole or not at all. Throws `WriteError` and `TrajectoryError`. */
export function exportPage(steps: Steps, file: string): void {
  writeFile(file, pieces(steps));
}

function* pieces(steps: Steps): Generator<string> {
  const { head, tail } = exportedPage();
  yield head;
  const overview = steps.overview();
  const films = yield* filmPieces(steps, overview);
  overview.heads.forEach((h, i) => {
    h.films = films[i] ?? [];
  });
  yield block("head", pack(overview));
  const written = new Set<string>();
  for (let from = 0; from < steps.length; from += CHUNK) {
    const rows = steps.rows(from);
    for (const row of rows) yield* picturePieces(steps, row, written);
    yield block(`rows-${from}`, pack(rows));
    for (const row of rows) yield block(`step-${row.step}`, pack(steps.detail(row.step)));
  }
  yield tail;
}

function block(id: string, text: string, type = "application/octet-stream"): string {
  return `<script type="${type}" id="${id}">${text}</script>\n`;
}

function pack(value: unknown): string {
  return encoded(deflateRawSync(Buffer.from(JSON.stringify(value as Json), "utf8")));
}

/** The row's pictures, each once however often it is shown; their keys in the row become those of the page. */
function* picturePieces(steps: Steps, row: Row, written: Set<string>): Generator<string> {
  for (const [recording, side] of [row.a, row.b].entries()) {
    if (!side) continue;
    for (const which of ["before", "click", "after"] as const) {
      if (side.pictures[which] === undefined) continue;
      const bytes = pictureOf(steps, recording, side, which);
      if (!bytes) {
        delete side.pictures[which];
        continue;
      }
      const key = `p-${createHash("sha256").update(bytes).digest("hex").slice(0, 24)}`;
      side.pictures[which] = key;
      if (written.has(key)) continue;
      written.add(key);
      yield block(key, encoded(bytes), "image/png");
    }
  }
}

function pictureOf(
  steps: Steps,
  recording: number,
  side: Side,
  which: "before" | "click" | "after",
): Buffer | undefined {
  try {
    const bytes = steps.picture(recording, side.turn, which);
    return bytes?.subarray(0, 4).equals(PNG) ? bytes : undefined;
  } catch (error) {
    if (error instanceof TrajectoryError) return undefined;
    throw error;
  }
}

/** The videos in pieces, so that none is ever one huge text. */
function* filmPieces(steps: Steps, overview: Overview): Generator<string, Film[][]> {
  const all: Film[][] = [];
  for (const [recording, head] of overview.heads.entries()) {
    const films: Film[] = [];
    for (const [index, film] of head.films.entries()) {
      if (film.key === undefined) {
        films.push(film);
        continue;
      }
      const opened = steps.film(recording, index);
      if (!opened) continue;
      try {
        if (opened.size > FILM_BYTES) {
          films.push(leaveOut(film, opened.size));
          continue;
        }
        const piece = Buffer.alloc(3 << 18);
        let n = 0;
        for (let read = fill(opened.fd, piece); read > 0; read = fill(opened.fd, piece)) {
          yield block(`v-${recording}-${index}-${n++}`, encoded(piece.subarray(0, read)), "video/mp4");
        }
        films.push({ ...film, key: `v-${recording}-${index}` });
      } finally {
        closeSync(opened.fd);
      }
    }
    all.push(films);
  }
  return all;
}

function fill(fd: number, piece: Buffer): number {
  let at = 0;
  for (
    let n = readSync(fd, piece, 0, piece.length, null);
    n > 0;
    n = readSync(fd, piece, at, piece.length - at, null)
  ) {
    at += n;
    if (at === piece.length) break;
  }
  return at;
}
