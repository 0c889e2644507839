import { execFileSync } from "node:child_process";
import { deflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { comparePictures, decodePng, encodePng, heatPicture, pngSize, shrink } from "../src/index.js";
import { paint } from "./sample.js";

const picture = paint(97, 61, [200, 30, 40], { x: 20, y: 20 });

test("what is encoded is decoded", () => {
  expect(decodePng(encodePng(picture))).toEqual(picture);
});

test.each(["rgb24", "rgba", "gray", "pal8", "ya8", "rgb48be"])(
  "a picture in %s is read as ffmpeg reads it",
  (format) => {
    const png = execFileSync(
      "ffmpeg",
      [
        "-v",
        "error",
        "-f",
        "png_pipe",
        "-i",
        "-",
        "-pix_fmt",
        format,
        "-f",
        "image2pipe",
        "-c:v",
        "png",
        "-",
      ],
      { input: encodePng(picture) },
    );
    const raw = execFileSync(
      "ffmpeg",
      ["-v", "error", "-f", "png_pipe", "-i", "-", "-pix_fmt", "rgb24", "-f", "rawvideo", "-"],
      { input: png },
    );
    const d = comparePictures(decodePng(png), { width: 97, height: 61, rgb: raw }, 2);
    expect(d.pixels).toBe(0);
  },
);

describe("a broken picture is refused", () => {
  const good = encodePng(picture);
  const bomb = () => {
    const made = Buffer.from(good);
    made.writeUInt32BE(100_000, 16);
    made.writeUInt32BE(100_000, 20);
    return made;
  };
  const flood = () =>
    Buffer.concat([good.subarray(0, 33), chunk("IDAT", deflateSync(Buffer.alloc(50 << 20)))]);
  const cases: [string, Buffer][] = [
    ["nothing", Buffer.alloc(0)],
    ["text", Buffer.from("<svg onload=alert(1)>".repeat(10))],
    ["cut in the middle", good.subarray(0, good.length >> 1)],
    ["a head that claims ten gigapixels", bomb()],
    ["more data than the head says", flood()],
    ["rubbish inside", Buffer.concat([good.subarray(0, 41), Buffer.alloc(200, 7), good.subarray(60)])],
  ];
  test.each(cases)("%s", (_, bytes) => {
    expect(() => decodePng(bytes)).toThrow(/PNG/);
  });
});

function chunk(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(body.length);
  head.write(type, 4, "latin1");
  return Buffer.concat([head, body, Buffer.alloc(4)]);
}

test("a difference is counted, boxed, and hot in the heat picture", () => {
  const other = { ...picture, rgb: Uint8Array.from(picture.rgb) };
  for (let y = 5; y < 9; y++) for (let x = 10; x < 16; x++) other.rgb.set([0, 0, 255], (y * 97 + x) * 3);
  expect(comparePictures(picture, other, 16)).toEqual({
    pixels: 24,
    share: 24 / (97 * 61),
    box: { x: 10, y: 5, w: 6, h: 4 },
  });
  expect(comparePictures(picture, other, 255).pixels).toBe(0);
  const heat = heatPicture(picture, other, 16);
  const at = (x: number, y: number) => [...heat.rgb.subarray((y * 97 + x) * 3, (y * 97 + x) * 3 + 3)];
  expect(at(12, 6)[0]).toBe(230);
  expect(new Set(at(50, 50)).size).toBe(1);
});

test("shrinking keeps the shape and never enlarges", () => {
  expect(shrink(picture, 20, 20)).toMatchObject({ width: 20, height: 13 });
  expect(shrink(picture, 500, 500)).toBe(picture);
  expect(pngSize(encodePng(shrink(picture, 20, 20)))).toEqual({ width: 20, height: 13 });
});
