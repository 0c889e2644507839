import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { run } from "../src/command.js";
import type { Io } from "../src/index.js";
import { spelled } from "../src/words.js";
import { ran } from "./io.js";
import { scratch, turnName, writeSample } from "./sample.js";

const temp = scratch();
afterAll(temp.end);
const day = 86_400_000;
let n = 0;

/** A root with an old, a newer and a live recording, and things that are none. */
function root(): string {
  const dir = join(temp.path, `root${n++}`);
  const now = Date.now();
  writeSample(join(dir, "old"), { steps: [{}, {}], wallMs: now - 40 * day });
  writeSample(join(dir, "deep", "new"), { steps: [{}], wallMs: now - 2 * day });
  writeSample(join(dir, "live"), {
    steps: [{}],
    wallMs: now - 90 * day,
    session: { ended_at: null, end_reason: null },
  });
  mkdirSync(join(dir, "photos"));
  writeFileSync(join(dir, "photos", "session.json"), '{"schema_version":1}');
  mkdirSync(join(dir, "broken"));
  writeFileSync(join(dir, "broken", "session.json"), "{");
  writeSample(join(temp.path, `far${n}`), { steps: [{}], wallMs: now - 400 * day });
  symlinkSync(join(temp.path, `far${n}`), join(dir, "link"));
  return dir;
}

const command = (argv: readonly string[], io: Io) => run(argv, io);

test("ls lists real recordings below a folder, newest first, and follows no link", async () => {
  const dir = root();
  const r = await ran(command, ["ls", dir, "--json"]);
  expect(
    JSON.parse(r.out).map((f: { dir: string; turns: number }) => [f.dir.slice(dir.length + 1), f.turns]),
  ).toEqual([
    ["live", 1],
    ["deep/new", 1],
    ["old", 2],
  ]);
  expect((await ran(command, ["ls"], { cwd: dir })).out).toMatch(
    /deep\/new +\S+ \S+ +1 turn +\S+ [KM]B +stopped/,
  );
  expect((await ran(command, ["ls", join(dir, "nix")])).code).toBe(1);
});

test("show tells the turns and, with exit 1, what is wrong", async () => {
  const dir = join(root(), "old");
  const good = await ran(command, ["show", dir]);
  expect([good.code, good.out]).toEqual([
    0,
    expect.stringMatching(/turn 2 +2\.5 s +confirmed +click button “Add” in “Ledger”/),
  ]);
  writeFileSync(join(dir, turnName(2), "action.json"), "{");
  const bad = await ran(command, ["show", dir]);
  expect([bad.code, bad.err]).toEqual([1, expect.stringMatching(/turn-00002\/action\.json: not JSON/)]);
});

test("recorded text cannot act on the terminal", async () => {
  const dir = join(temp.path, "esc");
  writeSample(dir, {
    steps: [{ tool: "\u001b[2J", arguments: { text: "\u001b]0;owned\u0007\u202e\nline" } }],
  });
  writeSample(`${dir}2`, { steps: [{ arguments: { text: "\u009b2J" } }] });
  const { out } = await ran(command, ["show", dir]);
  expect(out).toContain("\\u{1b}]0;owned\\u{7}\\u{202e}\\nline");
  for (const words of [
    ["show", dir],
    ["diff", dir, `${dir}2`],
    ["diff", `${dir}2`, dir],
  ])
    expect((await ran(command, words)).out.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  // JSON means the same, spelled otherwise.
  const json = (await ran(command, ["show", dir, "--json"])).out;
  expect(JSON.parse(spelled(json))).toEqual(JSON.parse(json));
  expect(spelled("\u{e0001}\u009b\u202e\n\t")).toBe("\\udb40\\udc01\\u009b\\u202e\n\t");
});

describe("clean", () => {
  test("says first, removes with --yes, and leaves what is live, linked or no recording", async () => {
    const dir = root();
    const dry = await ran(command, ["clean", dir, "--older-than", "30"]);
    expect([dry.code, dry.out]).toEqual([
      0,
      expect.stringMatching(/^old {2}[\s\S]*1 recording, \S+ [KM]B would go; add --yes to remove\n$/),
    ]);
    expect(existsSync(join(dir, "old"))).toBe(true);
    const done = await ran(command, ["clean", dir, "--older-than", "30", "--yes"]);
    expect([done.code, done.out]).toEqual([0, expect.stringMatching(/removed old/)]);
    expect(readdirSync(dir).sort()).toEqual(["broken", "deep", "link", "live", "photos"]);
    expect(existsSync(join(dir, "link", turnName(1)))).toBe(true);
  });

  test("--keep-bytes takes the oldest first", async () => {
    const dir = root();
    const all = JSON.parse((await ran(command, ["ls", dir, "--json"])).out) as {
      bytes: number;
      dir: string;
    }[];
    const keep = all.reduce((sum, f) => sum + f.bytes, 0) - 1;
    expect(
      JSON.parse(
        (await ran(command, ["clean", dir, "--keep-bytes", String(keep), "--json"])).out,
      ).recordings.map((f: { dir: string }) => f.dir),
    ).toEqual([join(dir, "old")]);
  });

  test("files that are no part of the recording stay, and so does their folder", async () => {
    const dir = root();
    writeFileSync(join(dir, "old", "notes.txt"), "mine");
    symlinkSync(join(dir, "deep"), join(dir, "old", turnName(9)));
    await ran(command, ["clean", dir, "--older-than", "30", "--yes"]);
    expect(readdirSync(join(dir, "old")).sort()).toEqual(["notes.txt", turnName(9)]);
    expect(existsSync(join(dir, "deep", "new", "session.json"))).toBe(true);
  });

  const refused: [string, (dir: string) => string[], RegExp][] = [
    ["without a limit", (dir) => [dir], /--older-than DAYS or --keep-bytes N/],
    [
      "a recording itself",
      (dir) => [join(dir, "old"), "--older-than", "1", "--yes"],
      /is itself a recording/,
    ],
    ["an age that is none", (dir) => [dir, "--older-than", "soon"], /--older-than is a number/],
  ];
  test.each(refused)("refused: %s", async (_, argv, said) => {
    const dir = root();
    const r = await ran(command, ["clean", ...argv(dir)]);
    expect([r.code, r.err]).toEqual([2, expect.stringMatching(said)]);
    expect(existsSync(join(dir, "old"))).toBe(true);
  });
});

describe("parameterize", () => {
  const made = () => {
    const dir = join(temp.path, `p${n++}`);
    writeSample(dir, {
      steps: [
        { tool: "type_text", arguments: { text: "Ada Lovelace, Ada", element_token: "sAda:1" } },
        { arguments: { text: { redacted: true, name: "Ada" } }, element: { role: "row", name: "Ada" } },
      ],
    });
    return dir;
  };

  test("a copy has the names in place of the texts; tokens, hidden values and the original stay", async () => {
    const dir = made();
    const out = `${dir}-out`;
    const before = readFileSync(join(dir, turnName(1), "action.json"), "utf8");
    const r = await ran(command, ["parameterize", dir, "first=Ada", "whole=Ada Lovelace", "--out", out]);
    expect([r.code, r.err, r.out]).toEqual([
      0,
      "",
      expect.stringMatching(/first: 2 places\nwhole: 1 place\n/),
    ]);
    const args = (n: number) =>
      JSON.parse(readFileSync(join(out, turnName(n), "action.json"), "utf8")).arguments;
    expect(args(1)).toEqual({ text: "{{whole}}, {{first}}", element_token: "sAda:1" });
    expect(args(2)).toEqual({ text: { redacted: true, name: "Ada" } });
    expect(
      JSON.parse(readFileSync(join(out, turnName(2), "action.json"), "utf8")).target.element,
    ).toMatchObject({ role: "row", name: "{{first}}" });
    expect(readFileSync(join(dir, turnName(1), "action.json"), "utf8")).toBe(before);
    expect(readdirSync(out, { recursive: true }).sort()).toEqual(
      readdirSync(dir, { recursive: true }).sort(),
    );
    expect([statSync(out).mode & 0o077, statSync(join(out, turnName(1), "before.png")).mode & 0o077]).toEqual(
      [0, 0],
    );
  });

  const refused: [string, (dir: string) => string[], number, RegExp][] = [
    [
      "a text that is nowhere",
      (dir) => [dir, "who=Bob", "--out", `${dir}-no`],
      1,
      /who: nothing recorded says "Bob"/,
    ],
    ["a name that is none", (dir) => [dir, "1 2=Ada", "--out", `${dir}-no`], 2, /is not NAME=TEXT/],
    ["nowhere to write", (dir) => [dir, "who=Ada"], 2, /--out DIR2/],
    ["over something that is there", (dir) => [dir, "who=Ada", "--out", dir], 1, /./],
  ];
  test.each(refused)("refused: %s", async (_, argv, code, said) => {
    const dir = made();
    const before = readdirSync(temp.path).sort();
    const r = await ran(command, ["parameterize", ...argv(dir)]);
    expect([r.code, r.err]).toEqual([code, expect.stringMatching(said)]);
    expect(readdirSync(temp.path).sort()).toEqual(before);
  });
});

test("an unknown command is answered with the nearest", async () => {
  expect(await ran(command, ["shwo"])).toMatchObject({
    code: 2,
    err: expect.stringMatching(/did you mean show/),
  });
  expect((await ran(command, [])).code).toBe(2);
});
