// Windows of contrast: from the percentiles the server gives, from a tile when they are not there yet, and as text.

export type Histogram = { from: number; to: number; counts: number[] };

/** The values that a type can have, as far as a window may go without data. */
export function typeRange(type: string): [number, number] {
  switch (type) {
    case "uint8": return [0, 255];
    case "int8": return [-128, 127];
    case "uint16": return [0, 65535];
    case "int16": return [-32768, 32767];
    case "uint32": return [0, 4294967295];
    case "int32": return [-2147483648, 2147483647];
    default: return [0, 1];
  }
}

/** A window that can be divided by: where all is one value, that value is in the middle. */
export function usable(lo: number, hi: number): [number, number] {
  if (!Number.isFinite(lo) || !Number.isFinite(hi)) return [0, 1];
  if (hi < lo) return [hi, lo];
  if (hi > lo) return [lo, hi];
  const half = Math.max(0.5, Math.abs(lo) * 1e-3);
  return [lo - half, hi + half];
}

/** The window from the 0.1 and 99.9 percentiles; from all values where these fall together. */
export function autoWindow(s: {
  min: number | null;
  max: number | null;
  percentiles: Record<string, number>;
}): [number, number] | null {
  if (s.min === null || s.max === null) return null;
  const lo = s.percentiles["0.1"];
  const hi = s.percentiles["99.9"];
  if (typeof lo === "number" && typeof hi === "number" && hi > lo) return [lo, hi];
  return usable(s.min, s.max);
}

/** The same from values at hand, until the server has answered: some hundreds of them are looked at. */
export function sampleWindow(data: ArrayLike<number>): [number, number] | null {
  const some: number[] = [];
  for (let i = 0; i < data.length; i += 1 + (data.length >> 9)) if (Number.isFinite(data[i]!)) some.push(data[i]!);
  return some.length ? usable(Math.min(...some), Math.max(...some)) : null;
}

/**
 * The outline of a part of a histogram in a box of 256 × 100, as an SVG path. Heights are square roots of counts, or
 * logarithms: background has a thousand times the pixels of what is looked at. The third largest bin sets the height,
 * so that single bins (background, saturation) do not press the rest flat.
 */
export function histogramPath(h: Histogram, from: number, to: number, log: boolean): string {
  const f = log ? Math.log1p : Math.sqrt;
  const n = h.counts.length;
  const width = (h.to - h.from) / n || 1;
  const top = f([...h.counts].sort((a, b) => b - a).find((c, i) => i >= 2 || c === 0) || Math.max(...h.counts));
  if (!(top > 0)) return "";
  const x = (v: number) => round(Math.min(256, Math.max(0, ((v - from) / (to - from)) * 256)));
  let d = `M${x(h.from)} 100`;
  for (let i = 0; i < n; i++) {
    const at = h.from + i * width;
    if (at + width < from || at > to) continue;
    const y = round(100 - Math.min(1, f(h.counts[i]!) / top) * 94);
    d += `L${x(at)} ${y}L${x(at + width)} ${y}`;
  }
  return d + `L${x(h.from + n * width)} 100Z`;
}

/**
 * The values that a histogram shows: all, but not much above and below the usual window, since one bright pixel would
 * press the rest into a corner; and always what was chosen.
 */
export function histogramRange(h: Histogram, usual: [number, number], chosen: [number, number]): [number, number] {
  const more = (usual[1] - usual[0]) * 0.4;
  const from = Math.min(Math.max(h.from, usual[0] - more), chosen[0]);
  const to = Math.max(Math.min(h.to, usual[1] + more), chosen[1]);
  return to > from ? [from, to] : [from, from + 1];
}

const round = (v: number) => Math.round(v * 10) / 10;

/** A value that goes into a box or an address and comes back as it was, or near enough for a window. */
export function plain(v: number): string {
  return String(Number.isInteger(v) ? v : Number(v.toPrecision(6)));
}
