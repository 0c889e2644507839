// Every measurement of `bench/run`, part by part.

import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { cpus, loadavg } from "node:os";
import { Driver } from "@cua-driver/sdk";
import { BIN, Desktop, run, sleep, time } from "./desktop.mjs";
import { Host } from "./host.mjs";
import { recordings } from "./recordings.mjs";
import { soak } from "./soak.mjs";
import { against, bound, heading, interleaved, misses, ratio, rows } from "./table.mjs";

const words = process.argv.slice(2);
const quick = words.includes("--quick");
const long = words.includes("--long");
const wanted = words.filter((w) => !w.startsWith("-"));
const part = (name) => wanted.length === 0 || wanted.includes(name);
const times = (n) => (quick ? Math.max(3, Math.floor(n / 4)) : n);

const desktop = new Desktop("1920x1080");
await desktop.start();
const env = desktop.env;
const driver = await Driver.connect({ socket: desktop.socket });
const call = async (tool, args = {}) => (await driver.raw(tool, args)).structured;

async function windowOf(child, title) {
  for (let i = 0; i < 200; i += 1) {
    const found = (await call("list_windows")).windows.find(
      (w) => w.title.includes(title) && (title === "bench page" || w.pid === child.pid),
    );
    if (found !== undefined) return { pid: found.pid, window_id: found.window_id };
    await sleep(100);
  }
  throw new Error(`no window ${title}`);
}
const look = (window, more = {}) =>
  call("get_window_state", { ...window, include_screenshot: false, ...more });
const number = (line) =>
  line === undefined || line.startsWith("-") ? undefined : Number(line.split(" ")[0]);
const nodes = (line) => Number(line?.split(" ")[1] ?? 0);

async function processes() {
  heading("A process: `cua-driver call get_screen_size`, the daemon up");
  const f = await interleaved(times(40), {
    "/bin/true": () => run("/bin/true", [], env),
    "cua-driver call": () => run(BIN, ["call", "get_screen_size"], env),
    "xdotool getdisplaygeometry": () => run("xdotool", ["getdisplaygeometry"], env),
  });
  rows(f);
  ratio("call as a process / true", f["cua-driver call"], f["/bin/true"], 4);

  heading("Starts");
  const s = await interleaved(times(12), {
    "/bin/true": () => run("/bin/true", [], env),
    "node -e 0": () => run(process.execPath, ["-e", "0"], env),
    "daemon to its first answer": firstAnswer,
    "mcp to tools/list": async () => {
      const host = new Host(env);
      const ms = await time(async () => {
        await host.ask("initialize", {
          protocolVersion: "2025-06-18",
          capabilities: {},
          clientInfo: { name: "bench", version: "1" },
        });
        await host.ask("tools/list", {});
      });
      host.end();
      return ms;
    },
  });
  rows(s);
  ratio("daemon start / true", s["daemon to its first answer"], s["/bin/true"], 20);
  ratio("mcp start / node -e 0", s["mcp to tools/list"], s["node -e 0"], 3);
}

/** A second driver on the same display, until it answers its first call. */
async function firstAnswer() {
  const socket = `${desktop.dir}/second`;
  let child;
  const ms = await time(async () => {
    child = spawn(BIN, ["serve", "--socket", socket], { env, stdio: "ignore" });
    for (;;) {
      if (
        (await run(BIN, ["call", "get_screen_size", "--socket", socket], env).catch(() => undefined)) !==
        undefined
      )
        return;
      if (child.exitCode !== null) throw new Error(`serve ended with ${child.exitCode}`);
    }
  });
  const gone = new Promise((done) => child.once("exit", done));
  child.kill("SIGTERM");
  await gone;
  return ms;
}

async function list() {
  const children = Array.from({ length: 30 }, () => desktop.spawn("xterm", ["-e", "sleep", "600"]));
  await sleep(3000);
  const { windows } = await call("list_windows");
  heading(`list_windows in a session, ${windows.length} windows`);
  const f = await interleaved(times(60), {
    "list_windows over gRPC": () => call("list_windows").then(() => undefined),
    "wmctrl -lp": () => run("wmctrl", ["-lp"], env),
  });
  const again = await interleaved(times(200), {
    "list_windows, one after another": () => call("list_windows").then(() => undefined),
  });
  rows({ ...f, ...again });
  bound("list_windows, one after another", again["list_windows, one after another"].p50, 1, " ms");
  for (const c of children) c.kill("SIGKILL");
  await sleep(300);
}

async function trees() {
  const kinds = [
    ["gtk4", 46, [], 1.3],
    ["gtk3", 257, [], 1.3],
    ["gtk4", 450, ["animated"], 1.3],
  ];
  for (const [kind, buttons, more, most] of kinds) {
    const child = desktop.window(kind, buttons, more);
    const window = await windowOf(child, `bench ${kind}`);
    await sleep(1500);
    const floor = await desktop.asked("out/bench/floor_tree", [String(child.pid)]);
    const script = await desktop.asked("/usr/bin/python3", ["bench/pyatspi_tree.py", String(child.pid)]);
    const [bulk, whole] = [nodes(await floor?.("bulk")), nodes(await floor?.("pipe"))];
    // The bulk answer is a floor only where it holds what the walk finds.
    await floor?.("bulk");
    const way = nodes(await floor?.("bulk")) >= whole * 0.9 ? "bulk" : "pipe";
    const seen = await look(window);
    heading(
      `Tree of ${kind}${more.length > 0 ? ", animated" : ""}: ${whole} nodes, ${seen.elements.length} elements (bulk first held ${bulk})`,
    );
    let since = seen.snapshot_id;
    const keep = async (more) => {
      since = (await look(window, more)).snapshot_id;
    };
    const f = await interleaved(times(20), {
      [`floor (${way})`]: floor && (async () => number(await floor(way))),
      "get_window_state, whole": anew(window),
      "get_window_state, again": () => keep({}),
      "the same, since": () => keep({ since }),
      pyatspi: script && (async () => number(await script("walk"))),
    });
    rows(f);
    ratio("tree / floor", f["get_window_state, whole"], f[`floor (${way})`], most);
    against("pyatspi", f.pyatspi, f["get_window_state, whole"]);
    child.kill("SIGKILL");
    await sleep(300);
  }
}

/** Milliseconds of a look for which nothing kept from earlier ones is of use: the window has just changed its size. */
function anew(window) {
  let width = 700;
  return async () => {
    width = 1410 - width;
    await call("set_window_frame", { ...window, x: 40, y: 40, width, height: 600 });
    await sleep(300);
    return time(() => look(window));
  };
}

async function page() {
  const html = readFileSync("bench/page.html");
  const server = createServer(
    (_, response) => void response.setHeader("content-type", "text/html").end(html),
  );
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  server.unref();
  const child = desktop.chromium(`http://127.0.0.1:${server.address().port}/`);
  const window = await windowOf(child, "bench page");
  for (let i = 0; i < 60 && (await look(window)).elements.length < 3000; i += 1) await sleep(500);
  const floor = await desktop.asked("out/bench/floor_tree", [String(window.pid)]);
  await floor?.("bulk");
  const [bulk, pipe] = [await floor?.("bulk"), await floor?.("pipe")];
  const way = nodes(bulk) >= nodes(pipe) * 0.9 ? "bulk" : "pipe";
  const full = await look(window);
  heading(`Chromium, a page of 3000 buttons: ${full.elements.length} elements`);
  let since = full.snapshot_id;
  let unchanged = 0;
  const keep = async (more) => {
    const state = await look(window, more);
    since = state.snapshot_id;
    if (more.since !== undefined) unchanged = JSON.stringify(state).length;
  };
  const f = await interleaved(times(8), {
    [`floor (${way})`]: floor && (async () => number(await floor(way))),
    "get_window_state, whole": anew(window),
    "get_window_state, again": () => keep({}),
    "the same, since": () => keep({ since }),
  });
  rows(f);
  ratio("snapshot / floor", f["get_window_state, whole"], f[`floor (${way})`], 1.2);
  ratio("since / snapshot", f["the same, since"], f["get_window_state, whole"], 0.1);
  const reply = await driver.raw("get_window_state", { ...window, include_screenshot: false });
  const lean = await driver.raw("get_window_state", {
    ...window,
    include_screenshot: false,
    include_elements: false,
  });
  const bytes = (r) => Buffer.byteLength(r.text) + Buffer.byteLength(JSON.stringify(r.structured));
  bound("snapshot, bytes", bytes(reply) / 1000, 450, " kB");
  bound("without elements[], bytes", bytes(lean) / 1000, 110, " kB");
  bound("unchanged, bytes", unchanged / 1000, 1, " kB");
  const fresh = await look(window);
  const buttons = fresh.elements.filter((e) => e.role === "button").slice(0, 40);
  let n = 0;
  const c = await interleaved(times(12), {
    "click by token": () =>
      call("click", { element_token: buttons[n++ % buttons.length].element_token }).then(() => undefined),
  });
  rows(c);
  bound("click by token on that page", c["click by token"].p50, 30, " ms");
  child.kill("SIGKILL");
  server.closeAllConnections();
  server.close();
  await sleep(300);
}

async function pictures() {
  const child = desktop.window("gtk3", 100);
  const window = await windowOf(child, "bench gtk3");
  await call("set_window_frame", { ...window, x: 20, y: 40, width: 1280, height: 800 });
  const cover = desktop.window("gtk3", 10);
  const over = await windowOf(cover, "bench gtk3");
  await call("set_window_frame", { ...over, x: 0, y: 20, width: 1500, height: 1000 });
  await call("set_config", { max_image_dimension: 0, session: "pictures" });
  heading("Pictures");
  const f = await interleaved(times(16), {
    "scrot, 1920x1080": () => run("scrot", ["-o", `${desktop.dir}/scrot.png`], env).then(() => undefined),
    "get_desktop_state, 1920x1080": () =>
      driver.raw("get_desktop_state", { session: "pictures" }).then(() => undefined),
    "window 1280x800, covered": () =>
      driver
        .raw("get_window_state", { ...window, include_accessibility_tree: false, session: "pictures" })
        .then(() => undefined),
  });
  rows(f);
  ratio("desktop picture / scrot", f["get_desktop_state, 1920x1080"], f["scrot, 1920x1080"], 0.25);
  bound("window picture", f["window 1280x800, covered"].p50, 25, " ms");
  child.kill("SIGKILL");
  cover.kill("SIGKILL");
  await sleep(300);
}

/** Where a point click meets an element. */
const middle = (window, { image_frame: { x, y, w, h } }) => ({
  ...window,
  x: Math.round(x + w / 2),
  y: Math.round(y + h / 2),
});

async function clicks() {
  const child = desktop.window("gtk3", 24);
  const window = await windowOf(child, "bench gtk3");
  // Its buttons change a label, which accessibility sees; those of the other one change nothing.
  const counting = desktop.window("gtk3", 24, ["counted"]);
  const counter = await windowOf(counting, "bench gtk3");
  await call("set_window_frame", { ...window, x: 20, y: 40, width: 760, height: 300 });
  await call("set_window_frame", { ...counter, x: 20, y: 500, width: 760, height: 300 });
  await sleep(800);
  const host = new Host(env);
  await host.ask("initialize", {});
  const state = await host.call("get_window_state", window);
  const button = state.elements.find((e) => e.label === "B3");
  const counts = (await host.call("get_window_state", counter)).elements.find((e) => e.label === "B3");
  const point = middle(window, button);
  const { x: left, y: top } = button.frame;
  const floor = await desktop.asked("out/bench/floor_click", [String(left + 10), String(top + 10)]);
  const felt = async (work) => {
    const from = child.lines.length;
    const start = performance.now();
    const done = work();
    while (child.lines.length === from && performance.now() - start < 3000) await sleep(0.2);
    const ms = (child.lines[from]?.at ?? Number.NaN) - start;
    await done;
    return ms;
  };
  const token = { element_token: button.element_token };
  heading("Clicks over MCP, until the application has it and until it is answered");
  const f = await interleaved(times(24), {
    "floor: XTEST": floor && (() => felt(() => floor("click"))),
    "xdotool click": () =>
      felt(() => run("xdotool", ["mousemove", String(left + 10), String(top + 10), "click", "1"], env)),
    "by token, until it has it": () => felt(() => host.call("click", token)),
    "by point, until it has it": () => felt(() => host.call("click", point)),
    "by token, answered, effect seen": () =>
      time(() => host.call("click", { element_token: counts.element_token })),
    "by point, answered, effect seen": () => time(() => host.call("click", middle(counter, counts))),
    "by token, answered, none to see": () => time(() => host.call("click", token)),
    "by point, answered, none to see": () => time(() => host.call("click", point)),
  });
  rows(f);
  bound("by token, until it has it", f["by token, until it has it"].p50, 6, " ms");
  bound("by point, until it has it", f["by point, until it has it"].p50, 4, " ms");
  host.end();
  child.kill("SIGKILL");
  counting.kill("SIGKILL");
  await sleep(300);
}

async function text() {
  const child = desktop.window("gtk3", 12);
  const window = await windowOf(child, "bench gtk3");
  await sleep(800);
  const field = (await look(window)).elements.find((e) => e.role === "textbox");
  const words = "abcdefghij".repeat(20);
  let effect;
  heading("200 ASCII characters into a GTK3 field, in the background");
  const f = await interleaved(times(12), {
    type_text: async () => {
      const token = (await look(window)).elements.find((e) => e.role === "textbox").element_token;
      await call("set_value", { ...window, element_token: token, value: "" });
      const ms = await time(async () => {
        ({ effect } = await call("type_text", { element_token: token, text: words }));
      });
      return ms;
    },
    "xdotool type (in the foreground)": async () => {
      await run("xdotool", ["windowactivate", "--sync", String(window.window_id)], env);
      return time(() => run("xdotool", ["type", "--delay", "0", words], env));
    },
  });
  rows(f);
  bound(`type_text (${effect}, field ${field.element_index})`, f.type_text.p50, 66, " ms");
  child.kill("SIGKILL");
  await sleep(300);
}

async function stopped() {
  const child = desktop.window("gtk3", 12);
  const other = desktop.window("gtk4", 12);
  const window = await windowOf(child, "bench gtk3");
  const free = await windowOf(other, "bench gtk4");
  await look(window);
  child.kill("SIGSTOP");
  heading("A stopped application");
  const second = await Driver.connect({ socket: desktop.socket });
  const f = await interleaved(times(8), {
    "snapshot of the stopped one": () =>
      look(window).then(
        () => undefined,
        () => undefined,
      ),
    "another one, at the same time": async () => {
      const slow = look(window).catch(() => undefined);
      const ms = await time(() => second.raw("get_window_state", { ...free, include_screenshot: false }));
      await slow;
      return ms;
    },
  });
  rows(f);
  bound("a stopped application costs", f["snapshot of the stopped one"].p50, 1000, " ms");
  child.kill("SIGKILL");
  other.kill("SIGKILL");
  await second.close();
}

/** Milliseconds that all threads of a process have run. */
function ran(pid) {
  const one = (t) => Number(readFileSync(`/proc/${pid}/task/${t}/schedstat`, "utf8").split(" ")[0]) / 1e6;
  return readdirSync(`/proc/${pid}/task`).reduce((sum, t) => sum + one(t), 0);
}

async function rest() {
  heading("Sizes");
  const host = new Host(env);
  await host.ask("initialize", {});
  const listed = JSON.stringify((await host.ask("tools/list", {})).result).length;
  host.end();
  bound("tools/list, bytes", listed / 1000, 60, " kB");
  const fresh = new Desktop("1280x800");
  await fresh.start();
  await run(BIN, ["call", "get_screen_size", "--socket", fresh.socket], fresh.env);
  await sleep(1000);
  const rss =
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${fresh.pid}/status`, "utf8"))?.[1] ?? 0) / 1000;
  bound("memory at rest", rss, 40, " MB");
  const child = fresh.window("gtk3", 24);
  const own = await Driver.connect({ socket: fresh.socket });
  let window;
  for (let i = 0; i < 100 && window === undefined; i += 1) {
    await sleep(100);
    window = (await own.raw("list_windows")).structured.windows.find((w) => w.pid === child.pid);
  }
  await own.raw("click", { window_id: window.window_id, x: 30, y: 15 });
  await sleep(2000);
  const before = ran(fresh.pid);
  await sleep(5000);
  bound("of a core, idle after a click", (ran(fresh.pid) - before) / 50, 1, " %");
  await own.close();
  await fresh.stop();
}

try {
  console.log(`${cpus().length} cores, load ${loadavg()[0].toFixed(1)}, ${cpus()[0].model.trim()}`);
  const parts = {
    process: processes,
    list,
    tree: trees,
    page,
    picture: pictures,
    click: clicks,
    text,
    stopped,
    ...recordings({ desktop, call, look, windowOf, times, quick }),
    rest,
  };
  for (const [name, work] of Object.entries(parts)) {
    if (!part(name)) continue;
    await work().catch((error) => {
      console.log(`  not measured: ${error.message}`);
      process.exitCode = 1;
    });
  }
  if (long) await soak(desktop, driver);
  console.log(`\n${misses()} figures missed`);
} finally {
  await driver.close();
  await desktop.stop();
}
