import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { get, type IncomingHttpHeaders } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { run } from "../src/commands/view.js";
import { open } from "../src/index.js";
import { type Serving, serve } from "../src/view/server.js";
import { Steps } from "../src/view/steps.js";
import { ran } from "./io.js";
import { type Sample, scratch, turnName, writeSample } from "./sample.js";

const temp = scratch();
const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
let browser: Browser;
beforeAll(async () => {
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: FLAGS,
  });
});
afterAll(async () => {
  await browser.close();
  temp.end();
});

const EVIL = [
  "<img src=x onerror=\"document.title='PWNED'\">",
  "</script><script>document.title='PWNED'</script>",
  "\"><svg onload=document.title='PWNED'>",
  "javascript:document.title='PWNED'",
  "<!--",
  "\u202egnp",
].join(" ");

const TRIO: Sample["steps"] = [
  { tool: "type_text", arguments: { text: "Ada" }, element: { role: "textbox", name: "Name" }, value: "Ada" },
  { point: { x: 60, y: 80 }, mark: [20, 160, 90] },
  {
    point: { x: 90, y: 180 },
    outcome: "refused",
    result: { code: "stale_element_token", message: "take a new snapshot" },
  },
];

function recording(name: string, sample: Sample): string {
  const dir = join(temp.path, name);
  writeSample(dir, sample);
  return dir;
}

/** The recording as an exported page, and as a served one. */
async function pages(dirs: string[]): Promise<{ kind: string; url: string; end: () => void }[]> {
  const file = `${dirs[0]}.html`;
  expect(await ran(run, [...dirs, "--export", file])).toEqual({ code: 0, out: `${file}\n`, err: "" });
  const [a, b] = dirs.map((dir) => open(dir));
  if (!a) throw new Error("no recording");
  const serving = await serve(new Steps(b ? [a, b] : [a]), 0);
  return [
    { kind: "exported", url: pathToFileURL(file).href, end: () => {} },
    { kind: "served", url: serving.url, end: () => serving.stop() },
  ];
}

/** Open each kind of page, with what went wrong in it. */
async function each(
  dirs: string[],
  look: (page: Page, kind: string) => Promise<void>,
  expected = /^$/,
): Promise<void> {
  for (const { kind, url, end } of await pages(dirs)) {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    const wrong: string[] = [];
    page.on("pageerror", (error) => wrong.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error" && !expected.test(message.text())) wrong.push(message.text());
    });
    try {
      await page.goto(url);
      await page.waitForSelector(".turn strong");
      await look(page, kind);
      expect(wrong).toEqual([]);
    } finally {
      await page.close();
      end();
    }
  }
}

const natural = (page: Page, selector: string) =>
  page.$eval(selector, (img) => ({
    width: (img as HTMLImageElement).naturalWidth,
    key: (img as HTMLImageElement).src.slice(-40),
  }));

test("every turn is listed with its tool, text, window and outcome; the chosen one is shown in full", async () => {
  await each([recording("trio", { steps: TRIO })], async (page) => {
    const rows = await page.$$eval("nav [role=option]", (all) =>
      all.map((row) => row.textContent?.replaceAll(/\s+/g, " ")),
    );
    expect(rows[0]).toMatch(/^1type_textconfirmed.*Ada.*textbox “Name”.*Ledger/);
    expect(rows[2]).toMatch(/^3clickstale_element_token/);
    await page.waitForSelector(".panel pre");
    expect(await page.textContent(".panel")).toMatch(/"text": "Ada"[\s\S]*"effect": "confirmed"/);
    await page.click("nav [role=option] >> nth=2");
    await page.waitForFunction(() =>
      document.querySelector(".panel")?.textContent?.includes("take a new snapshot"),
    );
    await page.waitForSelector("img.shot");
    expect((await natural(page, "img.shot")).width).toBe(420);
  });
});

test("before, click and after are different pictures, by tab and by key", async () => {
  await each([recording("shots", { steps: TRIO })], async (page) => {
    await page.keyboard.press("ArrowDown");
    const keys = new Set<string>();
    for (const key of ["1", "2", "3"]) {
      await page.keyboard.press(key);
      await page.waitForFunction(
        () => (document.querySelector("img.shot") as HTMLImageElement | null)?.complete,
      );
      keys.add((await natural(page, "img.shot")).key);
    }
    expect(keys.size).toBe(3);
    await page.click("role=tab[name='Before and after']");
    expect(await page.$$eval("img.shot", (all) => all.length)).toBe(2);
  });
});

test("the tree shows what changed", async () => {
  await each([recording("tree", { steps: TRIO })], async (page) => {
    await page.click("role=tab[name='Tree']");
    await page.waitForSelector(".tree-line");
    expect(await page.$$eval(".tree-line", (all) => all.length)).toBe(4);
    await page.click("text=only what changed (1 of 4)");
    expect(await page.$$eval(".tree-line", (all) => all.map((line) => line.textContent))).toEqual([
      "~changedtextbox“Name”= “Ada”was without",
    ]);
  });
});

test("search and the filter of failures leave what fits; the keyboard goes through it", async () => {
  await each([recording("filter", { steps: TRIO })], async (page) => {
    await page.keyboard.press("/");
    await page.keyboard.type("ada name");
    await page.waitForFunction(() => document.querySelectorAll("nav [role=option]").length === 1);
    await page.keyboard.press("Escape");
    await page.waitForFunction(() => document.querySelectorAll("nav [role=option]").length === 3);
    await page.keyboard.press("f");
    await page.waitForFunction(() => document.querySelectorAll("nav [role=option]").length === 1);
    expect(await page.textContent("nav [role=option]")).toMatch(/^3click/);
    await page.keyboard.press("f");
    await page.keyboard.press("End");
    expect(await page.getAttribute("nav [role=option] >> nth=2", "aria-selected")).toBe("true");
    await page.keyboard.press("k");
    expect(await page.getAttribute("nav [role=option] >> nth=1", "aria-selected")).toBe("true");
    await page.focus("[role=slider]");
    await page.keyboard.press("ArrowLeft");
    expect(await page.getAttribute("[role=slider]", "aria-valuetext")).toBe("turn 1 of 3");
  });
});

test("light and dark, by the system and by choice", async () => {
  await each([recording("dark", { steps: TRIO })], async (page) => {
    const ground = () => page.$eval("body", (body) => getComputedStyle(body).backgroundColor);
    await page.emulateMedia({ colorScheme: "light" });
    const light = await ground();
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await ground()).not.toBe(light);
    await page.click("text=Theme: auto");
    expect(await ground()).toBe(light);
  });
});

test("every control has a name, and everything is reached by Tab", async () => {
  await each([recording("names", { steps: TRIO })], async (page) => {
    const unnamed = await page.$$eval(
      "button, input, [role=listbox], [role=slider], [role=tablist], section, nav, img.shot, video",
      (all) =>
        all
          .filter(
            (e) =>
              !(
                e.getAttribute("aria-label") ??
                e.getAttribute("alt") ??
                (e as HTMLInputElement).labels?.[0]?.textContent ??
                e.textContent?.trim()
              ),
          )
          .map((e) => e.outerHTML.slice(0, 80)),
    );
    expect(unnamed).toEqual([]);
    const reached = new Set<string>();
    for (let i = 0; i < 14; i++) {
      await page.keyboard.press("Tab");
      reached.add(
        await page.evaluate(
          () =>
            document.activeElement?.getAttribute("aria-label") ??
            document.activeElement?.getAttribute("role") ??
            document.activeElement?.tagName ??
            "",
        ),
      );
    }
    expect([...reached]).toEqual(
      expect.arrayContaining(["Search turns", "Timeline", "Turns", "tab", "Keyboard"]),
    );
  });
});

test("the video goes in step with the turns", async () => {
  const steps = [
    { point: { x: 60, y: 80 }, startMs: 1000 },
    { point: { x: 90, y: 90 }, startMs: 3000 },
  ];
  await each([recording("film", { steps, videoSeconds: 4 })], async (page) => {
    await page.click("role=tab[name='Video']");
    await page.waitForSelector("video");
    await page.keyboard.press("End");
    await page.waitForFunction(
      () => Math.abs((document.querySelector("video")?.currentTime ?? 0) - 3) < 0.05,
    );
    await page.$eval("video", async (video) => {
      (video as HTMLVideoElement).currentTime = 0.6;
      await (video as HTMLVideoElement).play();
    });
    await page.waitForFunction(
      () => document.querySelector("nav [role=option]")?.getAttribute("aria-selected") === "true",
    );
  });
});

test("two recordings side by side, with what differs", async () => {
  const a = recording("left", { steps: TRIO });
  const b = recording("right", {
    steps: TRIO.map((step, i) =>
      i === 0 ? { ...step, arguments: { text: "Grace" }, value: "Grace" } : step,
    ).slice(0, 2),
  });
  await each([a, b], async (page) => {
    const rows = await page.$$eval("nav [role=option]", (all) => all.map((row) => row.textContent));
    expect([rows[0], rows[1], rows[2]]).toEqual([
      expect.stringContaining("differs"),
      expect.stringContaining("same"),
      expect.stringContaining("only in A"),
    ]);
    await page.click("role=tab[name='Differences']");
    await page.waitForFunction(() =>
      document.querySelector(".panel")?.textContent?.includes('"Ada" in A, "Grace" in B'),
    );
    expect(await page.$$eval("img.shot", (all) => all.length)).toBe(2);
  });
});

test("hostile text in every field is text", async () => {
  const dir = recording("evil", { steps: TRIO });
  for (const name of readdirSync(dir, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".json")) continue;
    const file = join(dir, name);
    writeFileSync(
      file,
      readFileSync(file, "utf8").replaceAll(
        /"(Ada|Add|Name|Ledger|cli|stopped|click|textbox|button|take a new snapshot|stale_element_token|linux)"/g,
        JSON.stringify(EVIL),
      ),
    );
  }
  await each(
    [dir],
    async (page, kind) => {
      for (const key of ["t", "t", "t", "f", "f", "End", "3"]) await page.keyboard.press(key);
      for (const tab of ["Call", "Tree", "Recording"]) {
        await page.click(`role=tab[name='${tab}']`);
        await page.waitForTimeout(150);
      }
      expect(await page.title()).toBe("evil · recording");
      expect(await page.$$eval("img[onerror], svg, [href^='javascript:']", (all) => all.length)).toBe(0);
      expect(
        await page.$$eval(
          "[title], [aria-label], [alt], [style]",
          (all) => all.filter((e) => e.outerHTML.split(">")[0]?.includes("PWNED")).length,
        ),
      ).toBe(0);
      expect(await page.textContent("nav")).toContain("<img src=x onerror=");
      expect(await page.$$eval(".odd", (all) => all.some((e) => e.textContent === "U+202E"))).toBe(true);
      // The policy holds against whoever gets past the page.
      const blocked = await page.evaluate(async () => {
        const script = document.createElement("script");
        try {
          script.append("document.title='PWNED'");
          document.body.append(script);
        } catch {}
        return fetch("https://example.org/").then(
          () => "fetched",
          () => "blocked",
        );
      });
      expect([blocked, await page.title()], kind).toEqual(["blocked", "evil · recording"]);
    },
    /Content Security Policy|TrustedScript/,
  );
});

describe("a thousand turns", () => {
  const steps = Array.from({ length: 1000 }, (_, i) => ({
    ...TRIO[i % 3],
    startMs: 1000 + i * 700,
    mark: [i % 250, 100, 100] as [number, number, number],
  }));

  test("the page stays as small as with ten, also while it is scrolled", async () => {
    const [large, few] = [recording("thousand", { steps }), recording("ten", { steps: steps.slice(0, 10) })];
    const nodes: Record<string, number> = {};
    await each([few], async (page, kind) => {
      nodes[kind] = await page.$$eval("#app *", (all) => all.length);
    });
    await each([large], async (page, kind) => {
      await page.waitForFunction(() => !document.querySelector(".count")?.textContent?.includes("loading"));
      const most = await page.evaluate(async () => {
        const list = document.querySelector("nav .list") as HTMLElement;
        let rows = 0;
        for (let i = 0; i < 60; i++) {
          list.scrollTop += 1100;
          await new Promise(requestAnimationFrame);
          rows = Math.max(rows, list.querySelectorAll("[role=option]").length);
        }
        return { rows, top: list.scrollTop };
      });
      expect(most.top).toBeGreaterThan(60_000);
      expect(most.rows).toBeLessThan(40);
      expect(await page.$$eval("#app *", (all) => all.length)).toBeLessThan((nodes[kind] ?? 0) * 3);
      await page.keyboard.press("End");
      await page.waitForFunction(() =>
        document.querySelector("nav [aria-selected=true]")?.textContent?.startsWith("1000"),
      );
    });
  });
});

describe("the exported file", () => {
  test("names nothing outside itself, is private, and leaves the recording as it was", async () => {
    const dir = recording("alone", { steps: TRIO });
    const before = readdirSync(dir, { recursive: true }).sort();
    const file = join(temp.path, "alone.html");
    await ran(run, ["--export", file, dir]);
    const html = readFileSync(file, "utf8");
    const outside = [...html.matchAll(/(?:src|href|action|data|poster|srcset)\s*=\s*["']?([^"'\s>]+)/gi)].map(
      (m) => m[1],
    );
    expect(outside).toEqual([]);
    expect(html).not.toMatch(/url\(|https?:\/\/(?!www\.w3\.org)/);
    expect(html.match(/type="image\/png"/g)?.length).toBeGreaterThanOrEqual(3);
    expect(statSync(file).mode & 0o077).toBe(0);
    expect(readdirSync(dir, { recursive: true }).sort()).toEqual(before);
  });

  const refused: [string, () => string[], RegExp][] = [
    ["no such folder", () => [join(temp.path, "nix")], /nix/],
    ["a folder without turns", () => [temp.path], /not a recording/],
    [
      "a place that cannot be written",
      () => [recording("unwritable", { steps: TRIO }), "--export", "/nix/x.html"],
      /nix/,
    ],
    [
      "a target that is a link",
      () => {
        symlinkSync("/etc/hostname", join(temp.path, "link.html"));
        return [recording("linked", { steps: TRIO }), "--export", join(temp.path, "link.html")];
      },
      /no plain file/,
    ],
  ];
  test.each(refused)("refused: %s", async (_, argv, said) => {
    const given = argv();
    const r = await ran(
      run,
      given.includes("--export") ? given : [...given, "--export", join(temp.path, "no.html")],
    );
    expect([r.code, r.err]).toEqual([1, expect.stringMatching(said)]);
    expect(readdirSync(temp.path).filter((name) => name === "no.html" || name.includes(".part"))).toEqual([]);
  });
});

describe("the server", () => {
  let serving: Serving;
  let dir: string;
  beforeAll(async () => {
    dir = recording("server", { steps: TRIO, videoSeconds: 1 });
    symlinkSync("/etc/hostname", join(dir, turnName(2), "secret.png"));
    serving = await serve(new Steps([open(dir)]), 0);
  });
  afterAll(() => serving.stop());

  interface Answer {
    code: number;
    body: string;
    headers: IncomingHttpHeaders;
  }
  /** Ask for exactly this path, as no browser would. */
  function ask(path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Answer> {
    const { port } = new URL(serving.url);
    return new Promise((resolve, reject) => {
      get({ host: "127.0.0.1", port, path, headers, method }, (response) => {
        let body = "";
        response.on("data", (data) => {
          body += data;
        });
        response.on("end", () =>
          resolve({ code: response.statusCode ?? 0, body, headers: response.headers }),
        );
      }).on("error", reject);
    });
  }

  test("listens on loopback under a path of its own and sends a strict policy", async () => {
    const { hostname, pathname } = new URL(serving.url);
    expect([hostname, pathname.length > 20]).toEqual(["127.0.0.1", true]);
    const page = await ask(pathname);
    expect(page.code).toBe(200);
    expect(page.headers["content-security-policy"]).toMatch(
      /^default-src 'none'; script-src 'self';.*require-trusted-types-for 'script'$/,
    );
    expect(page.headers["x-content-type-options"]).toBe("nosniff");
    expect((await ask(`${pathname}p/0/1/before`)).headers["content-type"]).toBe("image/png");
  });

  const nothing = [
    "/",
    "/index.html",
    "{}../",
    "{}..%2f..%2fetc/passwd",
    "{}p/0/1/../../../../etc/passwd",
    "{}p/0/2/secret",
    "{}p/0/9/before",
    "{}p/2/1/before",
    "{}v/0/7",
    "{}v/0/..%2fsession.json",
    "{}step/99",
    "{}session.json",
    "{}rows/-1",
    "{}head?x=1",
  ];
  test.each(nothing)("%s is not there", async (path) => {
    const answer = await ask(path.replace("{}", new URL(serving.url).pathname));
    expect([answer.code, answer.body]).toEqual([404, "404\n"]);
  });

  test("another host, another method: refused", async () => {
    const { pathname, port } = new URL(serving.url);
    for (const host of [
      "evil.example",
      `evil.example:${port}`,
      "127.0.0.1",
      `127.0.0.1.evil.example:${port}`,
    ])
      expect((await ask(pathname, { Host: host })).code).toBe(403);
    expect((await ask(pathname, { Host: `localhost:${port}` })).code).toBe(200);
    expect((await ask(pathname, {}, "POST")).code).toBe(405);
  });

  test("a video is sent in the ranges a player asks for", async () => {
    const path = `${new URL(serving.url).pathname}v/0/0`;
    const bytes = statSync(join(dir, "recording.mp4")).size;
    expect((await ask(path, { Range: "bytes=0-9" })).headers).toMatchObject({
      "content-range": `bytes 0-9/${bytes}`,
      "content-length": "10",
    });
    expect((await ask(path, { Range: `bytes=${bytes - 5}-` })).headers["content-length"]).toBe("5");
    expect((await ask(path, { Range: `bytes=${bytes}-` })).code).toBe(416);
  });

  test("ends by itself when its page is gone, and when nobody came", async () => {
    const limits = { closedMs: 150, idleMs: 20_000 };
    const once = await serve(new Steps([open(dir)]), 0, limits);
    const page = await browser.newPage();
    await page.goto(once.url);
    await page.waitForSelector(".turn strong");
    const early = await Promise.race([
      once.ended,
      new Promise((r) => setTimeout(() => r("still there"), 600)),
    ]);
    await page.close();
    expect([early, await once.ended]).toEqual(["still there", "closed"]);
    const never = await serve(new Steps([open(dir)]), 0, { closedMs: 100, idleMs: 100 });
    expect(await never.ended).toBe("idle");
  });

  test("the command prints the address and ends when it is told to", async () => {
    const stop = new AbortController();
    const said: string[] = [];
    const code = ran(run, [dir, "--no-open"], { signal: stop.signal, out: (text) => void said.push(text) });
    while (said.length === 0) await new Promise((next) => setTimeout(next, 20));
    expect(said[0]).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{20,}\/\n$/);
    expect((await fetch(said[0]?.trim() ?? "")).status).toBe(200);
    stop.abort();
    expect((await code).code).toBe(0);
  });
});
