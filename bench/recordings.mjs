// What recording costs, and what is made of recordings: video, replay, viewer, render.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { Driver } from "@cua-driver/sdk";
import { chromium } from "playwright-core";
import { BIN, Desktop, run, sleep, time } from "./desktop.mjs";
import { bound, figures, heading, interleaved, ratio, rows } from "./table.mjs";

/** The parts, on this desktop. */
export function recordings({ desktop, call, look, windowOf, times, quick }) {
  const { env } = desktop;

  async function record() {
    for (const kind of ["gtk3", "gtk4"]) {
      const child = desktop.window(kind, 24, ["counted"]);
      const window = await windowOf(child, `bench ${kind}`);
      await call("set_window_frame", { ...window, x: 0, y: 0, width: 1920, height: 1080 });
      await sleep(800);
      const kept = { session: `kept ${kind}` };
      await call("start_recording", { output_dir: `${desktop.dir}/recording-${kind}`, ...kept });
      await recorded(kind, window, { session: "plain" }, kept);
      await call("stop_recording", kept);
      child.kill("SIGKILL");
      await sleep(300);
    }
  }

  /** The same acts in a session without and in one with a recording. */
  async function recorded(kind, window, plain, kept) {
    const element = async (session, fits) =>
      (await look({ ...window, ...session })).elements.find(fits).element_token;
    const act = async (session, tool, fits, args = {}) => {
      const element_token = await element(session, fits);
      // What is still being written is not charged to the next act.
      await sleep(300);
      return time(() => call(tool, { element_token, ...args, ...session }));
    };
    const button = (e) => e.label === "B3";
    const field = (e) => e.role === "textbox";
    const chain = async (session) => {
      const element_token = await element(session, button);
      await sleep(300);
      const all = await time(async () => {
        for (let i = 0; i < 5; i += 1) await call("click", { element_token, ...session });
      });
      return all / 5;
    };
    heading(`Recording, ${kind}, a window of 1920x1080`);
    const f = await interleaved(times(16), {
      click: () => act(plain, "click", button),
      "click, recorded": () => act(kept, "click", button),
      type_text: () => act(plain, "type_text", field, { text: "abcde" }),
      "type_text, recorded": () => act(kept, "type_text", field, { text: "abcde" }),
      "click, five in a row": () => chain(plain),
      "the same, recorded": () => chain(kept),
    });
    rows(f);
    const more = (what, a, b) => bound(`recording adds to ${what}`, a.p50 - b.p50, 60, " ms");
    more("a click", f["click, recorded"], f.click);
    more("text", f["type_text, recorded"], f.type_text);
    more("a click in a row", f["the same, recorded"], f["click, five in a row"]);
  }

  async function replay() {
    for (const kind of ["gtk3", "gtk4"]) {
      const child = desktop.window(kind, 24, ["named"]);
      const window = await windowOf(child, `bench ${kind}`);
      await sleep(800);
      const dir = `${desktop.dir}/replayed-${kind}`;
      const seen = (await look(window)).elements;
      const token = (fits) => seen.find(fits).element_token;
      const acts = Array.from({ length: 20 }, (_, i) =>
        i % 4 === 3
          ? ["set_value", { element_token: token((e) => e.role === "textbox"), value: `text ${i}` }]
          : ["click", { element_token: token((e) => e.label === `B${i}`) }],
      );
      const all = async () => {
        for (const [tool, args] of acts) await call(tool, args);
      };
      // What the window shows at the end is what it shows at the beginning.
      await all();
      await call("start_recording", { output_dir: dir });
      await all();
      await call("stop_recording");
      heading(`Replay, ${kind}: 20 turns at the fastest speed`);
      let drifted = 0;
      const f = await interleaved(times(6), {
        "the acts themselves": () => time(all),
        replay_trajectory: async () => {
          const out = await call("replay_trajectory", { dir, speed: 1000, session: "again" });
          if (out.counts.failed > 0 || out.counts.skipped > 0) throw new Error(JSON.stringify(out.counts));
          drifted += out.counts.drifted;
        },
      });
      rows(f);
      ratio(`replay / acts, ${drifted} drifted`, f.replay_trajectory, f["the acts themselves"], 2);
      child.kill("SIGKILL");
      await sleep(300);
    }
  }

  /** A recording of a thousand turns: ten real ones, again and again. */
  async function thousand() {
    const small = new Desktop("1280x800");
    await small.start();
    const own = await Driver.connect({ socket: small.socket });
    const ask = async (tool, args = {}) => (await own.raw(tool, args)).structured;
    small.window("gtk3", 24, ["counted"]);
    let window;
    for (let i = 0; i < 100 && window === undefined; i += 1) {
      await sleep(100);
      window = (await ask("list_windows")).windows.find((w) => w.title.includes("bench gtk3"));
    }
    const { pid, window_id } = window;
    await ask("set_window_frame", { pid, window_id, x: 0, y: 0, width: 1280, height: 800 });
    const ten = `${small.dir}/ten`;
    await ask("start_recording", { output_dir: ten });
    for (let i = 0; i < 10; i += 1) {
      const { elements } = await ask("get_window_state", { pid, window_id, include_screenshot: false });
      await ask("click", { element_token: elements.find((e) => e.label === `B${i}`).element_token });
    }
    await ask("stop_recording");
    const turn = (n) => `turn-${String(n).padStart(5, "0")}`;
    const dir = `${desktop.dir}/thousand`;
    cpSync(ten, dir, { recursive: true });
    for (let n = 11; n <= 1000; n += 1) {
      cpSync(`${ten}/${turn(((n - 1) % 10) + 1)}`, `${dir}/${turn(n)}`, { recursive: true });
      const action = JSON.parse(readFileSync(`${dir}/${turn(n)}/action.json`, "utf8"));
      Object.assign(action, { t_start_ms: n * 700, t_end_ms: n * 700 + 20 });
      writeFileSync(`${dir}/${turn(n)}/action.json`, JSON.stringify(action));
    }
    const session = JSON.parse(readFileSync(`${dir}/session.json`, "utf8"));
    writeFileSync(`${dir}/session.json`, JSON.stringify({ ...session, turns: 1000 }));
    await own.close();
    await small.stop();
    return dir;
  }

  async function view() {
    const dir = await thousand();
    const child = spawn(BIN, ["trajectory", "view", dir, "--no-open"], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    const [said] = await once(child.stdout, "data");
    const url = String(said).trim();
    const file = `${desktop.dir}/thousand.html`;
    await run(BIN, ["trajectory", "view", dir, "--export", file], env);
    const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
    for (const [what, address] of [
      ["served", url],
      ["exported", `file://${file}`],
    ])
      await scrolled(browser, what, address);
    await browser.close();
    child.kill("SIGTERM");
  }

  async function scrolled(browser, what, url) {
    heading(`The viewer, 1000 turns, ${what}`);
    const [paints, worst] = [[], []];
    for (let i = 0; i < times(8); i += 1) {
      const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
      await page.addInitScript(() => {
        window.tasks = [];
        new PerformanceObserver((all) => {
          for (const { startTime, duration } of all.getEntries()) window.tasks.push([startTime, duration]);
        }).observe({ type: "longtask", buffered: true });
      });
      await page.goto(url);
      await page.waitForSelector(".turn strong");
      const paint = "first-contentful-paint";
      paints.push(await page.evaluate((p) => performance.getEntriesByName(p)[0].startTime, paint));
      await page.waitForFunction(() => !document.querySelector(".count")?.textContent?.includes("loading"));
      await sleep(500);
      const from = await page.evaluate(() => performance.now());
      await page.mouse.move(150, 500);
      // Down by the wheel and up again, slowly, then in leaps.
      for (const by of [300, -300, 4000, -4000])
        for (let n = 0; n < 30; n += 1) {
          await page.mouse.wheel(0, by);
          await sleep(16);
        }
      await sleep(300);
      const tasks = await page.evaluate(
        (t) => window.tasks.filter(([at]) => at >= t).map(([, d]) => d),
        from,
      );
      worst.push(Math.max(0, ...tasks));
      await page.close();
    }
    rows({ "first paint": figures(paints), "longest task over 50 ms": figures(worst) });
    bound("first paint, p95", figures(paints).p95, 1000, " ms");
    bound("longest task while scrolling (none over 50 counts as 0)", Math.max(...worst), 50, " ms");
  }

  async function render() {
    const small = new Desktop("1280x800");
    await small.start();
    const own = await Driver.connect({ socket: small.socket });
    const ask = async (tool, args = {}) => (await own.raw(tool, args)).structured;
    small.window("gtk3", 24, ["counted", "animated"]);
    await sleep(2000);
    const window = (await ask("list_windows")).windows.find((w) => w.title.includes("bench gtk3"));
    const dir = `${desktop.dir}/minute`;
    const seconds = quick ? 15 : 60;
    await ask("start_recording", { output_dir: dir, record_video: true });
    const began = performance.now();
    for (let i = 0; performance.now() - began < seconds * 1000; i += 1) {
      const target = { pid: window.pid, window_id: window.window_id };
      const { elements } = await ask("get_window_state", { ...target, include_screenshot: false });
      await ask("click", { element_token: elements.find((e) => e.label === `B${i % 24}`).element_token });
      await sleep(1500);
    }
    await ask("stop_recording");
    await own.close();
    await small.stop();
    heading(`Render of ${seconds} s, 1280x800`);
    const f = await interleaved(1, {
      "recording render": () =>
        run(BIN, ["recording", "render", dir, "-o", `${desktop.dir}/${Math.random()}.mp4`], env).then(
          () => undefined,
        ),
    });
    rows(f);
    bound("render", f["recording render"].p95 / 1000, seconds, " s");
  }

  async function video() {
    const small = new Desktop("1280x800");
    await small.start();
    const own = await Driver.connect({ socket: small.socket });
    const ask = async (tool, args = {}) => (await own.raw(tool, args)).structured;
    const child = small.window("gtk3", 24, ["animated"]);
    await sleep(1500);
    let n = 0;
    const next = () => `${small.dir}/video-${n++}`;
    heading("Video, 1280x800 at 30 frames a second, a window that moves");
    const first = [];
    const f = await interleaved(times(12), {
      "start, answered": async () => {
        const ms = await time(async () => {
          first.push(
            (await ask("start_recording", { output_dir: next(), record_video: true })).video.start_ms,
          );
        });
        await sleep(700);
        return ms;
      },
      stop: () => time(() => ask("stop_recording")),
    });
    rows({ ...f, "to the first frame": figures(first) });
    bound("start to the first frame, p95", figures(first).p95, 500, " ms");
    bound("stop, p95", f.stop.p95, 500, " ms");

    await ask("start_recording", { output_dir: next(), record_video: true });
    const seconds = quick ? 5 : 20;
    const encoders = () => descendants(small.pid).filter((p) => p.name === "ffmpeg");
    const used = () => encoders().reduce((sum, p) => sum + p.cpu, 0);
    await sleep(1000);
    const before = used();
    await sleep(seconds * 1000);
    bound("core used by the encoder", (used() - before) / seconds, 0.3);
    await ask("stop_recording");

    const lost = [];
    for (let i = 0; i < times(8); i += 1) {
      const one = new Desktop("1280x800");
      await one.start();
      const driver = await Driver.connect({ socket: one.socket });
      const dir = `${small.dir}/killed-${i}`;
      const asked = performance.now();
      const { video } = (await driver.raw("start_recording", { output_dir: dir, record_video: true }))
        .structured;
      const began = asked + video.start_ms;
      await sleep(2000 + 137 * i);
      process.kill(one.pid, "SIGKILL");
      const ms = performance.now() - began;
      await driver.close().catch(() => undefined);
      await sleep(300);
      await one.stop();
      const probe = [
        "-v",
        "error",
        "-show_entries",
        "format=duration",
        "-of",
        "csv=p=0",
        `${dir}/${video.path}`,
      ];
      lost.push(ms - 1000 * Number(await run("ffprobe", probe, process.env)));
    }
    bound("video lost by kill -9, most", Math.max(...lost), 500, " ms");
    await own.close();
    child.kill("SIGKILL");
    await small.stop();
  }

  /** Processes under one, with the seconds of processor that each used. */
  function descendants(root) {
    const all = readdirSync("/proc")
      .filter((p) => /^\d+$/.test(p))
      .flatMap((p) => {
        try {
          const text = readFileSync(`/proc/${p}/stat`, "utf8");
          const name = text.slice(text.indexOf("(") + 1, text.lastIndexOf(")"));
          const rest = text.slice(text.lastIndexOf(")") + 2).split(" ");
          return [
            {
              pid: Number(p),
              name,
              parent: Number(rest[1]),
              cpu: (Number(rest[11]) + Number(rest[12])) / 100,
            },
          ];
        } catch {
          return [];
        }
      });
    const under = (p) => p !== undefined && (p.parent === root || under(all.find((o) => o.pid === p.parent)));
    return all.filter(under);
  }

  return { record, replay, video, view, render };
}
