/** A place in a picture, and the way things set off and arrive. */

export interface Point {
  x: number;
  y: number;
}

/** Slow, fast, slow; 0 to 1. */
export function ease(k: number): number {
  return k * k * (3 - 2 * k);
}
