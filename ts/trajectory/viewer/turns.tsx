/** One turn in the list: its picture, what was done to what, how it went. */
import { useState } from "preact/hooks";
import type { Row, Side } from "../src/view/model";
import type { Data } from "./data";
import { duration, Text } from "./text";

export const ROW = 68;

const seen = new Set<string>();

export function Thumb({ data, side, still }: { data: Data; side: Side | undefined; still: boolean }) {
  const key = side && (side.pictures.after ?? side.pictures.click ?? side.pictures.before);
  const [broken, setBroken] = useState<string>();
  // While the list flies by, only pictures that were shown before are shown.
  const source =
    key !== undefined && key !== broken && (still || seen.has(key)) ? data.picture(key) : undefined;
  if (key !== undefined && source !== undefined) seen.add(key);
  return (
    <span class="thumb">
      {source === undefined ? null : (
        <img src={source} alt="" decoding="async" draggable={false} onError={() => setBroken(key)} />
      )}
    </span>
  );
}

const WORD: Record<Side["outcome"], string> = {
  ok: "done",
  unsure: "unverified",
  refused: "refused",
  failed: "failed",
  unknown: "unknown",
};

export function Outcome({ side }: { side: Side }) {
  const kind = side.problem !== undefined ? "failed" : side.outcome;
  const word = side.problem !== undefined ? "unreadable" : (side.effect ?? WORD[side.outcome]);
  return (
    <span class={`outcome ${kind}`}>
      <Text of={word} limit={40} />
    </span>
  );
}

export function Subject({ side }: { side: Side }) {
  const { element, window, detail } = side.subject;
  return (
    <>
      {detail === undefined ? null : (
        <span class="detail">
          <Text of={detail} limit={200} />
        </span>
      )}
      {element === undefined ? null : (
        <span>
          <Text of={element} limit={200} />
        </span>
      )}
      {window === undefined ? null : (
        <span class="dim">
          in <Text of={window} limit={200} />
        </span>
      )}
      {side.problem === undefined ? null : <Text of={side.problem} limit={300} />}
    </>
  );
}

export function TurnRow({ data, row, still }: { data: Data; row: Row | undefined; still: boolean }) {
  const side = row?.a ?? row?.b;
  if (!row || !side) return <div class="turn loading" />;
  const took =
    side.startMs !== undefined && side.endMs !== undefined ? duration(side.endMs - side.startMs) : "";
  return (
    <div class="turn">
      <Thumb data={data} side={side} still={still} />
      <div class="turn-text">
        <div class="turn-head">
          <span class="number">{side.turn}</span>
          <strong>{side.tool === "" ? "?" : <Text of={side.tool} limit={60} />}</strong>
          <Outcome side={side} />
          {row.differs === undefined ? null : (
            <span class={row.differs ? "outcome differs failed" : "outcome differs ok"}>
              {row.a && row.b ? (row.differs ? "differs" : "same") : row.a ? "only in A" : "only in B"}
            </span>
          )}
          {row.differs === undefined ? <span class="took">{took}</span> : null}
        </div>
        <div class="turn-subject">
          <Subject side={side} />
        </div>
      </div>
    </div>
  );
}
