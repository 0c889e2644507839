import { describe, expect, test } from "vitest";
import { type Mark, plan, type Source, TimeMap, track, viewAt } from "../src/index.js";

const mark = (turn: number, startMs: number, x?: number, y?: number, more: Partial<Mark> = {}): Mark => ({
  turn,
  startMs,
  endMs: startMs + 80,
  caption: `Click ${turn}`,
  bad: false,
  ring: "single",
  ...(x === undefined || y === undefined ? {} : { at: { x, y } }),
  ...more,
});
const source = (marks: Mark[], durationMs: number, more: Partial<Source> = {}): Source => ({
  width: 1280,
  height: 800,
  durationMs,
  marks,
  pointer: [],
  paced: false,
  ...more,
});
const usual = { zoom: 2, captions: true, speed: 1 };

describe("time", () => {
  const cases: [string, number[], number, number, number][] = [
    // [what, times of acts, length of the recording, least, most] in milliseconds
    ["a long wait between two acts is cut to a moment", [1000, 31_000], 33_000, 4000, 6000],
    ["acts close to each other keep their time", [1000, 1800, 2600], 3600, 3550, 3600],
    ["a recording without acts is a moment", [], 60_000, 500, 700],
    ["waits at both ends are cut", [20_000], 60_000, 2500, 3500],
  ];
  test.each(cases)("%s", (_, acts, length, least, most) => {
    const made = plan(
      source(
        acts.map((ms, i) => mark(i + 1, ms, 10, 10)),
        length,
      ),
      usual,
    );
    expect(made.durationMs).toBeGreaterThanOrEqual(least);
    expect(made.durationMs).toBeLessThanOrEqual(most);
    expect(made.pieces.at(-1)?.toMs).toBe(length);
  });

  test("around an act it passes as it was", () => {
    const made = plan(source([mark(1, 20_000, 5, 5)], 60_000), usual);
    const piece = made.pieces.find((p) => p.fromMs <= 20_000 && p.toMs > 20_080);
    expect(piece?.rate).toBe(1);
  });

  test("--speed 2 halves the length whatever is kept", () => {
    const of = source(
      [1000, 9000, 9500].map((ms, i) => mark(i, ms, 50, 50)),
      12_000,
    );
    expect(plan(of, { ...usual, speed: 2 }).durationMs * 2).toBeCloseTo(plan(of, usual).durationMs, 3);
  });

  test("the map has no holes and never goes back", () => {
    const map = TimeMap.of(
      [
        { from: 0, to: 100, rate: 1 },
        { from: 100, to: 1100, rate: 10 },
        { from: 1100, to: 1200, rate: 1 },
      ],
      1,
    );
    expect([-5, 0, 50, 100, 600, 1100, 1150, 1200, 9999].map((ms) => map.at(ms))).toEqual([
      0, 0, 50, 100, 150, 200, 250, 300, 300,
    ]);
  });
});

describe("camera", () => {
  const stage = { width: 1280, height: 800, zoom: 2, lengthMs: 20_000 };
  const shot = (startMs: number, x: number, y: number, extent = { w: 0, h: 0 }) => ({
    startMs,
    endMs: startMs + 80,
    spots: [{ x, y }],
    extent,
  });
  const sees = (view: { left: number; top: number; size: number }, x: number, y: number) =>
    x >= view.left && x <= view.left + 1280 * view.size && y >= view.top && y <= view.top + 800 * view.size;

  test("it is near at the act, far before and after", () => {
    const camera = track([shot(5000, 640, 400)], stage);
    expect(viewAt(camera, 0)).toEqual({ left: 0, top: 0, size: 1 });
    expect(viewAt(camera, 5000)).toEqual({ left: 320, top: 200, size: 0.5 });
    expect(viewAt(camera, 12_000)).toEqual({ left: 0, top: 0, size: 1 });
  });

  test("a corner is in sight and nothing outside of the picture is", () => {
    for (const [x, y] of [
      [0, 0],
      [1279, 799],
      [1279, 0],
      [-40, 900],
    ] as const) {
      const view = viewAt(track([shot(5000, x, y)], stage), 5000);
      expect(view.left).toBeGreaterThanOrEqual(0);
      expect(view.top + 800 * view.size).toBeLessThanOrEqual(800);
      expect(sees(view, Math.min(Math.max(x, 0), 1280), Math.min(Math.max(y, 0), 800))).toBe(true);
    }
  });

  test("chained acts in far corners are each in sight at their time, without going out between", () => {
    const shots = [shot(2000, 60, 60), shot(3400, 1220, 740), shot(4800, 1220, 60)];
    const camera = track(shots, stage);
    for (const { startMs, spots } of shots)
      expect(sees(viewAt(camera, startMs), spots[0]?.x ?? 0, spots[0]?.y ?? 0)).toBe(true);
    expect(Math.max(...[2000, 2700, 3400, 4100, 4800].map((ms) => viewAt(camera, ms).size))).toBe(0.5);
  });

  test("acts too close in time to go between are seen together", () => {
    const shots = [shot(2000, 100, 100), shot(2200, 900, 600), shot(2400, 100, 600)];
    const camera = track(shots, stage);
    for (const { startMs, spots } of shots)
      expect(sees(viewAt(camera, startMs), spots[0]?.x ?? 0, spots[0]?.y ?? 0)).toBe(true);
  });

  test("a large element is not cut off", () => {
    const view = viewAt(track([shot(5000, 640, 400, { w: 1000, h: 300 })], stage), 5000);
    expect(view.size * 1280).toBeGreaterThan(1000);
  });

  test("it never jumps: no two frames are far apart, and moves do not overlap", () => {
    const shots = Array.from({ length: 300 }, (_, i) =>
      shot(1000 + i * 700, (i * 397) % 1280, (i * 211) % 800),
    );
    const camera = track(shots, { ...stage, lengthMs: 220_000 });
    for (const [i, move] of camera.moves.slice(1).entries())
      expect(move.fromMs).toBeGreaterThanOrEqual(camera.moves[i]?.toMs ?? 0);
    let last = viewAt(camera, 0);
    for (let ms = 0; ms < 220_000; ms += 1000 / 30) {
      const now = viewAt(camera, ms);
      expect(Math.abs(now.left - last.left)).toBeLessThan(170);
      expect(Math.abs(now.size - last.size)).toBeLessThan(0.1);
      last = now;
    }
  });

  test("a zoom of 1 is no zoom", () => {
    expect(track([shot(5000, 640, 400)], { ...stage, zoom: 1 }).moves).toEqual([]);
  });
});

describe("captions", () => {
  const texts = (marks: Mark[], length = 20_000) =>
    plan(source(marks, length), usual).captions.map((c) => c.text);

  test("one a turn, never two at a time, each long enough to be read", () => {
    const made = plan(
      source(
        [1000, 3000, 5000].map((ms, i) => mark(i + 1, ms, 5, 5)),
        8000,
      ),
      usual,
    ).captions;
    expect(made.map((c) => c.text)).toEqual(["Click 1", "Click 2", "Click 3"]);
    for (const [i, c] of made.slice(1).entries()) expect(c.fromMs).toBeGreaterThanOrEqual(made[i]?.toMs ?? 0);
    for (const c of made) expect(c.toMs - c.fromMs).toBeGreaterThanOrEqual(900);
  });

  test("what follows too quickly shares one", () => {
    expect(
      texts([
        mark(1, 1000, 1, 1, { caption: "Click “+”" }),
        mark(2, 1200, 1, 1, { caption: "Click “+”" }),
        mark(3, 1400, 1, 1, { caption: "Press Return" }),
      ]),
    ).toEqual(["Click “+” ×2, Press Return"]);
    expect(texts(Array.from({ length: 4 }, (_, i) => mark(i, 1000 + i * 100, 1, 1)))).toEqual([
      "Click 0, and 3 more",
    ]);
  });

  test("a refusal stands alone", () => {
    const made = plan(
      source([mark(1, 1000, 1, 1), mark(2, 1200, 1, 1, { bad: true })], 9000),
      usual,
    ).captions;
    expect(made.map((c) => c.bad)).toEqual([false, true]);
  });

  test("without captions there are none", () => {
    expect(plan(source([mark(1, 1000, 1, 1)], 9000), { ...usual, captions: false }).captions).toEqual([]);
  });
});

describe("pointer and rings", () => {
  test("the pointer is at the point at its time, and everywhere in between once", () => {
    const made = plan(source([mark(1, 2000, 100, 100), mark(2, 4000, 900, 500)], 6000), usual);
    for (const ring of made.rings) {
      const glide = made.pointer.find((g) => g.toMs >= ring.ms);
      expect(glide?.to).toMatchObject({ x: ring.x, y: ring.y });
    }
    for (const [i, g] of made.pointer.slice(1).entries())
      expect(g.fromMs).toBeCloseTo(made.pointer[i]?.toMs ?? -1, 6);
  });

  test("measured places are followed", () => {
    const pointer = [0, 100, 200, 300].map((ms) => ({ x: ms, y: 10, ms: 1500 + ms }));
    const made = plan(source([mark(1, 2000, 400, 10)], 4000, { pointer }), usual);
    for (const at of pointer) expect(made.pointer.some((g) => g.to.x === at.x && g.to.y === 10)).toBe(true);
  });

  test("a drag goes from its start to its end while it lasts", () => {
    const made = plan(
      source([mark(1, 2000, 100, 100, { endMs: 3000, to: { x: 500, y: 300 } })], 6000),
      usual,
    );
    expect(made.rings.map(({ x, y }) => [x, y])).toEqual([
      [100, 100],
      [500, 300],
    ]);
    const middle = made.pointer.find((g) => g.to.x > 250 && g.to.x < 350);
    expect(middle).toBeDefined();
  });

  test("acts without a place draw nothing", () => {
    const made = plan(source([mark(1, 2000)], 6000), usual);
    expect([made.rings, made.pointer, made.camera.moves]).toEqual([[], [], []]);
  });
});
