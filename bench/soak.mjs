// Long runs: whether memory, handles and X clients stay flat, and how eight clients share one driver.
import { readdirSync, readFileSync } from "node:fs";
import { Driver } from "@cua-driver/sdk";
import { run, sleep } from "./desktop.mjs";
import { bound, figures, heading, rows } from "./table.mjs";

function held(pid) {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return {
    memory: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1000,
    threads: Number(/Threads:\s+(\d+)/.exec(status)?.[1] ?? 0),
    handles: readdirSync(`/proc/${pid}/fd`).length,
  };
}

async function windowOf(driver, child) {
  for (let i = 0; i < 100; i += 1) {
    const { windows } = (await driver.raw("list_windows")).structured;
    const found = windows.find((w) => w.pid === child.pid);
    if (found !== undefined) return { pid: found.pid, window_id: found.window_id };
    await sleep(100);
  }
  throw new Error("no window");
}

async function cycle(driver, window, n) {
  const { elements } = (await driver.raw("get_window_state", window)).structured;
  const buttons = elements.filter((e) => e.role === "button");
  await driver.raw("click", { element_token: buttons[n % buttons.length].element_token });
}

async function flat(desktop, driver) {
  const child = desktop.window("gtk3", 24);
  const window = await windowOf(driver, child);
  for (let n = 0; n < 50; n += 1) await cycle(driver, window, n);
  const before = held(desktop.pid);
  const clients = (await run("xlsclients", [], desktop.env)).split("\n").length;
  for (let n = 0; n < 500; n += 1) await cycle(driver, window, n);
  const after = held(desktop.pid);
  heading("500 observe-and-act cycles");
  bound("memory grew by", after.memory - before.memory, 4, " MB");
  bound("handles grew by", after.handles - before.handles, 2);
  bound("threads grew by", after.threads - before.threads, 2);
  bound("X clients grew by", (await run("xlsclients", [], desktop.env)).split("\n").length - clients, 0);
  child.kill("SIGKILL");
}

async function mixed(desktop) {
  const children = Array.from({ length: 8 }, (_, i) => desktop.window(i % 2 === 0 ? "gtk3" : "gtk4", 24));
  const times = { list_windows: [], get_window_state: [], click: [] };
  const errors = [];
  await Promise.all(
    children.map(async (child) => {
      const driver = await Driver.connect({ socket: desktop.socket });
      const window = await windowOf(driver, child);
      const end = Date.now() + 60_000;
      const timed = async (tool, args) => {
        const start = performance.now();
        const { structured } = await driver.raw(tool, args);
        times[tool].push(performance.now() - start);
        return structured;
      };
      for (let n = 0; Date.now() < end; n += 1) {
        try {
          await timed("list_windows", {});
          const { elements } = await timed("get_window_state", {
            ...window,
            include_screenshot: n % 4 === 0,
          });
          const buttons = elements.filter((e) => e.role === "button");
          await timed("click", { element_token: buttons[n % buttons.length].element_token });
        } catch (error) {
          errors.push(error.message);
        }
        await sleep(50);
      }
      await driver.close();
    }),
  );
  heading("Eight clients on eight windows for a minute");
  rows(Object.fromEntries(Object.entries(times).map(([tool, values]) => [tool, figures(values)])));
  for (const tool of ["list_windows", "get_window_state"]) {
    const sorted = times[tool].toSorted((a, b) => a - b);
    const p99 = sorted[Math.floor(sorted.length * 0.99)];
    bound(`p99 / p50 of ${tool} (ratio)`, p99 / sorted[Math.floor(sorted.length / 2)], 3);
  }
  bound("errors", errors.length, 0);
  if (errors.length > 0) console.log(`  the first: ${errors[0]}`);
  for (const child of children) child.kill("SIGKILL");
}

export async function soak(desktop, driver) {
  await flat(desktop, driver);
  await mixed(desktop);
}
