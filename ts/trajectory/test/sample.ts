/** Recordings made by code, in the promised layout, for tests and measurements. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encodePng, type JsonObject, type Picture } from "../src/index.js";

export interface Step {
  tool?: string;
  arguments?: JsonObject;
  element?: { role: string; name: string };
  /** In the picture of the window. */
  point?: { x: number; y: number };
  startMs?: number;
  durationMs?: number;
  result?: JsonObject;
  outcome?: "done" | "refused" | "failed";
  value?: string;
  /** Colour of the after-picture's marked corner. */
  mark?: [number, number, number];
  action?: JsonObject;
}

export interface Sample {
  steps: Step[];
  window?: { title: string; x: number; y: number; width: number; height: number };
  display?: { width: number; height: number };
  session?: JsonObject;
  /** A video of this many seconds, dark with a white square at each point at its time. */
  videoSeconds?: number;
  events?: JsonObject[];
  wallMs?: number;
}

const WINDOW = { title: "Ledger", x: 300, y: 120, width: 420, height: 360 };
const DISPLAY = { width: 1280, height: 800 };
export const turnName = (n: number) => `turn-${String(n).padStart(5, "0")}`;

/** A window of this size: a title bar, a few boxes, a mark in the corner, a dot. */
export function paint(
  width: number,
  height: number,
  mark: [number, number, number],
  dot?: { x: number; y: number },
): Picture {
  const rgb = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      let color =
        y < 30
          ? [60, 70, 90]
          : (Math.floor(y / 40) + Math.floor(x / 90)) % 2
            ? [244, 245, 247]
            : [226, 231, 238];
      if (x > width - 70 && y > height - 50) color = mark;
      if (dot && Math.hypot(x - dot.x, y - dot.y) < 5) color = [255, 26, 26];
      rgb.set(color, (y * width + x) * 3);
    }
  }
  return { width, height, rgb };
}

/** Write it to `dir`, which must not exist. */
export function writeSample(dir: string, sample: Sample): void {
  const window = sample.window ?? WINDOW;
  const display = sample.display ?? DISPLAY;
  const wall = sample.wallMs ?? Date.UTC(2026, 0, 1, 9);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const put = (name: string, body: string | Buffer) => writeFileSync(join(dir, name), body, { mode: 0o600 });
  const events: JsonObject[] = [...(sample.events ?? [])];
  let length = 0;
  const pictures = new Map<string, Buffer>();
  const picture = (mark: [number, number, number], dot?: { x: number; y: number }) => {
    const key = JSON.stringify([mark, dot ?? null]);
    const made = pictures.get(key) ?? encodePng(paint(window.width, window.height, mark, dot));
    pictures.set(key, made);
    return made;
  };
  let mark: [number, number, number] = [90, 120, 200];
  sample.steps.forEach((step, i) => {
    const name = turnName(i + 1);
    mkdirSync(join(dir, name), { mode: 0o700 });
    const start = step.startMs ?? 1000 + i * 1500;
    const end = start + (step.durationMs ?? 90);
    length = Math.max(length, end + 1000);
    put(
      `${name}/action.json`,
      JSON.stringify({ ...action(step, window, wall, start, end), ...step.action }, null, 2),
    );
    put(`${name}/before.png`, picture(mark));
    if (step.point) put(`${name}/click.png`, picture(mark, step.point));
    put(`${name}/before_state.json`, JSON.stringify(state(window, "")));
    mark = step.mark ?? mark;
    put(`${name}/screenshot.png`, picture(mark));
    put(`${name}/app_state.json`, JSON.stringify(state(window, step.value ?? "")));
    const got = { status: "captured" };
    const click = step.point ? got : { status: "not_applicable", why: "not a click" };
    put(
      `${name}/evidence.json`,
      JSON.stringify({ before: got, before_state: got, screenshot: got, app_state: got, click }),
    );
    events.push({ event: "turn_begun", turn: i + 1, t_ms: start, tool: step.tool ?? "click" });
    events.push({ event: "turn_ended", turn: i + 1, t_ms: end, outcome: "confirmed" });
  });
  put("events.jsonl", events.map((e) => `${JSON.stringify(e)}\n`).join(""));
  const seconds = sample.videoSeconds;
  const video =
    seconds === undefined
      ? null
      : {
          path: "recording.mp4",
          fps: 30,
          size: [display.width, display.height],
          start_ms: 0,
          end_ms: seconds * 1000,
        };
  if (seconds !== undefined) makeVideo(join(dir, "recording.mp4"), sample.steps, window, display, seconds);
  const at = (ms: number) => new Date(wall + ms).toISOString();
  put(
    "session.json",
    JSON.stringify({
      schema: "cua-trajectory",
      schema_version: 1,
      trajectory_id: "0193a1f2-7c00-7000-8000-000000000001",
      driver: { name: "cua-driver", version: "0.1.0" },
      os: { platform: "linux", backend: "x11", arch: "x86_64" },
      display: { name: ":1", scale: 1, ...display },
      started_at: at(0),
      ended_at: at(length),
      end_reason: "stopped",
      session: "cli",
      turns: sample.steps.length,
      video,
      videos: video ? [video] : [],
      ...sample.session,
    }),
  );
}

function action(step: Step, window: typeof WINDOW, wall: number, start: number, end: number): JsonObject {
  return {
    tool: step.tool ?? "click",
    arguments: step.arguments ?? { element_token: "s1a2b3c4d:3", pid: 4242, window_id: 77 },
    session: "cli",
    pid: 4242,
    window_id: 77,
    target: {
      app: { name: "Ledger", executable: "/usr/bin/ledger", wm_class: "ledger" },
      window: {
        title: window.title,
        kind: "normal",
        size: { width: window.width, height: window.height },
        origin: { x: window.x, y: window.y },
        index: 0,
        of: 1,
        unique: true,
      },
      element: {
        ...(step.element ?? { role: "button", name: "Add" }),
        raw_role: "push button",
        unique: { role_name: true },
      },
    },
    outcome: step.outcome ?? "done",
    result: step.result ?? { effect: "confirmed", route: "accessibility", delivery: { mode: "background" } },
    ...(step.point
      ? {
          click_point: {
            ...step.point,
            space: "window",
            picture: "before.png",
            window_origin: { x: window.x, y: window.y },
          },
        }
      : {}),
    timestamp: new Date(wall + start).toISOString(),
    t_start_ms: start,
    t_end_ms: end,
  };
}

function state(window: typeof WINDOW, value: string): JsonObject {
  const tail = value === "" ? "" : ` = ${JSON.stringify(value)}`;
  return {
    pid: 4242,
    window_id: 77,
    title: window.title,
    bounds: { x: window.x, y: window.y, width: window.width, height: window.height },
    element_count: 3,
    elements_complete: true,
    tree_markdown: `- window ${JSON.stringify(window.title)}\n  - [1] textbox "Name"${tail}\n  - [2] checkbox "Agree"\n  - [3] button "Add"\n`,
    elements: [
      {
        element_index: 3,
        role: "button",
        label: "Add",
        frame: { x: window.x, y: window.y + 32, w: 58, h: 32 },
      },
    ],
  };
}

function makeVideo(
  file: string,
  steps: Step[],
  window: typeof WINDOW,
  display: typeof DISPLAY,
  seconds: number,
): void {
  const boxes = steps.slice(0, 60).flatMap((step, i) => {
    if (!step.point) return [];
    const [x, y] = [window.x + step.point.x, window.y + step.point.y];
    const from = (step.startMs ?? 1000 + i * 1500) / 1000;
    return [
      `drawbox=x=${x - 20}:y=${y - 20}:w=40:h=40:c=white:t=fill:enable='between(t,${from},${from + 0.6})'`,
    ];
  });
  const grid = `drawgrid=w=80:h=80:t=1:c=0x405060`;
  const source = `color=c=0x203040:s=${display.width}x${display.height}:r=30:d=${seconds}`;
  execFileSync("ffmpeg", [
    "-v",
    "error",
    "-nostdin",
    "-y",
    "-f",
    "lavfi",
    "-i",
    source,
    "-vf",
    [grid, ...boxes].join(","),
    "-c:v",
    "libx264",
    "-preset",
    "ultrafast",
    "-pix_fmt",
    "yuv420p",
    "-movflags",
    "frag_keyframe+empty_moov",
    file,
  ]);
}

/** A folder of one's own that is gone with `end`. */
export function scratch(): { path: string; end(): void } {
  const path = mkdtempSync(join(tmpdir(), "cua-trajectory-"));
  chmodSync(path, 0o700);
  return { path, end: () => rmSync(path, { recursive: true, force: true }) };
}
