// Loads the addon: the one beside this file, or the release build of the checkout that this file lies in.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const built = { linux: "libcua_node.so", darwin: "libcua_node.dylib", win32: "cua_node.dll" }[
  process.platform
];
const name = `cua-driver.${process.platform}-${process.arch}.node`;
const checkout = [join(here, "..", ".."), join(here, "..", "..", "..", "..")].find((dir) =>
  existsSync(join(dir, "crates", "node", "Cargo.toml")),
);

/** Where this file was bundled into another package, the addon is still in its own. */
function installed() {
  try {
    return join(dirname(createRequire(import.meta.url).resolve("@cua-driver/node/package.json")), name);
  } catch {
    return undefined;
  }
}

function load() {
  const named = process.env.CUA_DRIVER_ADDON;
  const candidates = named
    ? [named]
    : [checkout && join(checkout, "target", "release", built ?? ""), join(here, name), installed()];
  const path = candidates.find((candidate) => candidate && existsSync(candidate));
  if (path === undefined)
    throw new Error(
      `no addon for ${process.platform}-${process.arch}: looked for ${candidates.filter(Boolean).join(", ")}`,
    );
  if (path.endsWith(".node")) return createRequire(import.meta.url)(path);
  const module = { exports: {} };
  process.dlopen(module, path);
  return module.exports;
}

const addon = load();
export const Driver = addon.Driver;
export const open = addon.open;
