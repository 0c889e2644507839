// Bundles the command line into a few files that start fast: what a command does not need is not read.
import { rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const outdir = join(here, "dist", "bundle");
rmSync(outdir, { recursive: true, force: true });
await build({
  absWorkingDir: here,
  entryPoints: ["dist/main.js"],
  outdir,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20",
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: "none",
  logLevel: "warning",
  alias: { "cua:commands": join(here, "..", "..", "proto", "commands.json") },
  banner: {
    js: 'import { createRequire as createRequireOfBundle } from "node:module"; const require = createRequireOfBundle(import.meta.url);',
  },
});
writeFileSync(join(outdir, "package.json"), '{ "type": "module" }\n');
