import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { open } from "../src/index.js";
import { problemOf } from "./io.js";
import { scratch, turnName, writeSample } from "./sample.js";

const temp = scratch();
afterAll(temp.end);
let n = 0;

/** A good recording of three turns, hurt. */
function hurt(how: (dir: string) => void): string {
  const dir = join(temp.path, `r${n++}`);
  writeSample(dir, {
    steps: [{ tool: "type_text", arguments: { text: "Ada" }, value: "Ada" }, { point: { x: 60, y: 80 } }, {}],
  });
  how(dir);
  return dir;
}

const edit = (file: string, change: (value: Record<string, unknown>) => void) => {
  const value = JSON.parse(readFileSync(file, "utf8"));
  change(value);
  writeFileSync(file, JSON.stringify(value));
};

test("a good recording is read whole and nothing is wrong with it", () => {
  const of = open(hurt(() => {}));
  expect(of.check()).toEqual([]);
  expect(of.turns.map((turn) => [turn.number, turn.action().tool, turn.action().outcome])).toEqual([
    [1, "type_text", "ok"],
    [2, "click", "ok"],
    [3, "click", "ok"],
  ]);
  expect(of.turns[1]?.action().clickPoint).toEqual({ x: 60, y: 80, space: "window", picture: "before.png" });
  expect(of.turns[0]?.state("after")?.nodes.find((node) => node.role === "textbox")).toMatchObject({
    name: "Name",
    value: "Ada",
    depth: 1,
  });
  expect(of.session).toMatchObject({
    label: "cli",
    endReason: "stopped",
    display: [1280, 800],
    schemaVersion: 1,
  });
  expect(
    of
      .events()
      .filter((event) => event.event === "turn_begun")
      .map((event) => event.turn),
  ).toEqual([1, 2, 3]);
});

test("a recording of the older layout is brought to today's shape", () => {
  const of = open(join(import.meta.dirname, "older"));
  expect(of.session.layout).toBe("older");
  expect(of.check()).toEqual([]);
  const [type, click] = of.turns.map((turn) => turn.action());
  expect(type).toMatchObject({
    tool: "type_text",
    startMs: 208,
    endMs: 579,
    outcome: "unsure",
    effect: "unverifiable",
    timestamp: "2026-11-30T18:14:36.275Z",
  });
  expect(type?.target).toEqual({ window: { title: "Ledger" }, element: { role: "text", name: "Name" } });
  expect(click).toMatchObject({
    clickPoint: { x: 160, y: 122, space: "window" },
    target: { element: { role: "check box", name: "Agree" } },
  });
});

describe("the whole is refused", () => {
  const cases: [string, (dir: string) => void, string][] = [
    ["no such folder", (dir) => rmSync(dir, { recursive: true }), "not_found"],
    [
      "an empty folder",
      (dir) => {
        rmSync(dir, { recursive: true });
        mkdirSync(dir);
      },
      "not_a_recording",
    ],
    [
      "a file",
      (dir) => {
        rmSync(dir, { recursive: true });
        writeFileSync(dir, "x");
      },
      "not_a_recording",
    ],
    [
      "a version of the future",
      (dir) =>
        edit(join(dir, "session.json"), (s) => {
          s.schema_version = 999;
        }),
      "foreign_version session.json",
    ],
    [
      "another schema",
      (dir) =>
        edit(join(dir, "session.json"), (s) => {
          s.schema = "somebody-else";
        }),
      "foreign_version session.json",
    ],
    [
      "a version that is no number",
      (dir) =>
        edit(join(dir, "session.json"), (s) => {
          s.schema_version = "1";
        }),
      "foreign_version session.json",
    ],
    ["a session cut short", (dir) => truncateSync(join(dir, "session.json"), 40), "bad_json session.json"],
    [
      "a session that is a list",
      (dir) => writeFileSync(join(dir, "session.json"), "[1]"),
      "bad_json session.json",
    ],
    [
      "a session nested too deeply",
      (dir) => writeFileSync(join(dir, "session.json"), `${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`),
      "bad_json session.json",
    ],
    [
      "a session of two gigabytes",
      (dir) => truncateSync(join(dir, "session.json"), 2 ** 31),
      "too_large session.json",
    ],
    [
      "a session behind a link",
      (dir) => {
        renameSync(join(dir, "session.json"), join(dir, "..", "far.json"));
        symlinkSync(join(dir, "..", "far.json"), join(dir, "session.json"));
      },
      "link session.json",
    ],
  ];
  test.each(cases)("%s", (_, how, expected) => {
    expect(problemOf(() => open(hurt(how)))).toBe(expected);
  });
});

describe("the rest is read and the problem named", () => {
  const action = (dir: string) => join(dir, turnName(2), "action.json");
  const cases: [string, (dir: string) => void, string[]][] = [
    [
      "a turn that was never finished",
      (dir) => mkdirSync(join(dir, "unfinished-00004")),
      ["half_turn unfinished-00004"],
    ],
    ["a missing turn", (dir) => rmSync(join(dir, turnName(2)), { recursive: true }), ["hole turn-00003"]],
    [
      "a turn that is a link out",
      (dir) => {
        renameSync(join(dir, turnName(2)), `${dir}-far`);
        symlinkSync(`${dir}-far`, join(dir, turnName(2)));
      },
      ["link turn-00002", "hole turn-00003"],
    ],
    [
      "a turn that is a file",
      (dir) => {
        rmSync(join(dir, turnName(2)), { recursive: true });
        writeFileSync(join(dir, turnName(2)), "");
      },
      ["not_a_file turn-00002", "hole turn-00003"],
    ],
    ["an action cut short", (dir) => truncateSync(action(dir), 20), ["bad_json turn-00002/action.json"]],
    [
      "an action without a tool",
      (dir) =>
        edit(action(dir), (a) => {
          a.tool = 4;
        }),
      ["bad_json turn-00002/action.json"],
    ],
    [
      "arguments that are a list",
      (dir) =>
        edit(action(dir), (a) => {
          a.arguments = [1];
        }),
      ["bad_json turn-00002/action.json"],
    ],
    [
      "an action that is a link out",
      (dir) => {
        rmSync(action(dir));
        symlinkSync("/etc/hostname", action(dir));
      },
      ["link turn-00002/action.json"],
    ],
    [
      "an action that is a pipe",
      (dir) => {
        rmSync(action(dir));
        execFileSync("mkfifo", [action(dir)]);
      },
      ["not_a_file turn-00002/action.json"],
    ],
    [
      "an action of two gigabytes",
      (dir) => truncateSync(action(dir), 2 ** 31),
      ["too_large turn-00002/action.json"],
    ],
    ["no action", (dir) => rmSync(action(dir)), ["missing turn-00002/action.json"]],
    [
      "a broken state",
      (dir) => writeFileSync(join(dir, turnName(1), "app_state.json"), "{"),
      ["bad_json turn-00001/app_state.json"],
    ],
    ["no session", (dir) => rmSync(join(dir, "session.json")), ["missing session.json"]],
    [
      "an event cut by a crash",
      (dir) => writeFileSync(join(dir, "events.jsonl"), '{"event":"turn_begun","turn":1,"t_ms":3}\n{"eve'),
      [],
    ],
  ];
  test.each(cases)("%s", (_, how, expected) => {
    const found = open(hurt(how)).check();
    expect(found.map((p) => `${p.code} ${p.where}`)).toEqual(expected);
    expect(found.every((p) => p.message.length > 5)).toBe(true);
  });
});

test("a video whose name leaves the folder, or that is a link, is not opened", () => {
  for (const path of ["../../etc/passwd", "/etc/passwd", "a/b.mp4", "..", ".hidden"]) {
    const of = open(
      hurt((dir) =>
        edit(join(dir, "session.json"), (s) => {
          s.videos = [{ path }];
        }),
      ),
    );
    expect(problemOf(() => of.openVideo(of.session.videos[0]?.path ?? ""))).toBe(`not_a_file ${path}`);
  }
  const of = open(hurt((dir) => symlinkSync("/etc/hostname", join(dir, "recording.mp4"))));
  expect(problemOf(() => of.openVideo("recording.mp4"))).toBe("link recording.mp4");
});

test("what `video` says of a file counts over the list", () => {
  const of = open(
    hurt((dir) =>
      edit(join(dir, "session.json"), (s) => {
        s.videos = [
          { path: "recording.mp4", start_ms: 310, end_ms: 900 },
          { path: "recording-2.mp4", start_ms: 5000 },
        ];
        s.video = { path: "recording.mp4", start_ms: 0 };
      }),
    ),
  );
  expect(of.session.videos.map((v) => [v.path, v.startMs])).toEqual([
    ["recording.mp4", 0],
    ["recording-2.mp4", 5000],
  ]);
});
