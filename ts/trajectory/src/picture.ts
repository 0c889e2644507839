/** What differs between two pictures of the same size, and a heat picture of it. */
import type { Picture } from "./png.js";

export interface PictureDifference {
  /** Pixels that differ by more than the tolerance. */
  pixels: number;
  /** Their share of the picture, 0 to 1. */
  share: number;
  /** The smallest box that holds them. */
  box: { x: number; y: number; w: number; h: number } | undefined;
}

/** Compare pictures of the same size; `tolerance` is what the largest channel may differ by (0 to 255). */
export function comparePictures(a: Picture, b: Picture, tolerance: number): PictureDifference {
  let [pixels, x0, y0, x1, y1] = [0, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, -1, -1];
  for (let y = 0, at = 0; y < a.height; y++) {
    for (let x = 0; x < a.width; x++, at += 3) {
      if (distance(a, b, at) <= tolerance) continue;
      pixels++;
      x0 = Math.min(x0, x);
      x1 = Math.max(x1, x);
      y0 = Math.min(y0, y);
      y1 = Math.max(y1, y);
    }
  }
  const box = pixels === 0 ? undefined : { x: x0, y: y0, w: x1 - x0 + 1, h: y1 - y0 + 1 };
  return { pixels, share: pixels / (a.width * a.height), box };
}

function distance(a: Picture, b: Picture, at: number): number {
  return Math.max(
    Math.abs((a.rgb[at] as number) - (b.rgb[at] as number)),
    Math.abs((a.rgb[at + 1] as number) - (b.rgb[at + 1] as number)),
    Math.abs((a.rgb[at + 2] as number) - (b.rgb[at + 2] as number)),
  );
}

/** `b` in pale grey with what differs from `a` in yellow to red, by how much. */
export function heatPicture(a: Picture, b: Picture, tolerance: number): Picture {
  const rgb = new Uint8Array(b.rgb.length);
  for (let at = 0; at < rgb.length; at += 3) {
    const d = distance(a, b, at);
    if (d <= tolerance) {
      const grey =
        160 +
        (((b.rgb[at] as number) * 3 + (b.rgb[at + 1] as number) * 6 + (b.rgb[at + 2] as number)) / 10) * 0.37;
      rgb[at] = rgb[at + 1] = rgb[at + 2] = Math.min(255, grey);
    } else {
      rgb[at] = 230;
      rgb[at + 1] = Math.round(190 * (1 - d / 255));
      rgb[at + 2] = 20;
    }
  }
  return { width: b.width, height: b.height, rgb };
}
