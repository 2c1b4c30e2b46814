// Traces as pixels: spans of min and max filled column by column, so that a full screen of channels takes milliseconds.

/** The memory of a canvas, one number per pixel. */
export interface Pixels { data: Uint32Array; width: number; height: number }

/** rgb of "#5cc8ff" in the order in which the memory of a canvas has it (little-endian), without alpha. */
export function rgb(color: string): number {
  const hex = color.trim().replace(/^#/, "").replace(/^(.)(.)(.)$/, "$1$1$2$2$3$3");
  const n = parseInt(hex.slice(0, 6), 16) || 0;
  return ((n & 255) << 16) | (n & 0xff00) | (n >> 16);
}

/** Fills column x from y0 down to y1 (fractions make softer ends), at least one pixel, cut at top and bottom. */
export function span(p: Pixels, x: number, y0: number, y1: number, color: number, top: number, bottom: number): void {
  if (y1 - y0 < 1) {
    const middle = (y0 + y1) / 2;
    y0 = middle - 0.5;
    y1 = middle + 0.5;
  }
  if (y1 <= top || y0 >= bottom) return;
  y0 = Math.max(y0, top);
  y1 = Math.min(y1, bottom);
  const last = Math.ceil(y1);
  for (let y = Math.floor(y0); y < last; y++) {
    const cover = Math.min(y + 1, y1) - Math.max(y, y0);
    const alpha = cover >= 1 ? 255 : Math.round(cover * 255);
    const at = y * p.width + x;
    if (alpha > p.data[at]! >>> 24) p.data[at] = ((alpha << 24) | color) >>> 0;
  }
}

/**
 * Draws pairs of min and max, one per column from x0 to x1. A value v is at middle - (v - zero) * scale.
 * Neighbours that do not overlap are joined, as the line through the samples would be; NaN stays empty.
 */
export function trace(p: Pixels, pairs: Float32Array, x0: number, x1: number, middle: number, zero: number, scale: number, color: number, top = 0, bottom = p.height): void {
  let before = NaN, beforeEnd = NaN;
  for (let x = x0; x < x1; x++) {
    const low = pairs[2 * x]!, high = pairs[2 * x + 1]!;
    if (!(low <= high)) {
      before = beforeEnd = NaN;
      continue;
    }
    const upper = middle - (high - zero) * scale, lower = middle - (low - zero) * scale;
    let y0 = upper, y1 = lower;
    if (before > y1) y1 = before;
    if (beforeEnd < y0) y0 = beforeEnd;
    span(p, x, y0, y1, color, top, bottom);
    before = upper;
    beforeEnd = lower;
  }
}
