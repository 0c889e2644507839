/** The bar above: the name, the search, what is filtered, the theme. */
import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Overview } from "../src/view/model";
import type { Filter, Rows } from "./rows";
import { Text } from "./text";

const THEMES = ["auto", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

/** The theme, and the next one. */
export function useTheme(): [Theme, () => void] {
  const [theme, setTheme] = useState<Theme>("auto");
  useEffect(() => {
    if (theme === "auto") document.documentElement.removeAttribute("data-theme");
    else document.documentElement.dataset.theme = theme;
  }, [theme]);
  return [theme, () => setTheme((now) => THEMES[(THEMES.indexOf(now) + 1) % THEMES.length] ?? "auto")];
}

interface BarProps {
  overview: Overview;
  rows: Rows;
  /** Turns that pass the filter. */
  count: number;
  filter: Filter;
  onFilter: (filter: Filter) => void;
  search: RefObject<HTMLInputElement | null>;
  theme: Theme;
  onTheme: () => void;
  onHelp: () => void;
}

export function Bar({ overview, rows, count, filter, onFilter, search, theme, onTheme, onHelp }: BarProps) {
  const { words, failures } = filter;
  const leave = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    onFilter({ ...filter, words: "" });
    search.current?.blur();
  };
  return (
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
        onInput={(event) => onFilter({ ...filter, words: event.currentTarget.value })}
        onKeyDown={leave}
      />
      <button
        type="button"
        class="toggle"
        aria-pressed={failures}
        onClick={() => onFilter({ ...filter, failures: !failures })}
      >
        {overview.heads.length === 2 ? "Differences and failures" : "Failures"} ({rows.failures})
      </button>
      <span class="dim count" role="status">
        {words.trim() !== "" || failures ? `${count} of ${rows.length}` : rows.length}{" "}
        {rows.length === 1 ? "turn" : "turns"}
        {rows.complete ? "" : ", loading…"}
      </span>
      <button type="button" onClick={onTheme}>
        Theme: {theme}
      </button>
      <button type="button" aria-label="Keyboard" onClick={onHelp}>
        ?
      </button>
    </header>
  );
}
