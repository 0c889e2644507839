// Bundles the command line into a few files that start fast: what a command does not need is not read.
import { rmSync } from "node:fs";
import { build } from "esbuild";

rmSync("dist/bundle", { recursive: true, force: true });
await build({
  entryPoints: ["dist/main.js"],
  outdir: "dist/bundle",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20",
  minifySyntax: true,
  legalComments: "none",
  external: ["@cua-driver/node"],
  banner: { js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);' },
});
