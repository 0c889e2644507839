/** Where the native program is. */
import { accessSync, constants } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Unreachable } from "./errors.js";

const NAME = process.platform === "win32" ? "cua-driver.exe" : "cua-driver";

/**
 * The native program: `CUA_DRIVER_BIN`, the one this package was installed with, the release build of the
 * checkout it lies in, the one of `@cua-driver/node`, or `PATH`, in this order. Never the working directory.
 */
export function nativeBinary(): string {
  const named = process.env.CUA_DRIVER_BIN;
  if (named !== undefined && named !== "") {
    if (runnable(named)) return named;
    throw new Unreachable(`CUA_DRIVER_BIN names ${named}, which cannot be run`);
  }
  const found = [...besides(), ...packaged(), ...onPath()].find(runnable);
  if (found === undefined)
    throw new Unreachable("the native program cua-driver is not installed: set CUA_DRIVER_BIN to its path");
  return found;
}

function besides(): string[] {
  const here = dirname(fileURLToPath(import.meta.url));
  return [
    // Installed: PREFIX/lib/cua-driver/*.js beside PREFIX/bin.
    join(here, "..", "..", "bin", NAME),
    // A checkout: ts/client/dist/*.js, or ts/cli/dist/bundle/*.js.
    join(here, "..", "..", "..", "target", "release", NAME),
    join(here, "..", "..", "..", "..", "target", "release", NAME),
  ];
}

function packaged(): string[] {
  try {
    const require = createRequire(import.meta.url);
    return [join(dirname(require.resolve("@cua-driver/node/package.json")), "bin", NAME)];
  } catch {
    return [];
  }
}

function onPath(): string[] {
  return (process.env.PATH ?? "")
    .split(delimiter)
    .filter((dir) => dir !== "")
    .map((dir) => join(dir, NAME))
    .filter(isNative);
}

/** The npm package's own `cua-driver` is a script: not what is looked for. */
function isNative(path: string): boolean {
  return !path.includes("node_modules");
}

function runnable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
