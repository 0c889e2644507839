import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { defaultSocket, findSocket } from "../src/endpoint.js";
import { Refused, Unreachable } from "../src/index.js";

interface Vector {
  env: Record<string, string>;
  uid: number;
  private_runtime_dir: boolean;
  socket: string;
}

const { vectors } = JSON.parse(
  readFileSync(new URL("../../../proto/endpoint.json", import.meta.url), "utf8"),
) as {
  vectors: Vector[];
};

test.each(vectors)("$socket", ({ env, uid, private_runtime_dir, socket }) => {
  expect(defaultSocket({ env, uid, privateRuntimeDir: private_runtime_dir })).toBe(socket);
});

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

function runtime(): string {
  const dir = mkdtempSync(join(tmpdir(), "cua-endpoint-"));
  ends.push(() => rmSync(dir, { recursive: true, force: true }));
  mkdirSync(join(dir, "cua-driver"), { mode: 0o700 });
  return dir;
}

const from = (dir: string, env: Record<string, string> = {}) => ({
  env: { XDG_RUNTIME_DIR: dir, ...env },
  uid: process.getuid?.() ?? 0,
  privateRuntimeDir: true,
});

async function listen(path: string): Promise<void> {
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(path, resolve));
  ends.push(() => server.close());
}

test("without a display the user's one driver is meant; several are listed and refused", async () => {
  const dir = runtime();
  const [one, other] = [join(dir, "cua-driver", "x11-7.sock"), join(dir, "cua-driver", "x11-8.sock")];
  expect(await findSocket(from(dir))).toBe(join(dir, "cua-driver", "none.sock"));
  await listen(one);
  expect(await findSocket(from(dir))).toBe(one);
  await listen(other);
  const error = await findSocket(from(dir)).catch((e: unknown) => e);
  expect(error).toBeInstanceOf(Refused);
  expect((error as Refused).message).toContain(other);
  expect(await findSocket(from(dir, { DISPLAY: ":8" }))).toBe(other);
});

test("a folder that others may write to, or that is a link, is not trusted", async () => {
  const dir = runtime();
  chmodSync(join(dir, "cua-driver"), 0o777);
  await expect(findSocket(from(dir))).rejects.toBeInstanceOf(Unreachable);
  const link = mkdtempSync(join(tmpdir(), "cua-endpoint-"));
  ends.push(() => rmSync(link, { recursive: true, force: true }));
  symlinkSync(dir, join(link, "cua-driver"));
  await expect(findSocket(from(link))).rejects.toBeInstanceOf(Unreachable);
});
