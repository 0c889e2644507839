import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { run } from "../src/commands/diff.js";
import { decodePng, encodePng } from "../src/index.js";
import { ran } from "./io.js";
import { paint, type Sample, scratch, turnName, writeSample } from "./sample.js";

const temp = scratch();
afterAll(temp.end);
const good = join(temp.path, "good");
const steps: Sample["steps"] = [
  {
    tool: "type_text",
    arguments: { element_token: "s00000001:1", text: "Ada" },
    element: { role: "textbox", name: "Name" },
    value: "Ada",
  },
  { element: { role: "checkbox", name: "Agree" } },
  { point: { x: 60, y: 80 } },
];
beforeAll(() => writeSample(good, { steps }));

let n = 0;
function copy(how: (dir: string) => void): string {
  const dir = join(temp.path, `c${n++}`);
  cpSync(good, dir, { recursive: true });
  how(dir);
  return dir;
}

// biome-ignore lint/suspicious/noExplicitAny: any part of a recording is changed here.
function edit(turn: number, change: (action: any) => void, file = "action.json") {
  return (dir: string) => {
    const path = join(dir, turnName(turn), file);
    const value = JSON.parse(readFileSync(path, "utf8"));
    change(value);
    writeFileSync(path, JSON.stringify(value));
  };
}

const tree = (from: string, to: string) =>
  edit(
    1,
    (s) => {
      s.tree_markdown = s.tree_markdown.replace(from, to);
    },
    "app_state.json",
  );

describe("the same", () => {
  const cases: [string, (dir: string) => void][] = [
    ["a copy", () => {}],
    [
      "other processes, windows, tokens and times",
      (dir) => {
        for (const t of [1, 2, 3]) {
          edit(t, (a) => {
            Object.assign(a, {
              pid: 9,
              window_id: 5,
              t_start_ms: a.t_start_ms + 900,
              t_end_ms: a.t_end_ms + 2000,
              timestamp: "2027-01-01T00:00:00Z",
              session: "other",
            });
            Object.assign(a.arguments, {
              element_token: "sffffffff:9",
              pid: 9,
              window_id: 5,
              snapshot_id: "sffffffff",
            });
            a.target.window.origin = { x: 3, y: 4 };
            if (a.click_point) a.click_point.window_origin = { x: 3, y: 4 };
          })(dir);
          edit(
            t,
            (s) =>
              Object.assign(s, {
                pid: 9,
                window_id: 5,
                bounds: { x: 3, y: 4, width: 1, height: 1 },
                tree_markdown: s.tree_markdown.replaceAll(/\[(\d)\]/g, "[1$1]"),
              }),
            "app_state.json",
          )(dir);
        }
      },
    ],
    [
      "how it came to know",
      edit(2, (a) => {
        a.result.evidence = [{ kind: "window_change" }];
      }),
    ],
    [
      "a build that lies elsewhere",
      edit(2, (a) => {
        a.target.app.executable = "/opt/next/bin/ledger";
      }),
    ],
    ["the focus", tree('textbox "Name" = "Ada"', 'textbox "Name" = "Ada" (focused)')],
    [
      "what an unfinished reading of the tree left out",
      edit(
        1,
        (s) =>
          Object.assign(s, {
            elements_complete: false,
            tree_markdown: '- window "Ledger"\n  - [1] textbox "Name"\n',
          }),
        "app_state.json",
      ),
    ],
    ["a caret", (dir) => writeFileSync(join(dir, turnName(1), "screenshot.png"), spot(2, 12))],
  ];
  test.each(cases)("%s", async (_, how) => {
    expect(await ran(run, [good, copy(how)])).toEqual({ code: 0, out: "the same: 3 turns\n", err: "" });
  });
});

/** The after-picture of turn 1 with a black box in it. */
function spot(w: number, h: number): Buffer {
  const picture = paint(420, 360, [90, 120, 200]);
  for (let y = 100; y < 100 + h; y++)
    for (let x = 50; x < 50 + w; x++) picture.rgb.set([0, 0, 0], (y * 420 + x) * 3);
  return encodePng(picture);
}

describe("different", () => {
  const cases: [string, (dir: string) => void, RegExp][] = [
    [
      "another text",
      edit(1, (a) => {
        a.arguments.text = "Grace";
      }),
      /turn 1: type_text\n {2}arguments\.text: "Ada" in A, "Grace" in B\n1 of 3 turns differs/,
    ],
    [
      "another element",
      edit(2, (a) => {
        a.target.element.name = "Remove";
      }),
      /turn 2: click\n {2}target\.element\.name: "Agree" in A, "Remove" in B/,
    ],
    [
      "another effect",
      edit(3, (a) => {
        a.result = { effect: "suspected_noop" };
      }),
      /turn 3[\s\S]*result\.effect: "confirmed" in A, "suspected_noop" in B/,
    ],
    [
      "a refusal",
      edit(3, (a) => {
        a.outcome = "refused";
        a.result = { code: "element_disabled" };
      }),
      /turn 3[\s\S]*"element_disabled"/,
    ],
    [
      "another tool",
      edit(2, (a) => {
        a.tool = "double_click";
      }),
      /turn 2[\s\S]*"double_click"/,
    ],
    [
      "another value",
      tree('= "Ada"', '= "Bob"'),
      /turn 1[\s\S]*value textbox "Name": "Ada" in A, "Bob" in B/,
    ],
    [
      "another state",
      tree('checkbox "Agree"', 'checkbox "Agree" (checked)'),
      /turn 1[\s\S]*state checkbox "Agree"/,
    ],
    [
      "an element more",
      tree("  - [2]", '  - [9] button "New"\n  - [2]'),
      /turn 1[\s\S]*tree button "New": only in B/,
    ],
    [
      "another picture",
      (dir) => writeFileSync(join(dir, turnName(1), "screenshot.png"), spot(40, 30)),
      /turn 1[\s\S]*picture screenshot\.png: 0\.79 % differs, within 40x30 at 50,100/,
    ],
    [
      "another size",
      (dir) => writeFileSync(join(dir, turnName(1), "screenshot.png"), encodePng(paint(400, 360, [1, 2, 3]))),
      /turn 1[\s\S]*"420x360" in A, "400x360" in B/,
    ],
    [
      "the last turn missing",
      (dir) => rmSync(join(dir, turnName(3)), { recursive: true }),
      /turn 3: click\n {2}is only in A/,
    ],
    [
      "the first turn missing",
      (dir) => rmSync(join(dir, turnName(1)), { recursive: true }),
      /turn 1: type_text\n {2}is only in A\n1 of 3 turns differs/,
    ],
  ];
  test.each(cases)("%s", async (_, how, said) => {
    const r = await ran(run, [good, copy(how)]);
    expect([r.code, r.err]).toEqual([1, ""]);
    expect(r.out).toMatch(said);
  });
});

describe("unreadable", () => {
  const cases: [string, () => string[], RegExp][] = [
    ["no such folder", () => [join(temp.path, "nix"), good], /nix: no such file/],
    ["one recording only", () => [good], /two recordings/],
    [
      "a turn cut short",
      () => [good, copy((dir) => writeFileSync(join(dir, turnName(2), "action.json"), "{"))],
      /turn-00002\/action\.json/,
    ],
    [
      "a broken picture",
      () => [good, copy((dir) => writeFileSync(join(dir, turnName(2), "screenshot.png"), "x"))],
      /turn-00002\/screenshot\.png/,
    ],
    ["a kind that is none", () => [good, good, "--ignore", "pixels"], /--ignore is one of/],
    ["a flag that is none", () => [good, good, "--junti", "x"], /did you mean --junit/],
    ["a threshold out of bounds", () => [good, good, "--pixels", "-1"], /--pixels is a number from 0 to 100/],
    ["a report that cannot be written", () => [good, good, "--junit", "/nix/report.xml"], /nix/],
  ];
  test.each(cases)("%s", async (_, argv, said) => {
    const r = await ran(run, argv());
    expect([r.code, r.out]).toEqual([2, ""]);
    expect(r.err).toMatch(said);
  });
});

test("thresholds and kinds left out decide what counts", async () => {
  const b = copy((dir) => writeFileSync(join(dir, turnName(1), "screenshot.png"), spot(40, 30)));
  expect((await ran(run, [good, b, "--pixels", "1"])).code).toBe(0);
  expect((await ran(run, [good, b, "--tolerance", "255"])).code).toBe(0);
  expect((await ran(run, [good, b, "--ignore", "picture"])).code).toBe(0);
  const moved = copy(
    edit(3, (a) => {
      a.target.point = { window: { x: 5, y: 5 } };
    }),
  );
  const less = copy(
    edit(3, (a) => {
      a.target.point = { window: { x: 9, y: 5 } };
    }),
  );
  expect((await ran(run, [moved, less])).code).toBe(1);
  expect((await ran(run, [moved, less, "--points", "4"])).code).toBe(0);
});

test("--json, --junit and --heat tell the same, and the heat picture shows the place", async () => {
  const b = copy((dir) => {
    edit(1, (a) => {
      a.arguments.text = 'x"<&\u0007';
    })(dir);
    writeFileSync(join(dir, turnName(1), "screenshot.png"), spot(40, 30));
  });
  const [junit, heat] = [join(temp.path, "r.xml"), join(temp.path, "heat")];
  const r = await ran(run, [good, b, "--json", "--junit", junit, "--heat", heat]);
  const told = JSON.parse(r.out);
  expect([told.same, told.turns.map((t: { status: string }) => t.status)]).toEqual([
    false,
    ["different", "same", "same"],
  ]);
  expect(told.turns[0].differences.map((d: { kind: string }) => d.kind)).toEqual(["arguments", "picture"]);
  expect(readdirSync(heat)).toEqual(["turn-00001-heat.png"]);
  expect(told.turns[0].differences[1].heat).toBe(join(heat, "turn-00001-heat.png"));
  const picture = decodePng(readFileSync(join(heat, "turn-00001-heat.png")));
  expect(picture.rgb[(110 * 420 + 60) * 3]).toBe(230);
  const xml = readFileSync(junit, "utf8");
  expect(xml).toContain('tests="3" failures="1"');
  expect(xml).toContain("&quot;&lt;&amp;");
  expect(xml).not.toContain("\u0007");
});

test("nothing is written into either recording", async () => {
  const list = () => readdirSync(good, { recursive: true }).sort();
  const before = list();
  await ran(run, [good, copy(() => {}), "--heat", join(temp.path, "h2")]);
  expect(list()).toEqual(before);
  expect(existsSync(join(temp.path, "h2"))).toBe(true);
});
