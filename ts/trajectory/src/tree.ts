/** Element trees: from what is on disk to rows, and what changed between two of them. */
import { type Json, type JsonObject, list, member, number, objects, text } from "./json.js";
import type { Frame, Node, State } from "./types.js";

/** More rows than this are not looked at: no recorder writes them. */
const ROWS = 200_000;

const LINE = /^(\s*)- (?:\[(\d+)\] )?(.*)$/;
const QUOTED = /"((?:[^"\\]|\\.)*)"/y;

export function readState(raw: JsonObject): State {
  const rows = objects(raw.elements).slice(0, ROWS);
  const tree = text(raw.tree_markdown);
  const nodes = tree === undefined || tree.trim() === "" ? fromRows(rows) : fromText(tree);
  const byIndex = new Map(rows.map((row) => [number(row.element_index), row]));
  for (const node of nodes) {
    const row = node.index === undefined ? undefined : byIndex.get(node.index);
    const frame = row && frameOf(row.frame);
    if (frame) node.frame = frame;
  }
  const title = text(raw.title) ?? nodes.find((node) => node.depth === 0)?.name;
  return { ...(title ? { title } : {}), complete: raw.elements_complete !== false, nodes, raw };
}

export function frameOf(value: Json | undefined): Frame | undefined {
  const [x, y] = [number(member(value, "x")), number(member(value, "y"))];
  const w = number(member(value, "w")) ?? number(member(value, "width"));
  const h = number(member(value, "h")) ?? number(member(value, "height"));
  if (x === undefined || y === undefined || w === undefined || h === undefined) return undefined;
  return { x, y, w, h };
}

/** The lines of `tree_markdown`; what is no row of it is left out. */
function fromText(tree: string): Node[] {
  const nodes: Node[] = [];
  const indents: number[] = [];
  for (const line of tree.split("\n", ROWS)) {
    const match = LINE.exec(line);
    if (!match) continue;
    const indent = match[1]?.length ?? 0;
    while (indents.length > 0 && (indents.at(-1) ?? 0) >= indent) indents.pop();
    nodes.push({ depth: indents.length, ...row(match[2], match[3] ?? "") });
    indents.push(indent);
  }
  return nodes;
}

/** `button "Save" (disabled)`, `textbox "Name" = "Ada"`, `frame = "Ledger"`, `menu "File" [actions=[click]]`. */
function row(index: string | undefined, rest: string): Omit<Node, "depth"> {
  const quote = rest.indexOf('"');
  const end = quote < 0 ? rest.search(/ [[(]/) : quote;
  const head = (end < 0 ? rest : rest.slice(0, end)).trim();
  const role = head.replace(/\s*=$/, "").trim();
  const texts: string[] = [];
  let at = quote;
  let tail = quote < 0 ? rest.slice(head.length) : "";
  while (at >= 0) {
    QUOTED.lastIndex = at;
    const found = QUOTED.exec(rest);
    if (!found) break;
    texts.push(unquote(found[1] ?? ""));
    tail = rest.slice(QUOTED.lastIndex);
    const next = /^ = "/.exec(tail);
    at = next && texts.length < 2 ? QUOTED.lastIndex + 3 : -1;
  }
  const states = [...tail.matchAll(/\(([^()]*)\)/g)]
    .flatMap((m) => (m[1] ?? "").split(",").map((s) => s.trim()))
    .filter(Boolean);
  return {
    ...(index === undefined ? {} : { index: Number(index) }),
    role,
    name: texts[0] ?? "",
    ...(texts[1] === undefined ? {} : { value: texts[1] }),
    states,
  };
}

function unquote(inner: string): string {
  try {
    return String(JSON.parse(`"${inner}"`));
  } catch {
    return inner;
  }
}

function fromRows(rows: JsonObject[]): Node[] {
  const depth = new Map<number, number>();
  return rows.map((item) => {
    const index = number(item.element_index);
    const parent = number(item.parent_index);
    const at = parent === undefined ? 0 : (depth.get(parent) ?? -1) + 1;
    if (index !== undefined) depth.set(index, at);
    const value = text(item.value);
    return {
      depth: at,
      ...(index === undefined ? {} : { index }),
      role: text(item.role) ?? "",
      name: text(item.label) ?? "",
      ...(value === undefined ? {} : { value }),
      states: (list(item.states) ?? []).flatMap((state) => text(state) ?? []),
    };
  });
}

export interface TreeRow {
  kind: "same" | "added" | "removed" | "changed";
  node: Node;
  /** The row before, where it changed. */
  was?: Node;
}

/** A row without its number, which differs by nature. */
function line(node: Node): string {
  return JSON.stringify([node.depth, node.role, node.name, node.value ?? null, node.states]);
}

function identity(node: Node): string {
  return JSON.stringify([node.depth, node.role, node.name]);
}

/** Both trees as one list of rows in order; linear where the trees are alike. */
export function compareTrees(before: Node[], after: Node[]): TreeRow[] {
  const [a, b] = [before.map(line), after.map(line)];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end])
    end++;
  const head = after.slice(0, start).map((node): TreeRow => ({ kind: "same", node }));
  const tail = after.slice(after.length - end).map((node): TreeRow => ({ kind: "same", node }));
  const middle = align(before.slice(start, before.length - end), after.slice(start, after.length - end));
  return [...head, ...pair(middle), ...tail];
}

/** A longest common subsequence where it is affordable, else everything replaced. */
function align(before: Node[], after: Node[]): TreeRow[] {
  const [n, m] = [before.length, after.length];
  const gone = () => [
    ...before.map((node): TreeRow => ({ kind: "removed", node })),
    ...after.map((node): TreeRow => ({ kind: "added", node })),
  ];
  if (n === 0 || m === 0 || n * m > 4_000_000) return gone();
  const [a, b] = [before.map(line), after.map(line)];
  const width = m + 1;
  const best = new Uint32Array((n + 1) * width);
  const get = (i: number, j: number) => best[i * width + j] ?? 0;
  for (let i = n - 1; i >= 0; i--) {
    for (let j = m - 1; j >= 0; j--) {
      best[i * width + j] = a[i] === b[j] ? get(i + 1, j + 1) + 1 : Math.max(get(i + 1, j), get(i, j + 1));
    }
  }
  const rows: TreeRow[] = [];
  let [i, j] = [0, 0];
  while (i < n || j < m) {
    const [x, y] = [before[i], after[j]];
    if (x && y && a[i] === b[j]) {
      rows.push({ kind: "same", node: y });
      i++;
      j++;
    } else if (x && (!y || get(i + 1, j) >= get(i, j + 1))) {
      rows.push({ kind: "removed", node: x });
      i++;
    } else if (y) {
      rows.push({ kind: "added", node: y });
      j++;
    }
  }
  return rows;
}

/** A removed and an added row of the same role and name, or of the same place in a run, are one changed row. */
function pair(rows: TreeRow[]): TreeRow[] {
  const out: TreeRow[] = [];
  for (let i = 0; i < rows.length; ) {
    if (rows[i]?.kind === "same") {
      out.push(rows[i++] as TreeRow);
      continue;
    }
    const run: TreeRow[] = [];
    while (i < rows.length && rows[i]?.kind !== "same") run.push(rows[i++] as TreeRow);
    out.push(...pairRun(run));
  }
  return out;
}

function pairRun(run: TreeRow[]): TreeRow[] {
  const removed = run.filter((row) => row.kind === "removed");
  const waiting = new Map<string, TreeRow[]>();
  for (const row of removed)
    waiting.set(identity(row.node), [...(waiting.get(identity(row.node)) ?? []), row]);
  const used = new Set<TreeRow>();
  const changed = run.map((row): TreeRow => {
    if (row.kind !== "added") return row;
    const was = waiting.get(identity(row.node))?.shift();
    if (!was) return row;
    used.add(was);
    return { kind: "changed", node: row.node, was: was.node };
  });
  return changed.filter((row) => !used.has(row));
}
