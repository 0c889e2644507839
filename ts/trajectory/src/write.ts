/** Files that commands make: private, whole or not there, never through a link. */

import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { code, said } from "./folder.js";

/** A file that could not be written; the message says why. */
export class WriteError extends Error {}

/** A name beside `file` that nothing else has, for writing before the rename. */
export function temporary(file: string, extension = ""): string {
  return join(dirname(file), `.${basename(file)}.${randomBytes(6).toString("hex")}.part${extension}`);
}

/** Refuse a target that is a folder, a link or a device, or whose folder is missing. */
export function checkTarget(file: string): void {
  try {
    if (!statSync(dirname(file)).isDirectory()) throw new WriteError(`${dirname(file)} is not a folder`);
  } catch (error) {
    if (error instanceof WriteError) throw error;
    throw new WriteError(said(error, dirname(file)));
  }
  try {
    if (!lstatSync(file).isFile()) throw new WriteError(`${file} is there and is no plain file`);
  } catch (error) {
    if (error instanceof WriteError) throw error;
    if (code(error) !== "ENOENT") throw new WriteError(said(error, file));
  }
}

/** Write in pieces to a temporary name, then rename; nothing is left when it fails. Mode 0600. */
export function writeFile(file: string, pieces: Iterable<string | Buffer>): void {
  checkTarget(file);
  const part = temporary(file);
  let fd: number | undefined;
  try {
    fd = openSync(
      part,
      constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0),
      0o600,
    );
    for (const piece of pieces) writeAll(fd, typeof piece === "string" ? Buffer.from(piece, "utf8") : piece);
    fsyncSync(fd);
    closeSync(fd);
    fd = undefined;
    renameSync(part, file);
  } catch (error) {
    if (fd !== undefined) closeSync(fd);
    rmSync(part, { force: true });
    if (code(error) !== undefined) throw new WriteError(said(error, file));
    throw error;
  }
}

function writeAll(fd: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at, bytes.length - at);
}

export function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new WriteError(said(error, path));
  }
}
