/** One turn in full: what was called and answered, the tree and what changed in it, how two recordings differ. */
import { useMemo, useState } from "preact/hooks";
import type { TreeRow } from "../src/tree";
import type { Node } from "../src/types";
import type { Detail, Overview, Row, Side, SideDetail } from "../src/view/model";
import { List } from "./list";
import { duration, Text } from "./text";
import { Outcome, Subject } from "./turns";

export type Tab = "call" | "tree" | "differences" | "recording";

export function Panel({
  tab,
  detail,
  row,
  overview,
}: {
  tab: Tab;
  detail: Detail | undefined;
  row: Row | undefined;
  overview: Overview;
}) {
  if (tab === "recording") return <Recording overview={overview} />;
  if (!detail || !row) return <p class="none">Loading…</p>;
  const two = overview.heads.length === 2;
  if (tab === "differences") return <Differences detail={detail} />;
  const sides = [["A", row.a, detail.a] as const, ["B", row.b, detail.b] as const].filter(
    ([, side]) => side !== undefined,
  );
  return (
    <div class={two ? "columns" : "column"}>
      {sides.map(([name, side, full]) => (
        <section key={name} aria-label={two ? `Recording ${name}` : "Turn"}>
          {two ? <h3>{name}</h3> : null}
          {side && full ? (
            tab === "call" ? (
              <Call side={side} full={full} />
            ) : (
              <Tree full={full} name={name} />
            )
          ) : null}
        </section>
      ))}
    </div>
  );
}

function Call({ side, full }: { side: Side; full: SideDetail }) {
  const begun = side.startMs === undefined ? undefined : `${duration(side.startMs)} into the recording`;
  const took =
    side.startMs === undefined || side.endMs === undefined ? undefined : duration(side.endMs - side.startMs);
  return (
    <div class="call">
      <h2>
        <span class="number">{side.turn}</span> <Text of={side.tool || "unreadable"} limit={80} />{" "}
        <Outcome side={side} />
      </h2>
      <p class="subject">
        <Subject side={side} />
      </p>
      {side.message === undefined ? null : (
        <p class={side.outcome === "refused" || side.outcome === "failed" ? "message bad" : "message"}>
          <Text of={side.message} />
        </p>
      )}
      {full.problems.map((problem) => (
        <p key={problem} class="message bad">
          <Text of={problem} />
        </p>
      ))}
      <dl class="facts">
        <Fact name="Begun" value={begun} />
        <Fact name="Took" value={took} />
        <Fact name="At" value={full.timestamp} />
        <Fact name="Window" value={full.title} />
        <Fact name="Process" value={full.pid === undefined ? undefined : String(full.pid)} />
      </dl>
      <Json name="Arguments" value={full.arguments} open />
      <Json name="Result" value={full.result} open />
      <Json name="Target" value={full.target} />
      <Json name="Evidence" value={full.evidence} />
    </div>
  );
}

function Fact({ name, value }: { name: string; value: string | undefined }) {
  if (value === undefined) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <Text of={value} limit={500} />
      </dd>
    </div>
  );
}

function Json({ name, value, open = false }: { name: string; value: SideDetail["result"]; open?: boolean }) {
  const text = useMemo(() => JSON.stringify(value, null, 2), [value]);
  if (value === null) return null;
  return (
    <details open={open}>
      <summary>{name}</summary>
      <pre>
        <Text of={text} />
      </pre>
    </details>
  );
}

const SIGN: Record<TreeRow["kind"], string> = { same: " ", added: "+", removed: "−", changed: "~" };
const SIGN_WORD: Record<TreeRow["kind"], string> = {
  same: "",
  added: "new",
  removed: "gone",
  changed: "changed",
};

function Tree({ full, name }: { full: SideDetail; name: string }) {
  const changed = useMemo(() => full.tree.filter((row) => row.kind !== "same"), [full]);
  const [only, setOnly] = useState(false);
  const rows = only ? changed : full.tree;
  if (full.tree.length === 0) return <p class="none">No tree was recorded.</p>;
  return (
    <div class="tree">
      {full.treeCut ? (
        <p class="note">Not all of the tree was read in time: rows may seem new or gone that are not.</p>
      ) : null}
      <label class="check">
        <input type="checkbox" checked={only} onChange={(event) => setOnly(event.currentTarget.checked)} />{" "}
        only what changed ({changed.length} of {full.tree.length})
      </label>
      <List
        label="Element tree after the act"
        id={`tree-${name}`}
        count={rows.length}
        rowHeight={22}
        selected={-1}
        row={(position) => {
          const row = rows[position];
          return row ? <TreeLine row={row} /> : null;
        }}
      />
    </div>
  );
}

function TreeLine({ row }: { row: TreeRow }) {
  return (
    <div class={`tree-line ${row.kind}`} style={{ paddingLeft: `${Math.min(row.node.depth, 40) * 14}px` }}>
      <span class="sign" aria-hidden="true">
        {SIGN[row.kind]}
      </span>
      <span class="hidden">{SIGN_WORD[row.kind]}</span>
      <NodeText node={row.node} />
      {row.was ? (
        <span class="was">
          was <NodeText node={row.was} short />
        </span>
      ) : null}
    </div>
  );
}

function NodeText({ node, short = false }: { node: Node; short?: boolean }) {
  return (
    <>
      {short ? null : (
        <>
          <span class="role">
            <Text of={node.role} limit={60} />
          </span>
          {node.name === "" ? null : (
            <span class="name">
              “<Text of={node.name} limit={160} />”
            </span>
          )}
        </>
      )}
      {node.value === undefined ? null : (
        <span class="value">
          = “<Text of={node.value} limit={160} />”
        </span>
      )}
      {node.states.length === 0 ? null : (
        <span class="dim">
          <Text of={`(${node.states.join(", ")})`} limit={160} />
        </span>
      )}
      {short && node.value === undefined && node.states.length === 0 ? (
        <span class="dim">without</span>
      ) : null}
    </>
  );
}

function Differences({ detail }: { detail: Detail }) {
  if (detail.differences.length === 0) return <p class="none">The same in both recordings.</p>;
  return (
    <ul class="differences">
      {detail.differences.map((d, i) => (
        <li key={i}>
          <span class="outcome failed">{d.kind}</span> <Text of={d.text} limit={1000} />
        </li>
      ))}
    </ul>
  );
}

function Recording({ overview }: { overview: Overview }) {
  return (
    <div class={overview.heads.length === 2 ? "columns" : "column"}>
      {overview.heads.map((head, i) => (
        <section key={i} class="call">
          <h2>
            <Text of={head.name} limit={120} />
          </h2>
          <dl class="facts">
            {head.facts.map(([name, value]) => (
              <Fact key={name} name={name} value={value} />
            ))}
          </dl>
          {head.problems.map((problem, n) => (
            <p key={n} class="message bad">
              <Text
                of={problem.where === "" ? problem.message : `${problem.where}: ${problem.message}`}
                limit={500}
              />
            </p>
          ))}
        </section>
      ))}
    </div>
  );
}
