/** A progress bar with the time left, on a terminal only. */

export interface Bar {
  at(share: number): void;
  /** Take the bar away, so that what follows starts on a clean line. */
  end(): void;
}

export function bar(
  write: (text: string) => void,
  columns: number,
  now: () => number = () => performance.now(),
): Bar {
  const started = now();
  let shown = -1;
  return {
    at(share) {
      const percent = Math.min(100, Math.max(0, Math.floor(share * 100)));
      if (percent === shown) return;
      shown = percent;
      write(`\r\x1b[K${line(share, percent, now() - started, columns)}`);
    },
    end() {
      if (shown >= 0) write("\r\x1b[K");
    },
  };
}

function line(share: number, percent: number, passedMs: number, columns: number): string {
  const left = share > 0.02 && share < 1 ? `  ${duration((passedMs / share) * (1 - share))} left` : "";
  const head = `rendering ${String(percent).padStart(3)} % `;
  const width = Math.min(30, columns - head.length - left.length - 2);
  if (width < 5) return (head + left).slice(0, Math.max(0, columns - 1));
  const full = Math.round((percent / 100) * width);
  return `${head}${"█".repeat(full)}${"░".repeat(width - full)}${left}`;
}

export function duration(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000));
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
