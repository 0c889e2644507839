/** The page: the strip above, the turns at the left, what one of them looked like, and what it was. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Detail, Overview } from "../src/view/model";
import type { Data } from "./data";
import { List } from "./list";
import { Panel, type Tab } from "./panel";
import { useRows } from "./rows";
import { SHOWING_WORD, SHOWINGS, type Showing, Stage } from "./stage";
import { Strip, stepAt } from "./strip";
import { Text } from "./text";
import { ROW, TurnRow } from "./turns";

const THEMES = ["auto", "light", "dark"] as const;
type Theme = (typeof THEMES)[number];

const TAB_WORD: Record<Tab, string> = {
  call: "Call",
  tree: "Tree",
  differences: "Differences",
  recording: "Recording",
};

export function App({ data, overview }: { data: Data; overview: Overview }) {
  const { rows, version } = useRows(data, overview);
  const [selected, setSelected] = useState(0);
  const [words, setWords] = useState("");
  const [failures, setFailures] = useState(false);
  const [showing, setShowing] = useState<Showing>("click");
  const [tab, setTab] = useState<Tab>("call");
  const [theme, setTheme] = useState<Theme>("auto");
  const search = useRef<HTMLInputElement>(null);
  const help = useRef<HTMLDialogElement>(null);
  const two = overview.heads.length === 2;
  const filtered = words.trim() !== "" || failures;
  const steps = useMemo(
    () => (filtered ? rows.matching({ words, failures }) : undefined),
    [filtered, words, failures, version],
  );
  const count = steps ? steps.length : rows.length;
  const position = steps ? steps.indexOf(selected) : selected;
  const select = (at: number) => setSelected(steps ? (steps[at] ?? selected) : at);
  const detail = useDetail(data, selected);
  const row = rows.get(selected);
  const tabs: Tab[] = two ? ["call", "tree", "differences", "recording"] : ["call", "tree", "recording"];
  const shown = SHOWINGS.filter(
    (one) => one !== "video" || overview.heads.some((head) => head.films.length > 0),
  );

  useEffect(() => {
    if (theme === "auto") document.documentElement.removeAttribute("data-theme");
    else document.documentElement.dataset.theme = theme;
  }, [theme]);

  useKeys({
    j: () => select(Math.min(count - 1, position + 1)),
    k: () => select(Math.max(0, position - 1)),
    ArrowDown: () => select(Math.min(count - 1, position + 1)),
    ArrowUp: () => select(Math.max(0, position - 1)),
    Home: () => select(0),
    End: () => select(count - 1),
    "/": () => search.current?.focus(),
    f: () => setFailures((on) => !on),
    t: () => setTab((now) => tabs[(tabs.indexOf(now) + 1) % tabs.length] ?? "call"),
    d: () => setTheme((now) => THEMES[(THEMES.indexOf(now) + 1) % THEMES.length] ?? "auto"),
    "?": () => help.current?.showModal(),
    ...Object.fromEntries(shown.map((one, i) => [String(i + 1), () => setShowing(one)])),
  });

  const leave = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    setWords("");
    search.current?.blur();
  };
  return (
    <div class="app">
      <header>
        <h1>
          {overview.heads.map((head, i) => (
            <span key={i}>
              {i > 0 ? <span class="dim"> and </span> : null}
              <Text of={head.name} limit={60} />
            </span>
          ))}
        </h1>
        <input
          ref={search}
          type="search"
          class="search"
          placeholder="Search turns  /"
          aria-label="Search turns"
          value={words}
          onInput={(event) => setWords(event.currentTarget.value)}
          onKeyDown={leave}
        />
        <button type="button" class="toggle" aria-pressed={failures} onClick={() => setFailures(!failures)}>
          {two ? "Differences and failures" : "Failures"} ({rows.failures})
        </button>
        <span class="dim count" role="status">
          {filtered ? `${count} of ${rows.length}` : rows.length} {rows.length === 1 ? "turn" : "turns"}
          {rows.complete ? "" : ", loading…"}
        </span>
        <button
          type="button"
          onClick={() => setTheme(THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? "auto")}
        >
          Theme: {theme}
        </button>
        <button type="button" aria-label="Keyboard" onClick={() => help.current?.showModal()}>
          ?
        </button>
      </header>
      <Strip
        data={data}
        overview={overview}
        rows={rows}
        version={version}
        selected={selected}
        onSelect={setSelected}
      />
      <main>
        <nav aria-label="Turns">
          <List
            label="Turns"
            id="turn"
            count={count}
            rowHeight={ROW}
            selected={position}
            onSelect={select}
            row={(at, still) => (
              <TurnRow data={data} row={rows.get(steps ? (steps[at] ?? -1) : at)} still={still} />
            )}
          />
          {count === 0 ? <p class="none">No turn fits.</p> : null}
        </nav>
        <section class="look" aria-label="Pictures">
          <Tabs label="What to show" all={shown} word={SHOWING_WORD} now={showing} onPick={setShowing} />
          <div class="stages">
            {overview.heads.map((head, i) => (
              <Stage
                key={i}
                data={data}
                head={head}
                name={two ? (i === 0 ? "A" : "B") : undefined}
                side={i === 0 ? row?.a : row?.b}
                showing={showing}
                onTime={(ms) => setSelected(stepAt(rows, ms, i === 0 ? "a" : "b"))}
              />
            ))}
          </div>
        </section>
        <section class="about" aria-label="Turn">
          <Tabs label="About the turn" all={tabs} word={TAB_WORD} now={tab} onPick={setTab} />
          <div class="panel">
            <Panel tab={tab} detail={detail} row={row} overview={overview} />
          </div>
        </section>
      </main>
      <dialog ref={help} aria-label="Keyboard">
        <h2>Keyboard</h2>
        <dl class="keys">
          <dt>↑ ↓, j k</dt>
          <dd>turn before, next turn</dd>
          <dt>Home, End</dt>
          <dd>first, last turn</dd>
          <dt>1 to {shown.length}</dt>
          <dd>{shown.map((one) => SHOWING_WORD[one].toLowerCase()).join(", ")}</dd>
          <dt>t</dt>
          <dd>call, tree, and so on</dd>
          <dt>/</dt>
          <dd>search; Escape leaves it</dd>
          <dt>f</dt>
          <dd>only failures{two ? " and differences" : ""}</dd>
          <dt>d</dt>
          <dd>light or dark</dd>
        </dl>
        <form method="dialog">
          <button type="submit">Close</button>
        </form>
      </dialog>
    </div>
  );
}

interface TabsProps<T extends string> {
  label: string;
  all: readonly T[];
  word: Record<T, string>;
  now: T;
  onPick: (one: T) => void;
}

function Tabs<T extends string>({ label, all, word, now, onPick }: TabsProps<T>) {
  const keys = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const next = all[(all.indexOf(now) + by + all.length) % all.length];
    if (next === undefined) return;
    onPick(next);
    const at = all.indexOf(next);
    (event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>("[role=tab]")[at]?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label={label} onKeyDown={keys}>
      {all.map((one) => (
        <button
          key={one}
          type="button"
          role="tab"
          aria-selected={one === now}
          tabIndex={one === now ? 0 : -1}
          onClick={() => onPick(one)}
        >
          {word[one]}
        </button>
      ))}
    </div>
  );
}

function useDetail(data: Data, step: number): Detail | undefined {
  const [loaded, setLoaded] = useState<{ step: number; detail: Detail }>();
  useEffect(() => {
    let here = true;
    // Not for every turn that is only passed by.
    const timer = setTimeout(
      () =>
        void data
          .detail(step)
          .then((detail) => {
            if (here) setLoaded({ step, detail });
          })
          .catch(() => {}),
      loaded === undefined ? 0 : 60,
    );
    return () => {
      here = false;
      clearTimeout(timer);
    };
  }, [step]);
  return loaded?.step === step ? loaded.detail : undefined;
}

/** Keys of the page as a whole; a field that is being written in keeps its own. */
function useKeys(keys: Record<string, () => void>): void {
  const current = useRef(keys);
  current.current = keys;
  useEffect(() => {
    const down = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (target.closest("input:not([type=checkbox]), textarea, dialog, video, pre")) return;
      const act = current.current[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    };
    document.addEventListener("keydown", down);
    return () => document.removeEventListener("keydown", down);
  }, []);
}
