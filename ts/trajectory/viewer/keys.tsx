/** What the keyboard does, and the list of it. */
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { SHOWING_WORD, type Showing } from "./stage";

/** Keys of the page as a whole; a field that is being written in keeps its own. */
export function useKeys(keys: Record<string, () => void>): void {
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

interface HelpProps {
  box: RefObject<HTMLDialogElement | null>;
  shown: readonly Showing[];
  two: boolean;
}

export function Help({ box, shown, two }: HelpProps) {
  return (
    <dialog ref={box} aria-label="Keyboard">
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
      <button type="button" onClick={() => box.current?.close()}>
        Close
      </button>
    </dialog>
  );
}
