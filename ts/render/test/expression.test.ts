import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { scratch } from "../../trajectory/test/sample.js";
import { captionScript, harmless } from "../src/drawing.js";
import { piecewise, presentation, zoom } from "../src/expression.js";
import { type Mark, plan, track, viewAt } from "../src/index.js";

const temp = scratch();
afterAll(temp.end);

/** How deep the parentheses of an expression go. */
function depth(expression: string): number {
  let [now, most] = [0, 0];
  for (const c of expression) {
    if (c === "(") most = Math.max(most, ++now);
    if (c === ")") now--;
  }
  return most;
}

test.each([1, 2, 80, 300, 10_000])("%i pieces nest as deep as their logarithm", (n) => {
  const branches = Array.from({ length: n }, (_, i) => ({ below: i + 1, is: String(i) }));
  expect(depth(piecewise("n", branches))).toBeLessThanOrEqual(2 * Math.ceil(Math.log2(n)) + 2);
});

test("ffmpeg reads the zoom of three hundred acts as it was meant", () => {
  const shots = Array.from({ length: 300 }, (_, i) => ({
    startMs: 700 + i * 900,
    endMs: 750 + i * 900,
    spots: [{ x: (i * 397) % 320, y: (i * 211) % 200 }],
    extent: { w: 0, h: 0 },
  }));
  const camera = track(shots, { width: 320, height: 200, zoom: 2, lengthMs: 271_000 });
  // A picture whose red tells the column and whose green tells the row, so that a frame tells its view.
  const source = "color=c=black:s=320x200:r=30:d=12,format=gbrp,geq=r='X*0.75':g='Y':b=0";
  const file = join(temp.path, "graph.txt");
  writeFileSync(file, `${source},${zoom(camera, 320, 200, 30).join(",")}[out]`);
  const raw = execFileSync(
    "ffmpeg",
    [
      "-v",
      "error",
      "-filter_complex_script",
      file,
      "-map",
      "[out]",
      "-pix_fmt",
      "rgb24",
      "-f",
      "rawvideo",
      "-",
    ],
    { maxBuffer: 1 << 28 },
  );
  const frame = 320 * 200 * 3;
  expect(raw.length / frame).toBe(360);
  for (let n = 0; n < 360; n += 7) {
    const view = viewAt(camera, (n * 1000) / 30);
    const middle = n * frame + (100 * 320 + 160) * 3;
    expect(Math.abs((raw[middle] ?? 0) / 0.75 - (view.left + view.size * 160))).toBeLessThan(6);
    expect(Math.abs((raw[middle + 1] ?? 0) - (view.top + view.size * 100))).toBeLessThan(6);
  }
});

test("ffmpeg keeps the length that the pieces promise", () => {
  const marks = [1000, 5000].map(
    (startMs, i): Mark => ({
      turn: i + 1,
      startMs,
      endMs: startMs + 50,
      caption: "x",
      bad: false,
      ring: "none",
    }),
  );
  const made = plan(
    { width: 64, height: 64, durationMs: 8000, marks, pointer: [], paced: false },
    { zoom: 1, captions: false, speed: 1 },
  );
  const filter = `setpts='${presentation(made.pieces)}',fps=30`;
  const raw = execFileSync("ffmpeg", [
    "-v",
    "error",
    "-f",
    "lavfi",
    "-i",
    "color=c=red:s=16x16:r=25:d=8",
    "-vf",
    filter,
    "-pix_fmt",
    "gray",
    "-f",
    "rawvideo",
    "-",
  ]);
  expect(Math.abs(raw.length / 256 - (made.durationMs * 30) / 1000)).toBeLessThanOrEqual(2);
});

describe("recorded text starts no command of the subtitle language", () => {
  const cases: [string, string][] = [
    ["{\\pos(0,0)}moved", "｛⧵pos(0,0)｝moved"],
    ["a\\Nb", "a⧵Nb"],
    ["two\nlines\r\n", "two lines"],
    ["\u202eback", "back"],
  ];
  test.each(cases)("%j", (given, expected) => {
    expect(harmless(given)).toBe(expected);
  });

  test("a text with a newline is one event", () => {
    const mark: Mark = {
      turn: 1,
      startMs: 1000,
      endMs: 1100,
      caption: "x\nDialogue: 9,0:00:00.00,9:00:00.00,Good,,0,0,0,,owned",
      bad: false,
      ring: "none",
    };
    const made = plan(
      { width: 640, height: 400, durationMs: 3000, marks: [mark], pointer: [], paced: false },
      { zoom: 1, captions: true, speed: 1 },
    );
    expect(
      captionScript(made)
        .split("\n")
        .filter((line) => line.startsWith("Dialogue:")).length,
    ).toBe(1);
  });
});
