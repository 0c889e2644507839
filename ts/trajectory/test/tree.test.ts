import { describe, expect, test } from "vitest";
import { compareTrees, readState } from "../src/index.js";

describe("a row of the tree", () => {
  const cases: [string, object][] = [
    ['- [12] button "Save" (disabled)', { index: 12, role: "button", name: "Save", states: ["disabled"] }],
    ['- [13] textbox "Name" = "Ada"', { index: 13, role: "textbox", name: "Name", value: "Ada" }],
    ['- frame = "Ledger"', { role: "frame", name: "Ledger" }],
    ['- [1] menu item "Open" [actions=[click]]', { index: 1, role: "menu item", name: "Open", states: [] }],
    ['- [14] list item "" [actions=[]]', { index: 14, role: "list item", name: "" }],
    ["- [3] generic", { index: 3, role: "generic", name: "" }],
    ['- text "say \\"hi\\" \\u202e"', { role: "text", name: 'say "hi" \u202e' }],
    ['- [2] checkbox "Agree" (checked, focused)', { states: ["checked", "focused"] }],
    ['- text "never closed', { role: "text", name: "" }],
  ];
  test.each(cases)("%s", (line, expected) => {
    expect(readState({ tree_markdown: line }).nodes[0]).toMatchObject(expected);
  });
});

test("depth follows the indentation, whatever its width; lines that are no rows are left out", () => {
  const tree = '- window "L"\n      - panel "a"\n        - button "b"\n  not a row\n      - panel "c"\n';
  expect(readState({ tree_markdown: tree }).nodes.map((node) => [node.depth, node.name])).toEqual([
    [0, "L"],
    [1, "a"],
    [2, "b"],
    [1, "c"],
  ]);
});

test("without text the rows tell the tree", () => {
  const elements = [
    { element_index: 0, role: "window", label: "L" },
    { element_index: 4, role: "button", label: "b", parent_index: 0, value: "v" },
  ];
  expect(readState({ elements }).nodes).toMatchObject([
    { depth: 0, name: "L" },
    { depth: 1, name: "b", value: "v" },
  ]);
});

describe("what changed", () => {
  const nodes = (tree: string) => readState({ tree_markdown: tree }).nodes;
  const cases: [string, string, string, string[]][] = [
    ["nothing", '- a "1"\n- b "2"', '- a "1"\n- b "2"', ["same 1", "same 2"]],
    ["a value", '- a "1" = "x"\n- b "2"', '- a "1" = "y"\n- b "2"', ["changed 1", "same 2"]],
    ["one more", '- a "1"\n- c "3"', '- a "1"\n- b "2"\n- c "3"', ["same 1", "added 2", "same 3"]],
    ["one less", '- a "1"\n- b "2"\n- c "3"', '- a "1"\n- c "3"', ["same 1", "removed 2", "same 3"]],
    ["all", '- a "1"', '- b "2"', ["removed 1", "added 2"]],
    ["only the numbers", '- [1] a "1"\n- [2] b "2"', '- [7] a "1"\n- [9] b "2"', ["same 1", "same 2"]],
  ];
  test.each(cases)("%s", (_, before, after, expected) => {
    expect(compareTrees(nodes(before), nodes(after)).map((row) => `${row.kind} ${row.node.name}`)).toEqual(
      expected,
    );
  });

  test("trees that share nothing and are large are told as replaced", () => {
    const large = (of: string) => Array.from({ length: 3000 }, (_, i) => `- row "${of}${i}"`).join("\n");
    const rows = compareTrees(nodes(large("a")), nodes(large("b")));
    expect([
      rows.filter((row) => row.kind === "removed").length,
      rows.filter((row) => row.kind === "added").length,
    ]).toEqual([3000, 3000]);
  });
});
