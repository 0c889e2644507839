// Prints what TypeScript needs of the tools: `types` for the SDK, `list` for the MCP server.
//   node generate.mjs types|list < proto/tools.json > FILE
import { readFileSync } from "node:fs";

const HEAD = "// Generated from proto/tools.json by `cargo xtask codegen`. Do not edit.\n";

const pascal = (name) =>
  name
    .split("_")
    .map((w) => w[0].toUpperCase() + w.slice(1))
    .join("");
const camel = (name) => pascal(name).replace(/^./, (c) => c.toLowerCase());
const comment = (text, indent) => {
  const lines = String(text).replaceAll("*/", "* /").trim().split("\n");
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((l) => `${indent} * ${l}`.trimEnd()).join("\n")}\n${indent} */\n`;
};
const property = (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));

/** The TypeScript type of a JSON Schema. */
function type(schema, indent = "") {
  if (schema === true || schema === undefined) return "Json";
  if ("const" in schema) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((v) => JSON.stringify(v)).join(" | ");
  const union = schema.anyOf ?? schema.oneOf;
  if (union) return [...new Set(union.map((s) => type(s, indent)))].join(" | ");
  if (Array.isArray(schema.type))
    return schema.type.map((t) => type({ ...schema, type: t }, indent)).join(" | ");
  switch (schema.type) {
    case "string":
      return "string";
    case "integer":
    case "number":
      return "number";
    case "boolean":
      return "boolean";
    case "null":
      return "null";
    case "array": {
      const item = type(schema.items, indent);
      return /[|{\s]/.test(item) ? `Array<${item}>` : `${item}[]`;
    }
    case "object":
      return object(schema, indent);
    default:
      return "Json";
  }
}

function object(schema, indent) {
  const properties = Object.entries(schema.properties ?? {});
  const rest = schema.additionalProperties;
  if (properties.length === 0) {
    if (rest === false) return "Record<string, never>";
    return `Record<string, ${typeof rest === "object" ? type(rest, indent) : "Json"}>`;
  }
  const required = new Set(schema.required ?? []);
  const inner = `${indent}  `;
  const lines = properties.map(([name, s]) => {
    const optional = required.has(name) ? "" : "?";
    const text = typeof s === "object" && s.description ? comment(s.description, inner) : "";
    return `${text}${inner}${property(name)}${optional}: ${type(s, inner)};\n`;
  });
  return `{\n${lines.join("")}${indent}}`;
}

function types(tools) {
  const out = [
    HEAD,
    'import type { CallOptions, Json } from "@cua-driver/client";\n',
    'import type { Result } from "../result.js";\n',
  ];
  for (const tool of tools) {
    const name = pascal(tool.name);
    out.push(`\nexport type ${name}Arguments = ${type(tool.input_schema)};\n`);
    out.push(`\nexport type ${name}Result = ${type(tool.output_schema ?? { type: "object" })};\n`);
  }
  out.push("\n/** Every tool by its name. */\nexport interface ToolMap {\n");
  for (const tool of tools) {
    const name = pascal(tool.name);
    out.push(`  ${property(tool.name)}: { arguments: ${name}Arguments; result: ${name}Result };\n`);
  }
  out.push(
    "}\n\n/** One method per tool. Each throws `Refused` or `Unreachable`. */\nexport abstract class ToolCalls {\n",
  );
  out.push(
    '  abstract call<N extends keyof ToolMap>(\n    tool: N,\n    args: ToolMap[N]["arguments"],\n    options?: CallOptions,\n  ): Promise<Result<ToolMap[N]["result"]>>;\n',
  );
  for (const tool of tools) {
    const name = pascal(tool.name);
    const needed = (tool.input_schema.required ?? []).length > 0;
    out.push(`\n${comment(tool.description, "  ")}`);
    out.push(
      `  ${camel(tool.name)}(args: ${name}Arguments${needed ? "" : " = {}"}, options?: CallOptions) {\n`,
    );
    out.push(`    return this.call(${JSON.stringify(tool.name)}, args, options);\n  }\n`);
  }
  out.push("}\n");
  return out.join("");
}

/**
 * What a client needs of an output schema to check an answer, without what only a reader of the reference needs:
 * a model is given the whole list. The full schemas are in tools.json.
 */
function slim(schema, root = true) {
  if (Array.isArray(schema)) return schema.map((s) => slim(s, false));
  if (typeof schema !== "object" || schema === null) return schema;
  const kept = Object.entries(schema).filter(([word, value]) => {
    if (word === "description" && typeof value === "string") return false;
    if (word === "minimum" || word === "maximum" || word === "default") return typeof value === "object";
    if (word === "additionalProperties" && value === false) return root;
    if (word === "required" && Array.isArray(value)) return root;
    return !(word === "type" && typeof value === "string" && Array.isArray(schema.enum));
  });
  return Object.fromEntries(
    kept.map(([word, value]) => [word, word === "enum" ? value : slim(value, false)]),
  );
}

/** `true` says the same as `{}`, and clients take only the latter for a property. */
function plain(value) {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([word, inner]) => {
    if (word === "properties")
      return [
        word,
        Object.fromEntries(Object.entries(inner).map(([n, s]) => [n, s === true ? {} : plain(s)])),
      ];
    return [word, word === "items" && inner === true ? {} : plain(inner)];
  });
  return Object.fromEntries(entries);
}

function list(tools) {
  const shown = tools.map((t) => ({
    name: t.name,
    description: t.description,
    inputSchema: plain(t.input_schema),
    ...(t.output_schema && { outputSchema: plain(slim(t.output_schema)) }),
    annotations: t.annotations,
  }));
  const text = JSON.stringify(JSON.stringify(shown));
  return `${HEAD}import type { Tool } from "@modelcontextprotocol/sdk/types.js";\n\nconst text =\n  ${text};\n\n/** Every tool, as MCP lists it. */\nexport function toolList(): Tool[] {\n  return JSON.parse(text) as Tool[];\n}\n`;
}

const { tools = [] } = JSON.parse(readFileSync(0, "utf8"));
const print = { types, list }[process.argv[2]];
if (print === undefined) {
  console.error("usage: node generate.mjs types|list < tools.json");
  process.exit(2);
}
process.stdout.write(print(tools));
