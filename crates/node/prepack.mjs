// Puts the release build into the package before it is packed, and takes it out again (--clean).
import { chmodSync, copyFileSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const release = join(here, "..", "..", "target", "release");
const library = { linux: "libcua_node.so", darwin: "libcua_node.dylib", win32: "cua_node.dll" }[
  process.platform
];
const program = process.platform === "win32" ? "cua-driver.exe" : "cua-driver";
const pieces = [
  { from: join(release, library), to: join(here, `cua-driver.${process.platform}-${process.arch}.node`) },
  { from: join(release, program), to: join(here, "bin", program) },
];

for (const { from, to } of pieces) {
  rmSync(to, { force: true });
  if (process.argv.includes("--clean")) continue;
  if (!existsSync(from)) {
    console.error(`${from} is missing: build it with \`cargo build --release -p cua-node -p cua-driver\``);
    process.exit(1);
  }
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
  chmodSync(to, 0o755);
}
