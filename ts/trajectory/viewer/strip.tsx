/** The whole recording as one strip: pictures along the way, a mark for every turn, where one is now. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Overview, Row } from "../src/view/model";
import type { Data } from "./data";
import { bad, type Rows } from "./rows";
import { duration } from "./text";
import { Thumb } from "./turns";

const FRAME = 112;

interface StripProps {
  data: Data;
  overview: Overview;
  rows: Rows;
  version: number;
  selected: number;
  onSelect: (step: number) => void;
}

function timeOf(row: Row | undefined): number | undefined {
  return row?.a?.startMs ?? row?.b?.startMs;
}

/** The step that is going on at a time: the last one that had begun. */
export function stepAt(rows: Rows, ms: number, side: "a" | "b" = "a"): number {
  let found = 0;
  for (let step = 0; step < rows.length; step++) {
    const start = rows.peek(step)?.[side]?.startMs;
    if (start !== undefined && start <= ms) found = step;
  }
  return found;
}

export function Strip({ data, overview, rows, version, selected, onSelect }: StripProps) {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(0);
  const [over, setOver] = useState<{ x: number; step: number }>();
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const measure = () => setWidth(element.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const whole = overview.endMs;
  // Without times the turns lie evenly.
  const place = (step: number) => (timeOf(rows.peek(step)) ?? ((step + 0.5) * whole) / rows.length) / whole;
  useEffect(() => draw(canvas.current, width, rows, place, selected), [width, version, selected]);
  const frames = Math.max(1, Math.floor(width / FRAME));
  const stepUnder = (x: number) => stepAt(rows, (x / Math.max(1, width)) * whole);
  const move = (event: PointerEvent) => {
    const x = event.clientX - (box.current?.getBoundingClientRect().left ?? 0);
    setOver({ x, step: stepUnder(x) });
    if (event.buttons === 1) onSelect(stepUnder(x));
  };
  const keys = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    onSelect(Math.min(rows.length - 1, Math.max(0, selected + by)));
  };
  const hovered = over && rows.peek(over.step);
  return (
    <div
      ref={box}
      class="strip"
      role="slider"
      tabIndex={0}
      aria-label="Timeline"
      aria-valuemin={1}
      aria-valuemax={rows.length}
      aria-valuenow={selected + 1}
      aria-valuetext={`turn ${selected + 1} of ${rows.length}`}
      onPointerMove={move}
      onPointerDown={move}
      onPointerLeave={() => setOver(undefined)}
      onKeyDown={keys}
    >
      <div class="frames">
        {Array.from({ length: width === 0 ? 0 : frames }, (_, i) => {
          const row = rows.peek(stepAt(rows, ((i + 0.5) / frames) * whole));
          return <Thumb key={i} data={data} side={row?.a ?? row?.b} still={true} />;
        })}
      </div>
      <div aria-hidden="true">
        <canvas ref={canvas} class="marks" />
      </div>
      <div class="strip-times" aria-hidden="true">
        <span>0</span>
        <span>{duration(whole)}</span>
      </div>
      {over && hovered ? (
        <div
          class="peek"
          style={{ left: `${Math.min(Math.max(over.x - 110, 4), width - 224)}px` }}
          aria-hidden="true"
        >
          <Thumb data={data} side={hovered.a ?? hovered.b} still={true} />
          <span>
            {(hovered.a ?? hovered.b)?.turn} · {duration(timeOf(hovered) ?? 0)}
          </span>
        </div>
      ) : null}
    </div>
  );
}

const MARKS = 14;

/** One canvas however many turns there are. */
function draw(
  canvas: HTMLCanvasElement | null,
  width: number,
  rows: Rows,
  place: (step: number) => number,
  selected: number,
): void {
  const context = canvas?.getContext("2d");
  if (!canvas || !context || width === 0) return;
  const scale = window.devicePixelRatio || 1;
  canvas.width = width * scale;
  canvas.height = MARKS * scale;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${MARKS}px`;
  context.scale(scale, scale);
  const style = getComputedStyle(canvas);
  const [plain, wrong, now] = [
    style.getPropertyValue("--accent"),
    style.getPropertyValue("--bad"),
    style.getPropertyValue("--text"),
  ];
  for (let step = 0; step < rows.length; step++) {
    const row = rows.peek(step);
    if (!row) continue;
    const isBad = bad(row);
    context.fillStyle = isBad ? wrong : plain;
    context.globalAlpha = isBad ? 1 : 0.7;
    context.fillRect(Math.round(place(step) * (width - 3)), isBad ? 0 : 3, 2, isBad ? MARKS : MARKS - 6);
  }
  context.globalAlpha = 1;
  context.fillStyle = now;
  context.fillRect(Math.round(place(selected) * (width - 3)) - 1, 0, 4, MARKS);
}
