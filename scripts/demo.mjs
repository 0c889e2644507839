// The acts of the demo. Speaks to the driver by its command line only, as a person would.
import { execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const dir = resolve(process.argv[2] ?? "out/demo");
const bin = resolve("target/release/cua-driver");
const home = mkdtempSync(join(tmpdir(), "cua-driver-demo-"));
const socket = join(home, "driver.sock");
const env = {
  ...process.env,
  CUA_DRIVER_SOCKET: socket,
  CUA_DRIVER_SESSION: "demo",
  // The driver writes into homes and temporary folders; a checkout elsewhere has to be allowed.
  XDG_CONFIG_HOME: join(home, "config"),
};
const first = join(dir, "recording");
const second = join(dir, "replayed");

let failures = 0;
let daemon;
let step = 0;

/** Runs the command; answers its exit code and what it printed. */
async function command(args, timeout = 60_000) {
  try {
    const { stdout, stderr } = await run(bin, args, { env, timeout, maxBuffer: 64 << 20 });
    return { code: 0, stdout, stderr };
  } catch (error) {
    return { code: error.code ?? 1, stdout: error.stdout ?? "", stderr: error.stderr || error.message };
  }
}

/** Calls a tool; throws what it refused. */
async function call(tool, args = {}, flags = []) {
  const { code, stdout, stderr } = await command(["call", tool, JSON.stringify(args), "--json", ...flags]);
  let answer;
  try {
    answer = JSON.parse(stdout);
  } catch {
    throw new Error(`${tool} answered no JSON (exit ${code}): ${(stderr || stdout).trim()}`);
  }
  if (code !== 0)
    throw new Error(`${tool} was refused: ${answer.code ?? code}: ${answer.message ?? stderr.trim()}`);
  return answer;
}

function say(what, outcome, more = "") {
  step += 1;
  console.log(`${String(step).padStart(3)}  ${what.padEnd(58)} ${outcome.padEnd(12)} ${more}`);
}

/** An act, with what the driver can prove of it. */
async function act(what, tool, args) {
  // The driver is faster than the eye: a person is to see what happens.
  await new Promise((done) => setTimeout(done, 700));
  const answer = await call(tool, args);
  const effect = answer.effect ?? "done";
  if (effect !== "confirmed" && effect !== "done" && effect !== "unverifiable") failures += 1;
  const proof = (answer.evidence ?? []).map((e) => e.kind).join(", ");
  say(
    what,
    effect === "unverifiable" ? "not proven" : effect,
    [answer.route, proof].filter(Boolean).join(", "),
  );
}

function check(what, ok, more = "") {
  if (!ok) failures += 1;
  say(what, ok ? "yes" : "NO", more);
  return ok;
}

async function untilReady() {
  for (let i = 0; i < 150; i += 1) {
    if (daemon.exitCode !== null) throw new Error(`the driver ended at once with ${daemon.exitCode}`);
    if ((await command(["status", "--json"])).code === 0) return;
    await new Promise((done) => setTimeout(done, 200));
  }
  throw new Error("the driver did not come up within 30 s");
}

/** The window with this in its title, once it is there. */
async function windowOf(pid, title) {
  for (let i = 0; i < 100; i += 1) {
    const { windows } = await call("list_windows", { pid });
    const found = windows.find((w) => w.title.includes(title));
    if (found !== undefined) return { pid, window_id: found.window_id };
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error(`no window ${title} within 10 s`);
}

/** A snapshot, and a way to name an element of it by role and label, or by its place among its kind. */
async function look(window) {
  const state = await call("get_window_state", { ...window, include_screenshot: false });
  const elements = state.elements ?? [];
  say(`snapshot of window ${window.window_id}`, "seen", `${elements.length} elements`);
  return (role, label, nth = 0) => {
    const found = elements.filter(
      (e) => e.role === role && (label === undefined || (e.label ?? "").includes(label)),
    );
    const e = found[nth];
    if (e === undefined) throw new Error(`no ${role} ${label ?? nth} in the window`);
    return { element_token: e.element_token };
  };
}

async function startEditor() {
  const { pid, name } = await call("launch_app", { name: "mousepad" });
  say("open the editor", "running", `${name}, pid ${pid}`);
  return pid;
}

async function write(pid) {
  const editor = await windowOf(pid, "Mousepad");
  const page = await look(editor);
  await act('type "The quick brown fax" into the page', "type_text", {
    ...page("textbox"),
    text: "The quick brown fax jumps over the lazy dog.\nA fax is no fox.",
  });
  await act("menu Search > Find and Replace…", "invoke_menu", {
    ...editor,
    path: ["Search", "Find and Replace..."],
  });
  const dialog = await windowOf(pid, "Find and Replace");
  const of = await look(dialog);
  await act('type "fax" into Search for', "type_text", { ...of("textbox", undefined, 0), text: "fax" });
  await act('type "fox" into Replace with', "type_text", { ...of("textbox", undefined, 1), text: "fox" });
  await act("tick Replace all in", "click", of("checkbox", "Replace all in"));
  const now = await look(dialog);
  await act("choose All Documents", "select_option", {
    ...now("combobox", "Document"),
    option: "All Documents",
  });
  await act("press Replace", "click", now("button", "Replace"));
  await act("press Close", "click", now("button", "Close"));
  const verdict = await call("verify_state", {
    ...editor,
    expect: [{ text: "The quick brown fox jumps" }],
  }).catch((error) => ({ status: error.message }));
  check("the page says fox", verdict.status === "satisfied", verdict.status);
  const picture = join(dir, "editor.png");
  await call("get_window_state", { ...editor, include_accessibility_tree: false }, ["--image-out", picture]);
  check("a picture of the window", existsSync(picture), picture);
}

async function record() {
  const pid = await startEditor();
  await windowOf(pid, "Mousepad");
  await call("start_recording", { output_dir: first, record_video: true });
  say("start recording, with video", "recording", first);
  await write(pid);
  const { turns } = await call("stop_recording");
  say("stop recording", "written", turns === undefined ? "" : `${turns} turns`);
  await call("kill_app", { pid, force: true });
  say("end the editor", "ended");
}

async function replay() {
  const pid = await startEditor();
  await windowOf(pid, "Mousepad");
  await call("start_recording", { output_dir: second });
  const { code, stdout, stderr } = await command(
    ["call", "replay_trajectory", JSON.stringify({ dir: first, delay_ms: 100 }), "--json"],
    180_000,
  );
  await call("stop_recording");
  const answer = code === 3 ? {} : JSON.parse(stdout || "{}");
  const turns = (answer.turns ?? []).map((t) => t.status).join(" ");
  check(
    "replay it in the restarted editor",
    code === 0,
    `${answer.status ?? answer.code ?? stderr.trim()}: ${turns}`,
  );
  await call("kill_app", { pid, force: true });
  // Highlights of the editor fade: a few percent of a small dialog's pixels are a matter of the moment.
  const diff = await command(["trajectory", "diff", first, second, "--pixels", "5"]);
  check(
    "both recordings are the same",
    diff.code === 0,
    diff.code === 0 ? "" : diff.stdout.trim().split("\n").slice(-3).join("; "),
  );
}

async function keep() {
  const film = join(dir, "demo.mp4");
  const rendered = await command(["recording", "render", first, "-o", film], 300_000);
  check(
    "render it for people",
    rendered.code === 0 && existsSync(film),
    rendered.code === 0 ? film : rendered.stderr.trim(),
  );
  const page = join(dir, "demo.html");
  const exported = await command(["trajectory", "view", first, "--export", page], 120_000);
  check(
    "export it as one page",
    exported.code === 0 && existsSync(page),
    exported.code === 0 ? page : exported.stderr.trim(),
  );
}

async function end() {
  if (daemon === undefined || daemon.exitCode !== null) return;
  const gone = new Promise((done) => daemon.once("exit", done));
  await command(["stop"]);
  const late = setTimeout(() => daemon.kill("SIGKILL"), 10_000);
  await gone;
  clearTimeout(late);
}

async function main() {
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  mkdirSync(join(home, "config", "cua-driver"), { recursive: true });
  writeFileSync(join(home, "config", "cua-driver", "config.json"), JSON.stringify({ roots: [dir] }));
  daemon = spawn(bin, ["serve", "--display", "virtual:1280x800", "--socket", socket], {
    env,
    stdio: ["ignore", "inherit", "inherit"],
  });
  await untilReady();
  const { windows } = await call("list_windows");
  say("a private desktop of its own", "up", `${windows.length} windows`);
  await record();
  await replay();
  await keep();
}

for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, () => {
    failures += 1;
    void end().finally(() => process.exit(1));
  });
}
try {
  await main();
} catch (error) {
  failures += 1;
  console.error(`demo: ${error.message}`);
} finally {
  await end();
  rmSync(home, { recursive: true, force: true });
}
console.log(`\nin ${dir}:`);
for (const [name, what] of [
  ["recording", "the turns (turn-00001 …) and recording.mp4"],
  ["replayed", "the turns of the replay"],
  ["editor.png", "the picture"],
  ["demo.mp4", "the rendered video"],
  ["demo.html", "everything in one page"],
]) {
  if (existsSync(join(dir, name))) console.log(`  ${name.padEnd(12)} ${what}`);
}
console.log(
  failures === 0 ? "demo: everything came through" : `demo: ${failures} things did not come through`,
);
process.exitCode = failures === 0 ? 0 : 1;
