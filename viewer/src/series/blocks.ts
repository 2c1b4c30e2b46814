// What the server sent of a series, and how pixels are found in it.

import type { SeriesData } from "../api";
import { first } from "../first";
import type { Span } from "./window";

/** One answer: min and max per bin, or samples, of some channels, and what was asked for. */
export type Block = SeriesData & Span;

/** The time at which bin i begins (or sample i is). */
export function timeAt(b: Block, i: number): number {
  if (!b.at) return b.t0 + i * b.dt;
  if (i < b.bins) return b.at[Math.max(0, i)] ?? b.t0;
  return (b.at[b.bins - 1] ?? b.t0) + b.dt;
}

/** The first bin that begins at or after t. */
export function binFrom(b: Block, t: number): number {
  if (!b.at) return Math.min(b.bins, Math.max(0, Math.ceil((t - b.t0) / b.dt - 1e-6)));
  return first(b.bins, (i) => b.at![i]! >= t);
}

/** The last bin that begins at or before t, -1 before the first. */
export function binAt(b: Block, t: number): number {
  if (!b.at) return Math.min(b.bins - 1, Math.max(-1, Math.floor((t - b.t0) / b.dt + 1e-6)));
  const i = binFrom(b, t);
  return i < b.bins && b.at[i] === t ? i : i - 1;
}

/** The share of a window that a block has data of: which block serves which part. */
export interface Part { block: Block; from: number; to: number }

/**
 * Which blocks show a window: the one that fits the pixels best first, the others where it ends.
 * A block that is too coarse is better than nothing, one that is much too fine only costs time.
 */
export function plan(blocks: Block[], channel: number, w: Span, perPixel: number): Part[] {
  const fit = (b: Block) => {
    const off = Math.log2(b.dt / perPixel);
    return b.mode === "samples" ? (off > 0 ? 0 : -off) : off > 0.1 ? off * 4 : -off;
  };
  const able = blocks.filter((b) => b.from < w.to && b.to > w.from && b.channels.includes(channel)).sort((a, b) => fit(a) - fit(b));
  let open: Span[] = [{ ...w }];
  const parts: Part[] = [];
  for (const block of able) {
    const left: Span[] = [];
    for (const hole of open) {
      const from = Math.max(hole.from, block.from), to = Math.min(hole.to, block.to);
      if (!(to > from)) {
        left.push(hole);
        continue;
      }
      parts.push({ block, from, to });
      if (from > hole.from) left.push({ from: hole.from, to: from });
      if (to < hole.to) left.push({ from: to, to: hole.to });
    }
    open = left;
    if (open.length === 0) break;
  }
  return parts.sort((a, b) => a.from - b.from);
}

/** Whether a part is to be drawn as a line through its samples. */
export function drawnAsLine(b: Block, perPixel: number): boolean {
  return b.mode === "samples" && b.dt >= perPixel * 0.75;
}

/**
 * Lowest and highest value under each of the pixels x0..x1 of a window, NaN where nothing is.
 * out has two entries per pixel of the whole window.
 */
export function columns(b: Block, channel: number, w: Span, width: number, x0: number, x1: number, out: Float32Array): void {
  const per = (w.to - w.from) / width;
  const pair = b.mode === "envelope" ? 2 : 1;
  const base = b.channels.indexOf(channel) * b.bins * pair;
  for (let x = x0; x < x1; x++) {
    const start = w.from + x * per, end = start + per;
    let low = Infinity, high = -Infinity;
    // A bin that began before the pixel still covers it; a sample does not.
    let i = pair === 1 ? binFrom(b, start) : Math.max(0, binAt(b, start));
    if (pair === 2 && timeAt(b, i) + b.dt <= start) i++;
    for (; i < b.bins && timeAt(b, i) < end; i++) {
      const min = b.values[base + i * pair]!, max = b.values[base + i * pair + pair - 1]!;
      if (min < low) low = min;
      if (max > high) high = max;
    }
    out[2 * x] = low <= high ? low : NaN;
    out[2 * x + 1] = low <= high ? high : NaN;
  }
}

/** What is at a moment: a sample, or what a bin spans; null where no block knows, NaN where nothing was stored. */
export function valueAt(blocks: Block[], channel: number, t: number, perPixel: number): { time: number; low: number; high: number; sample: boolean } | null {
  const part = plan(blocks, channel, { from: t, to: t + perPixel }, perPixel)[0];
  if (!part) return null;
  const b = part.block;
  const base = b.channels.indexOf(channel) * b.bins;
  if (b.mode === "samples") {
    let i = Math.max(0, binAt(b, t));
    if (i + 1 < b.bins && Math.abs(timeAt(b, i + 1) - t) < Math.abs(timeAt(b, i) - t)) i++;
    const v = b.values[base + i] ?? NaN;
    return { time: timeAt(b, i), low: v, high: v, sample: true };
  }
  const i = binAt(b, t);
  if (i < 0) return null;
  return { time: timeAt(b, i), low: b.values[2 * (base + i)] ?? NaN, high: b.values[2 * (base + i) + 1] ?? NaN, sample: false };
}

/** The middle of a channel and how far it commonly swings: for a first gain. Null when all of it is missing. */
export function swing(b: Block, channel: number): { middle: number; size: number } | null {
  const row = b.channels.indexOf(channel);
  if (row < 0) return null;
  const pair = b.mode === "envelope" ? 2 : 1;
  const lows: number[] = [], highs: number[] = [];
  const every = Math.max(1, Math.floor(b.bins / 2000));
  for (let i = 0; i < b.bins; i += every) {
    const at = (row * b.bins + i) * pair;
    const low = b.values[at]!, high = b.values[at + pair - 1]!;
    if (low <= high && Number.isFinite(low) && Number.isFinite(high)) {
      lows.push(low);
      highs.push(high);
    }
  }
  if (lows.length === 0) return null;
  lows.sort((a, c) => a - c);
  highs.sort((a, c) => a - c);
  const low = lows[Math.floor(lows.length * 0.01)]!, high = highs[Math.min(highs.length - 1, Math.floor(highs.length * 0.99))]!;
  return { middle: (low + high) / 2, size: high - low };
}

/** Whether the blocks show the window as finely as its pixels are, for these channels. */
export function satisfied(blocks: Block[], channels: number[], w: Span, perPixel: number): boolean {
  return channels.every((c) => {
    let covered = 0;
    for (const p of plan(blocks, c, w, perPixel)) {
      if (p.block.exact === false) return false;
      if (p.block.mode === "envelope" && p.block.dt > perPixel * 1.3 && p.block.step > 1) return false;
      covered += p.to - p.from;
    }
    return covered >= (w.to - w.from) * 0.999999;
  });
}
