/** A row of buttons of which one is chosen; arrow keys go along it. */

interface TabsProps<T extends string> {
  label: string;
  all: readonly T[];
  word: Record<T, string>;
  now: T;
  onPick: (one: T) => void;
}

export function Tabs<T extends string>({ label, all, word, now, onPick }: TabsProps<T>) {
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
