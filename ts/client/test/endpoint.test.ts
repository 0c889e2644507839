import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { defaultSocket } from "../src/endpoint.js";

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
