/** The page: the strip above, the turns at the left, what one of them looked like, and what it was. */
import { useMemo, useRef, useState } from "preact/hooks";
import type { Overview } from "../src/view/model";
import { Bar, useTheme } from "./bar";
import type { Data } from "./data";
import { Help, useKeys } from "./keys";
import { List } from "./list";
import { Panel, type Tab } from "./panel";
import { type Filter, useDetail, useRows } from "./rows";
import { SHOWING_WORD, SHOWINGS, type Showing, Stage } from "./stage";
import { Strip, stepAt } from "./strip";
import { Tabs } from "./tabs";
import { ROW, TurnRow } from "./turns";

const TAB_WORD: Record<Tab, string> = {
  call: "Call",
  tree: "Tree",
  differences: "Differences",
  recording: "Recording",
};

export function App({ data, overview }: { data: Data; overview: Overview }) {
  const { rows, version } = useRows(data, overview);
  const [selected, setSelected] = useState(0);
  const [filter, setFilter] = useState<Filter>({ words: "", failures: false });
  const [showing, setShowing] = useState<Showing>("click");
  const [tab, setTab] = useState<Tab>("call");
  const [theme, nextTheme] = useTheme();
  const search = useRef<HTMLInputElement>(null);
  const help = useRef<HTMLDialogElement>(null);
  const two = overview.heads.length === 2;
  const filtered = filter.words.trim() !== "" || filter.failures;
  const steps = useMemo(() => (filtered ? rows.matching(filter) : undefined), [filtered, filter, version]);
  const count = steps ? steps.length : rows.length;
  const position = steps ? steps.indexOf(selected) : selected;
  const select = (at: number) => setSelected(steps ? (steps[at] ?? selected) : at);
  const next = () => select(Math.min(count - 1, position + 1));
  const before = () => select(Math.max(0, position - 1));
  const detail = useDetail(data, selected);
  const row = rows.get(selected);
  const tabs: Tab[] = two ? ["call", "tree", "differences", "recording"] : ["call", "tree", "recording"];
  const shown = SHOWINGS.filter(
    (one) => one !== "video" || overview.heads.some((head) => head.films.length > 0),
  );
  useKeys({
    j: next,
    k: before,
    ArrowDown: next,
    ArrowUp: before,
    Home: () => select(0),
    End: () => select(count - 1),
    "/": () => search.current?.focus(),
    f: () => setFilter((now) => ({ ...now, failures: !now.failures })),
    t: () => setTab((now) => tabs[(tabs.indexOf(now) + 1) % tabs.length] ?? "call"),
    d: nextTheme,
    "?": () => help.current?.showModal(),
    ...Object.fromEntries(shown.map((one, i) => [String(i + 1), () => setShowing(one)])),
  });
  return (
    <div class="app">
      <Bar
        overview={overview}
        rows={rows}
        count={count}
        filter={filter}
        onFilter={setFilter}
        search={search}
        theme={theme}
        onTheme={nextTheme}
        onHelp={() => help.current?.showModal()}
      />
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
      <Help box={help} shown={shown} two={two} />
    </div>
  );
}
