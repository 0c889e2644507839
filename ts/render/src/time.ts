/** From the source's clock to the output's: pieces, each played at its own rate. */

/** Source time `fromMs` to `toMs` is shown from `atMs` on, `rate` times as fast. */
export interface Piece {
  fromMs: number;
  toMs: number;
  atMs: number;
  rate: number;
}

export class TimeMap {
  readonly pieces: Piece[];
  readonly lengthMs: number;

  private constructor(pieces: Piece[], lengthMs: number) {
    this.pieces = pieces;
    this.lengthMs = lengthMs;
  }

  static whole(durationMs: number, speed: number): TimeMap {
    return TimeMap.of([{ from: 0, to: durationMs, rate: 1 }], speed);
  }

  /** Pieces in order, without holes; all of it `speed` times faster. */
  static of(given: { from: number; to: number; rate: number }[], speed: number): TimeMap {
    const pieces: Piece[] = [];
    let at = 0;
    for (const { from, to, rate } of given) {
      const piece = { fromMs: from, toMs: to, atMs: at, rate: rate * speed };
      pieces.push(piece);
      at += (to - from) / piece.rate;
    }
    return new TimeMap(pieces, at);
  }

  /** When source time `ms` is shown; before and after the source, its ends. */
  at(ms: number): number {
    let [low, high] = [0, this.pieces.length - 1];
    if (high < 0) return 0;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (ms < (this.pieces[middle] as Piece).toMs) high = middle;
      else low = middle + 1;
    }
    const piece = this.pieces[low] as Piece;
    const inside = Math.min(Math.max(ms, piece.fromMs), piece.toMs);
    return piece.atMs + (inside - piece.fromMs) / piece.rate;
  }
}
