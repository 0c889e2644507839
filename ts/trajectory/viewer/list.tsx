/** A list of any length that draws only what is in sight. Rows are of one height. */
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

const AROUND = 6;

export interface ListProps {
  label: string;
  id: string;
  count: number;
  rowHeight: number;
  /** Position of the selected row; -1 is none. */
  selected: number;
  onSelect?: (position: number) => void;
  /** `still`: the list is not being scrolled, pictures may be fetched. */
  row: (position: number, still: boolean) => ComponentChildren;
}

export function List({ label, id, count, rowHeight, selected, onSelect, row }: ListProps) {
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(800);
  const [still, setStill] = useState(true);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const measure = () => setHeight(element.clientHeight);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    if (still) return;
    const timer = setTimeout(() => setStill(true), 120);
    return () => clearTimeout(timer);
  });
  useEffect(() => {
    const element = box.current;
    if (!element || selected < 0) return;
    const at = selected * rowHeight;
    if (at < element.scrollTop) element.scrollTop = at;
    else if (at + rowHeight > element.scrollTop + element.clientHeight)
      element.scrollTop = at + rowHeight - element.clientHeight;
  }, [selected, rowHeight]);

  const first = Math.max(0, Math.floor(top / rowHeight) - AROUND);
  const last = Math.min(count, Math.ceil((top + height) / rowHeight) + AROUND);
  const slots = Math.max(1, Math.ceil(height / rowHeight) + 2 * AROUND + 1);
  const onScroll = (event: Event) => {
    setTop((event.currentTarget as HTMLDivElement).scrollTop);
    setStill(false);
  };
  const onClick = (event: MouseEvent) => {
    const row = (event.target as Element).closest<HTMLElement>("[data-position]");
    if (row) onSelect?.(Number(row.dataset.position));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor(height / rowHeight) - 1);
    const steps: Record<string, number> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      Home: -count,
      End: count,
    };
    const by = steps[event.key];
    if (by === undefined || !onSelect || count === 0) return;
    event.preventDefault();
    event.stopPropagation();
    onSelect(Math.min(count - 1, Math.max(0, (selected < 0 ? (by > 0 ? -1 : 0) : selected) + by)));
  };
  return (
    <div
      ref={box}
      class="list"
      role="listbox"
      tabIndex={0}
      aria-label={label}
      aria-activedescendant={selected >= first && selected < last ? `${id}-${selected}` : undefined}
      onScroll={onScroll}
      onClick={onClick}
      onKeyDown={onKeyDown}
    >
      <div class="list-all" style={{ height: `${count * rowHeight}px` }}>
        {Array.from({ length: Math.max(0, last - first) }, (_, i) => first + i).map((position) => (
          <div
            // A row that leaves is filled anew with the one that comes.
            key={position % slots}
            id={`${id}-${position}`}
            class="list-row"
            role="option"
            aria-selected={position === selected}
            aria-posinset={position + 1}
            aria-setsize={count}
            style={{ height: `${rowHeight}px`, transform: `translateY(${position * rowHeight}px)` }}
            tabIndex={-1}
            data-position={position}
          >
            {row(position, still)}
          </div>
        ))}
      </div>
    </div>
  );
}
