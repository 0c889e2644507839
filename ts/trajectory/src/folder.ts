/** Reading inside one folder and nowhere else: no links, no devices, no file larger than its bound. */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
} from "node:fs";
import { join } from "node:path";
import { TrajectoryError } from "./problem.js";

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** Bounds in bytes by what is read. */
export const LIMIT = {
  session: 4 << 20,
  action: 16 << 20,
  state: 64 << 20,
  events: 256 << 20,
  picture: 64 << 20,
  video: 64 * 2 ** 30,
} as const;

/** More entries than this in one folder are not a recording. */
const ENTRIES = 200_000;

export interface Opened {
  fd: number;
  size: number;
  modifiedMs: number;
}

export type Kind = "file" | "folder" | "link" | "other";

export class Folder {
  /** Absolute, with the links of its ancestors resolved. */
  readonly path: string;

  constructor(dir: string) {
    let path: string;
    try {
      path = realpathSync(dir);
      if (!lstatSync(path).isDirectory())
        throw new TrajectoryError("not_a_recording", "", `${dir} is not a folder`);
    } catch (error) {
      if (error instanceof TrajectoryError) throw error;
      throw new TrajectoryError(code(error) === "ENOENT" ? "not_found" : "unreadable", "", said(error, dir));
    }
    this.path = path;
  }

  /** Names in a folder with what each is; links are told, not followed. */
  entries(...parts: string[]): { name: string; kind: Kind }[] {
    const path = this.#inside(parts);
    try {
      const found = readdirSync(path, { withFileTypes: true });
      if (found.length > ENTRIES) {
        throw new TrajectoryError("not_a_recording", parts.join("/"), `holds more than ${ENTRIES} entries`);
      }
      return found.map((entry) => ({
        name: entry.name,
        kind: entry.isSymbolicLink()
          ? "link"
          : entry.isDirectory()
            ? "folder"
            : entry.isFile()
              ? "file"
              : "other",
      }));
    } catch (error) {
      if (error instanceof TrajectoryError) throw error;
      throw new TrajectoryError("unreadable", parts.join("/"), said(error, path));
    }
  }

  /** Open a plain file for reading; the caller closes it. Throws `TrajectoryError`. */
  open(limit: number, ...parts: string[]): Opened {
    const where = parts.join("/");
    const path = this.#inside(parts);
    let fd: number;
    try {
      // Non-blocking, so that a pipe put in a file's place holds nobody up.
      fd = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    } catch (error) {
      if (code(error) === "ELOOP" || code(error) === "EMLINK")
        throw new TrajectoryError("link", where, "is a link; links are not followed");
      throw new TrajectoryError(
        code(error) === "ENOENT" ? "missing" : "unreadable",
        where,
        said(error, path),
      );
    }
    try {
      const stat = fstatSync(fd);
      if (!stat.isFile()) throw new TrajectoryError("not_a_file", where, "is not a plain file");
      if (stat.size > limit)
        throw new TrajectoryError(
          "too_large",
          where,
          `has ${size(stat.size)}; at most ${size(limit)} are read`,
        );
      return { fd, size: stat.size, modifiedMs: stat.mtimeMs };
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  }

  read(limit: number, ...parts: string[]): Buffer {
    const file = this.open(limit, ...parts);
    try {
      const bytes = Buffer.alloc(file.size);
      let at = 0;
      while (at < bytes.length) {
        const n = readSync(file.fd, bytes, at, bytes.length - at, at);
        if (n === 0) break;
        at += n;
      }
      return at === bytes.length ? bytes : bytes.subarray(0, at);
    } catch (error) {
      throw new TrajectoryError("unreadable", parts.join("/"), said(error, parts.join("/")));
    } finally {
      closeSync(file.fd);
    }
  }

  /** The path of names inside this folder, each checked not to be a link. */
  #inside(parts: string[]): string {
    let path = this.path;
    parts.forEach((part, i) => {
      if (!NAME.test(part))
        throw new TrajectoryError("not_a_file", parts.join("/"), "is not a name inside the recording");
      path = join(path, part);
      if (i === parts.length - 1) return;
      let stat: ReturnType<typeof lstatSync>;
      try {
        stat = lstatSync(path);
      } catch (error) {
        throw new TrajectoryError(
          code(error) === "ENOENT" ? "missing" : "unreadable",
          parts.join("/"),
          said(error, path),
        );
      }
      if (stat?.isSymbolicLink())
        throw new TrajectoryError(
          "link",
          parts.slice(0, i + 1).join("/"),
          "is a link; links are not followed",
        );
      if (!stat?.isDirectory())
        throw new TrajectoryError("not_a_file", parts.slice(0, i + 1).join("/"), "is not a folder");
    });
    return path;
  }
}

export function code(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** The system's refusal in words. */
export function said(error: unknown, path: string): string {
  switch (code(error)) {
    case "ENOENT":
      return `${path}: no such file or folder`;
    case "EACCES":
    case "EPERM":
      return `${path}: no permission`;
    case "ENOSPC":
      return `${path}: the disk is full`;
    case "EROFS":
      return `${path}: the disk is read-only`;
    case "ENOTDIR":
      return `${path}: not a folder`;
    default:
      return `${path}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

export function size(bytes: number): string {
  const units = ["bytes", "KB", "MB", "GB", "TB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}
