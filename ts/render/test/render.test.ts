import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ran } from "../../trajectory/test/io.js";
import { scratch, turnName, writeSample } from "../../trajectory/test/sample.js";
import { run } from "../src/command.js";

const temp = scratch();
afterAll(temp.end);
const filmed = join(temp.path, "filmed");
const pictured = join(temp.path, "pictured");
const small = {
  display: { width: 800, height: 500 },
  window: { title: "Ledger", x: 300, y: 100, width: 420, height: 360 },
};
const steps = [
  { point: { x: 60, y: 80 }, startMs: 1000, mark: [200, 40, 40] as [number, number, number] },
  {
    tool: "type_text",
    arguments: { text: "Ada {\\pos(1,1)}" },
    element: { role: "textbox", name: "Name" },
    startMs: 2200,
  },
  { point: { x: 300, y: 250 }, startMs: 7800, mark: [40, 200, 40] as [number, number, number] },
];
beforeAll(() => {
  writeSample(filmed, { steps, videoSeconds: 9.5, ...small });
  writeSample(pictured, { steps });
});

interface Facts {
  codec_name: string;
  width: number;
  height: number;
  pix_fmt: string;
  avg_frame_rate: string;
  frames: number;
  seconds: number;
}

function facts(file: string): Facts {
  const out = execFileSync(
    "ffprobe",
    [
      "-v",
      "error",
      "-count_frames",
      "-select_streams",
      "v:0",
      "-show_entries",
      "stream=codec_name,width,height,pix_fmt,avg_frame_rate,nb_read_frames:format=duration",
      "-of",
      "json",
      file,
    ],
    { encoding: "utf8" },
  );
  const { streams, format } = JSON.parse(out);
  return { ...streams[0], frames: Number(streams[0].nb_read_frames), seconds: Number(format.duration) };
}

/** One frame, 64 x 40, RGB. */
function frame(file: string, seconds: number): Buffer {
  return execFileSync("ffmpeg", [
    "-v",
    "error",
    "-ss",
    String(seconds),
    "-i",
    file,
    "-frames:v",
    "1",
    "-vf",
    "scale=64:40:flags=area",
    "-pix_fmt",
    "rgb24",
    "-f",
    "rawvideo",
    "-",
  ]);
}

/** Share of the pixels that clearly differ. */
function apart(a: Buffer, b: Buffer): number {
  let n = 0;
  for (let i = 0; i < a.length; i += 3)
    if ([0, 1, 2].some((c) => Math.abs((a[i + c] ?? 0) - (b[i + c] ?? 0)) > 12)) n++;
  return (n * 3) / a.length;
}

const list = (dir: string) =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .map((e) => `${e.parentPath}/${e.name} ${statSync(join(e.parentPath, e.name)).mtimeMs}`)
    .sort();
let n = 0;
const known = new Map<string, string>();
/** The file that these flags make; the same is made once. */
async function made(dir: string, ...flags: string[]): Promise<string> {
  const key = [dir, ...flags].join(" ");
  const out =
    known.get(key) ??
    join(
      temp.path,
      `out${n++}.${flags.includes("--gif") ? "gif" : flags.includes("--webp") ? "webp" : "mp4"}`,
    );
  if (known.has(key)) return out;
  expect(await ran(run, [dir, "-o", out, ...flags])).toEqual({ code: 0, out: `${out}\n`, err: "" });
  known.set(key, out);
  return out;
}

test("a recording with a video becomes H.264 at a constant rate, shorter than it was; the recording is untouched", async () => {
  const before = list(filmed);
  const out = await made(filmed);
  expect(facts(out)).toMatchObject({
    codec_name: "h264",
    pix_fmt: "yuv420p",
    width: 800,
    height: 500,
    avg_frame_rate: "30/1",
  });
  expect(facts(out).seconds).toBeGreaterThan(4);
  expect(facts(out).seconds).toBeLessThan(9.5 * 0.85);
  expect(statSync(out).mode & 0o077).toBe(0);
  expect(list(filmed)).toEqual(before);
  expect(readdirSync(temp.path).filter((name) => name.includes(".part"))).toEqual([]);
});

test("the zoom shows what was clicked, near, at its time", async () => {
  const [near, far] = [await made(filmed, "--no-captions"), await made(filmed, "--no-zoom", "--no-captions")];
  // The square flashes at 360,180 of 800 x 500: seen small without zoom, larger with it.
  const white = (file: string) =>
    frame(file, 1.15).filter(
      (_, i, all) => i % 3 === 0 && Math.min(all[i] ?? 0, all[i + 1] ?? 0, all[i + 2] ?? 0) > 150,
    ).length;
  expect(white(far)).toBeGreaterThan(0);
  expect(white(near)).toBeGreaterThan(white(far) * 2);
});

test("--scale says how near", async () => {
  const [a, b] = [
    await made(filmed, "--scale", "1.3", "--no-captions"),
    await made(filmed, "--scale", "4", "--no-captions"),
  ];
  expect(apart(frame(a, 1.2), frame(b, 1.2))).toBeGreaterThan(0.02);
});

test("captions are at the bottom and can be left out", async () => {
  const [a, b] = [await made(filmed, "--no-zoom"), await made(filmed, "--no-zoom", "--no-captions")];
  const [with_, without] = [frame(a, 1.2), frame(b, 1.2)];
  const lower = 64 * 3 * 32;
  expect(apart(with_.subarray(lower), without.subarray(lower))).toBeGreaterThan(0.05);
  expect(apart(with_.subarray(0, lower), without.subarray(0, lower))).toBeLessThan(0.01);
});

test("--speed 2 halves the length", async () => {
  expect(facts(await made(filmed, "--speed", "2")).seconds / facts(await made(filmed)).seconds).toBeCloseTo(
    0.5,
    1,
  );
});

test("without a video it is made from the pictures, at the turns' colours", async () => {
  const out = await made(pictured, "--no-zoom", "--no-captions");
  const f = facts(out);
  expect(f).toMatchObject({ codec_name: "h264", width: 840, height: 720, avg_frame_rate: "30/1" });
  const corner = (t: number) => [...frame(out, t).subarray((38 * 64 + 61) * 3, (38 * 64 + 61) * 3 + 3)];
  expect(corner(0.2)[2]).toBeGreaterThan(150);
  expect(corner(f.seconds - 0.3)[1]).toBeGreaterThan(150);
});

test("pictures of different sizes share one canvas", async () => {
  const dir = join(temp.path, "mixed");
  writeSample(dir, { steps });
  writeSample(join(temp.path, "small"), {
    steps: [{ point: { x: 5, y: 5 } }],
    window: { title: "S", x: 0, y: 0, width: 201, height: 133 },
  });
  for (const file of ["before.png", "screenshot.png"])
    writeFileSync(join(dir, turnName(2), file), readFileSync(join(temp.path, "small", turnName(1), file)));
  expect(facts(await made(dir))).toMatchObject({ width: 840, height: 720 });
});

test("--gif and --webp move", async () => {
  const gif = facts(await made(pictured, "--gif"));
  expect([gif.codec_name, gif.frames > 4]).toEqual(["gif", true]);
  expect(readFileSync(await made(pictured, "--webp")).includes("ANMF")).toBe(true);
});

test("three hundred clicks, with a video and without", async () => {
  const many = Array.from({ length: 300 }, (_, i) => ({
    point: { x: (i * 97) % 400, y: 30 + ((i * 61) % 300) },
    startMs: 500 + i * 200,
  }));
  const [a, b] = [join(temp.path, "long"), join(temp.path, "longer")];
  writeSample(a, {
    steps: many,
    videoSeconds: 62,
    display: { width: 320, height: 200 },
    window: { title: "L", x: 10, y: 10, width: 300, height: 180 },
  });
  writeSample(b, { steps: many, window: { title: "L", x: 10, y: 10, width: 300, height: 180 } });
  expect(facts(await made(a)).seconds).toBeGreaterThan(55);
  expect(facts(await made(b, "--speed", "4")).seconds).toBeGreaterThan(20);
}, 300_000);

test("without -o the file lies beside the recording and never replaces one", async () => {
  const dir = join(temp.path, "beside", "run");
  writeSample(dir, { steps: [{ point: { x: 5, y: 5 } }] });
  expect((await ran(run, [dir])).out).toBe(`${dir}.mp4\n`);
  expect((await ran(run, ["run"], { cwd: join(temp.path, "beside") })).out).toBe(`${dir}-2.mp4\n`);
});

test("a progress bar on a terminal, with the time left; none elsewhere", async () => {
  const on = await ran(run, [filmed, "-o", join(temp.path, "bar.mp4")], { terminal: true });
  expect(on.out).toBe(`${join(temp.path, "bar.mp4")}\n`);
  expect(on.err).toMatch(/\r.*rendering +\d+ %/);
  expect(on.err).toMatch(/100 %/);
});

describe("refused, and nothing is written", () => {
  const cases: [string, () => string[], number, RegExp][] = [
    ["no such folder", () => [join(temp.path, "nix")], 1, /nix/],
    ["a flag that is none", () => [filmed, "--no-zoon"], 2, /--no-zoom/],
    ...["0", "-1", "NaN", "1e9", "", "Infinity"].map((v): [string, () => string[], number, RegExp] => [
      `--scale ${v}`,
      () => [filmed, "--scale", v],
      2,
      /--scale is a number from 1 to 8/,
    ]),
    ["--speed 0", () => [filmed, "--speed", "0"], 2, /--speed/],
    ["two kinds", () => [filmed, "--gif", "--webp"], 2, /one of them/],
    [
      "a broken video",
      () => [broken((dir) => writeFileSync(join(dir, "recording.mp4"), "not a video"))],
      1,
      /recording\.mp4 cannot be used.*--no-video/,
    ],
    [
      "a video that is a link out",
      () => [
        broken((dir) => {
          rmSync(join(dir, "recording.mp4"));
          symlinkSync(join(filmed, "recording.mp4"), join(dir, "recording.mp4"));
        }),
      ],
      1,
      /no video/,
    ],
    [
      "a playlist in a video's place",
      () => [
        broken((dir) => writeFileSync(join(dir, "recording.mp4"), "#EXTM3U\n#EXTINF:1,\n/etc/passwd\n")),
      ],
      1,
      /cannot be used/,
    ],
    [
      "no pictures at all",
      () => [
        broken((dir) => {
          for (const t of [1, 2, 3])
            for (const f of ["before.png", "screenshot.png", "click.png"])
              rmSync(join(dir, turnName(t), f), { force: true });
        }),
        "--no-video",
      ],
      1,
      /nothing to render/,
    ],
  ];
  test.each(cases)("%s", async (_, argv, code, said) => {
    const out = join(temp.path, "never.mp4");
    const r = await ran(run, [...argv(), "-o", out]);
    expect([r.code, r.out]).toEqual([code, ""]);
    expect(r.err).toMatch(said);
    expect(readdirSync(temp.path).filter((name) => /never|part/.test(name))).toEqual([]);
  });
});

function broken(how: (dir: string) => void): string {
  const dir = join(temp.path, `broken${n++}`);
  writeSample(dir, { steps, videoSeconds: 1 });
  how(dir);
  return dir;
}

describe("an ffmpeg that does not do its work", () => {
  const real = execFileSync("sh", ["-c", "command -v ffmpeg"], { encoding: "utf8" }).trim();
  const entry = join(import.meta.dirname, "..", "dist", "index.js");
  const command = join(import.meta.dirname, "..", "dist", "command.js");
  const asCommand = `import { run } from ${JSON.stringify(command)}; process.exitCode = await run(process.argv.slice(1));`;

  /** A process of its own that finds this script where ffmpeg should be. */
  async function instead(script: string | undefined, code = asCommand, signalAfterMs?: number) {
    const bin = join(temp.path, `bin${n++}`);
    mkdirSync(bin);
    for (const name of ["sleep", "sh"])
      symlinkSync(
        execFileSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).trim(),
        join(bin, name),
      );
    if (script !== undefined) writeFileSync(join(bin, "ffmpeg"), script, { mode: 0o755 });
    const out = join(temp.path, "never.mp4");
    const child = spawn(process.execPath, ["--input-type=module", "-e", code, pictured, "-o", out], {
      env: { PATH: bin, TMPDIR: temp.path },
    });
    let err = "";
    child.stderr.on("data", (data) => {
      err += data;
    });
    if (signalAfterMs !== undefined) setTimeout(() => child.kill("SIGINT"), signalAfterMs);
    const ended = await new Promise<number | null>((resolve) => child.on("close", resolve));
    expect(readdirSync(temp.path).filter((name) => /never|part|cua-render/.test(name))).toEqual([]);
    return { code: ended, err };
  }
  const when = (then: string) =>
    `#!/bin/sh\ncase "$*" in *pictures.txt*) ${then};; *) exec ${real} "$@";; esac\n`;
  const hint = /ffmpeg is missing or cannot be run; install it: .*ffmpeg/;

  test("missing: the command that installs it", async () => {
    expect(await instead(undefined)).toMatchObject({ code: 1, err: expect.stringMatching(hint) });
  });
  test("there and not a program: the same", async () => {
    expect(await instead("#!/no/such/shell\n")).toMatchObject({ code: 1, err: expect.stringMatching(hint) });
  });
  test("failing: its last words", async () => {
    expect(await instead(when('echo "boom: the encoder broke" >&2; exit 3'))).toMatchObject({
      code: 1,
      err: expect.stringMatching(/boom: the encoder broke/),
    });
  });
  test("never answering: ended after its bound", async () => {
    expect(await instead("#!/bin/sh\nexec sleep 60\n")).toMatchObject({
      code: 1,
      err: expect.stringMatching(/ffmpeg does not answer \(waited 10 s\)/),
    });
  });
  test("hanging in its work: ended after its bound", async () => {
    const code = `import { render } from ${JSON.stringify(entry)}; import { open } from "@cua-driver/trajectory";
      await render({ of: open(process.argv[1]), out: process.argv[3], kind: "mp4", zoom: 1, captions: false, speed: 1, pictures: true, stallMs: 800 }).catch((e) => { console.error(e.message); process.exitCode = 1; });`;
    expect(await instead(when("exec sleep 60"), code)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/no progress for 0\.8 s and was ended/),
    });
  });
  test("cancelled: ended at once", async () => {
    expect(await instead(when("exec sleep 60"), asCommand, 3000)).toMatchObject({
      code: 1,
      err: "cancelled\n",
    });
  });
});
