/** PNG pictures without native code: decode 8 and 16 bit, encode RGB, shrink. Bounded against hostile files. */
import { crc32, deflateSync, inflateSync } from "node:zlib";

/** Pictures with more pixels than this are refused. */
const PIXELS = 64_000_000;

export interface Picture {
  width: number;
  height: number;
  /** Three bytes a pixel, rows top down; transparency is laid on white. */
  rgb: Uint8Array;
}

export class BadPicture extends Error {}

const CHANNELS: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

export interface PngSize {
  width: number;
  height: number;
}

/** Width and height from the head of a PNG; `undefined` when it is none. */
export function pngSize(bytes: Buffer): PngSize | undefined {
  if (
    bytes.length < 33 ||
    !bytes.subarray(0, 8).equals(SIGNATURE) ||
    bytes.toString("latin1", 12, 16) !== "IHDR"
  )
    return undefined;
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  return width > 0 && height > 0 && width * height <= PIXELS ? { width, height } : undefined;
}

/** Throws `BadPicture` with the reason. */
export function decodePng(bytes: Buffer): Picture {
  const size = pngSize(bytes);
  if (!size) throw new BadPicture("not a PNG, or one with too many pixels");
  const [depth, color, interlace] = [bytes[24] ?? 0, bytes[25] ?? 0, bytes[28] ?? 0];
  const channels = CHANNELS[color];
  if (channels === undefined || (depth !== 8 && depth !== 16) || interlace !== 0) {
    throw new BadPicture(
      `a kind of PNG that is not read (depth ${depth}, colour type ${color}, interlace ${interlace})`,
    );
  }
  const { data, palette } = chunks(bytes);
  const bpp = (channels * depth) / 8;
  const stride = size.width * bpp;
  let raw: Buffer;
  try {
    raw = inflateSync(Buffer.concat(data), { maxOutputLength: (stride + 1) * size.height + 64 });
  } catch (error) {
    throw new BadPicture(`a broken PNG: ${error instanceof Error ? error.message : "unreadable"}`);
  }
  if (raw.length < (stride + 1) * size.height) throw new BadPicture("a PNG that is cut short");
  unfilter(raw, stride, size.height, bpp);
  return { ...size, rgb: toRgb(raw, size, color, depth, palette) };
}

function chunks(bytes: Buffer): { data: Buffer[]; palette: Buffer } {
  const data: Buffer[] = [];
  let palette = Buffer.alloc(0);
  for (let at = 8; at + 12 <= bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString("latin1", at + 4, at + 8);
    const body = bytes.subarray(at + 8, at + 8 + length);
    if (type === "PLTE") palette = Buffer.from(body);
    else if (type === "IDAT") data.push(body);
    else if (type === "IEND") break;
    at += 12 + length;
  }
  return { data, palette };
}

/** Undo the row filters in place; each row keeps its filter byte in front. */
function unfilter(raw: Buffer, stride: number, height: number, bpp: number): void {
  for (let y = 0; y < height; y++) {
    const at = y * (stride + 1) + 1;
    const up = at - stride - 1;
    const filter = raw[at - 1];
    if (filter === 0) continue;
    for (let i = 0; i < stride; i++) {
      const left = i >= bpp ? (raw[at + i - bpp] as number) : 0;
      const above = y > 0 ? (raw[up + i] as number) : 0;
      let add = 0;
      if (filter === 1) add = left;
      else if (filter === 2) add = above;
      else if (filter === 3) add = (left + above) >> 1;
      else if (filter === 4) add = paeth(left, above, i >= bpp && y > 0 ? (raw[up + i - bpp] as number) : 0);
      else throw new BadPicture("a broken PNG: no such row filter");
      raw[at + i] = ((raw[at + i] as number) + add) & 255;
    }
  }
}

function paeth(left: number, above: number, corner: number): number {
  const guess = left + above - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - above), Math.abs(guess - corner)];
  return a <= b && a <= c ? left : b <= c ? above : corner;
}

function toRgb(
  raw: Buffer,
  { width, height }: PngSize,
  color: number,
  depth: number,
  palette: Buffer,
): Uint8Array {
  const step = depth / 8;
  const channels = CHANNELS[color] ?? 1;
  const rgb = new Uint8Array(width * height * 3);
  let to = 0;
  for (let y = 0; y < height; y++) {
    let from = y * (width * channels * step + 1) + 1;
    for (let x = 0; x < width; x++, from += channels * step, to += 3) {
      const first = raw[from] as number;
      let [r, g, b] = [first, first, first];
      if (color === 3) {
        [r, g, b] = [palette[first * 3] ?? 0, palette[first * 3 + 1] ?? 0, palette[first * 3 + 2] ?? 0];
      } else if (channels >= 3) {
        g = raw[from + step] as number;
        b = raw[from + 2 * step] as number;
      }
      if (channels === 2 || channels === 4) {
        const alpha = raw[from + (channels - 1) * step] as number;
        if (alpha !== 255) {
          r = (r * alpha + 255 * (255 - alpha)) / 255;
          g = (g * alpha + 255 * (255 - alpha)) / 255;
          b = (b * alpha + 255 * (255 - alpha)) / 255;
        }
      }
      rgb[to] = r;
      rgb[to + 1] = g;
      rgb[to + 2] = b;
    }
  }
  return rgb;
}

function chunk(type: string, body: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), body]);
  const out = Buffer.alloc(named.length + 8);
  out.writeUInt32BE(body.length);
  named.copy(out, 4);
  out.writeUInt32BE(crc(named), named.length + 4);
  return out;
}

const TABLE = Array.from({ length: 256 }, (_, n) => {
  let value = n;
  for (let k = 0; k < 8; k++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value >>> 0;
});

/** `zlib.crc32` came with Node 20.15; before that, by table. */
function crc(bytes: Buffer): number {
  if (typeof crc32 === "function") return crc32(bytes);
  let value = 0xffffffff;
  for (const byte of bytes) value = ((TABLE[(value ^ byte) & 255] as number) ^ (value >>> 8)) >>> 0;
  return (value ^ 0xffffffff) >>> 0;
}

/** An RGB PNG, quick rather than small. Rows are stored as differences from the row above. */
export function encodePng({ width, height, rgb }: Picture): Buffer {
  const stride = width * 3;
  const raw = Buffer.alloc((stride + 1) * height);
  for (let y = 0; y < height; y++) {
    const to = y * (stride + 1);
    raw[to] = y === 0 ? 0 : 2;
    const from = y * stride;
    for (let i = 0; i < stride; i++) {
      raw[to + 1 + i] =
        ((rgb[from + i] as number) - (y === 0 ? 0 : (rgb[from + i - stride] as number))) & 255;
    }
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width);
  head.writeUInt32BE(height, 4);
  head[8] = 8;
  head[9] = 2;
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", head),
    chunk("IDAT", deflateSync(raw, { level: 4 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** Shrink to fit `width` x `height`, each pixel the mean of what it covers; never enlarges. */
export function shrink(picture: Picture, width: number, height: number): Picture {
  const factor = Math.max(picture.width / width, picture.height / height);
  if (factor <= 1) return picture;
  const [w, h] = [
    Math.max(1, Math.round(picture.width / factor)),
    Math.max(1, Math.round(picture.height / factor)),
  ];
  const rgb = new Uint8Array(w * h * 3);
  for (let y = 0; y < h; y++) {
    const [top, bottom] = span(y, h, picture.height);
    for (let x = 0; x < w; x++) {
      const [left, right] = span(x, w, picture.width);
      mean(picture, left, top, right, bottom, rgb, (y * w + x) * 3);
    }
  }
  return { width: w, height: h, rgb };
}

function span(i: number, n: number, of: number): [number, number] {
  const from = Math.floor((i * of) / n);
  return [from, Math.max(from + 1, Math.floor(((i + 1) * of) / n))];
}

function mean(
  p: Picture,
  left: number,
  top: number,
  right: number,
  bottom: number,
  out: Uint8Array,
  at: number,
): void {
  let [r, g, b] = [0, 0, 0];
  for (let y = top; y < bottom; y++) {
    let from = (y * p.width + left) * 3;
    for (let x = left; x < right; x++, from += 3) {
      r += p.rgb[from] as number;
      g += p.rgb[from + 1] as number;
      b += p.rgb[from + 2] as number;
    }
  }
  const n = (right - left) * (bottom - top);
  out[at] = r / n;
  out[at + 1] = g / n;
  out[at + 2] = b / n;
}
