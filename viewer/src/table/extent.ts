// Where rows and columns are when there are more of them than a browser can scroll over.
// Browsers end elements at some ten million pixels; ten million rows would need 260 million.

import { first } from "../first";

/** The greatest height of an element that every browser still scrolls exactly. */
export const limit = 6_000_000;

/** Sizes along one direction: all the same, or each its own. */
export interface Extent {
  count: number;
  total: number; // pixels
  start(i: number): number;
  size(i: number): number;
  at(px: number): number; // the index at a pixel, inside 0..count-1
}

export function uniform(count: number, size: number): Extent {
  return {
    count, total: count * size, start: (i) => i * size, size: () => size,
    at: (px) => Math.max(0, Math.min(count - 1, Math.floor(px / size))),
  };
}

export function varied(sizes: number[]): Extent {
  const starts = [0];
  for (const s of sizes) starts.push(starts[starts.length - 1]! + s);
  return {
    count: sizes.length, total: starts[sizes.length]!, start: (i) => starts[i] ?? 0, size: (i) => sizes[i] ?? 0,
    at: (px) => Math.max(0, first(sizes.length, (i) => starts[i]! > px) - 1),
  };
}

/**
 * The way between the bar of the browser and the place in the data. Where everything fits they are the same. Beyond, the bar
 * is a map of the whole, while small moves (wheel, keys, a finger) go pixel by pixel.
 */
export class Scroll {
  place = 0; // pixels in the data, a fraction where it is huge
  #bar = 0; // where the bar of the browser was last
  constructor(public extent: Extent, public viewport: number) {}

  /** The height of the element that is scrolled. */
  get space(): number {
    return Math.min(this.extent.total, Math.max(limit, this.viewport));
  }
  get most(): number {
    return Math.max(0, this.extent.total - this.viewport);
  }
  get #ratio(): number {
    const room = this.space - this.viewport;
    return room > 0 ? this.most / room : 1;
  }
  get exact(): boolean {
    return this.extent.total <= limit;
  }

  /** The bar was moved to top by the browser. */
  moved(top: number): void {
    if (top === this.#bar && !this.exact) return; // our own doing
    const by = top - this.#bar;
    this.#bar = top;
    if (this.exact) this.place = Math.min(top, this.most);
    else if (Math.abs(by) < this.viewport) this.place = this.#inside(this.place + by);
    else this.place = this.#inside(top * this.#ratio);
    // At both ends the bar knows best.
    if (top <= 0) this.place = 0;
    else if (top >= this.space - this.viewport - 1) this.place = this.most;
  }

  /** Goes to a place, and says where the bar belongs then. */
  go(place: number): number {
    this.place = this.#inside(place);
    this.#bar = this.exact ? this.place : Math.round(this.place / this.#ratio);
    return this.#bar;
  }

  /** The place that shows item i: unchanged if it is whole on screen already. */
  reveal(i: number): number {
    const start = this.extent.start(i), end = start + this.extent.size(i);
    if (start < this.place) return start;
    if (end > this.place + this.viewport) return end - this.viewport;
    return this.place;
  }

  /** The items on screen, and a few more on both sides: first, and one after the last. */
  visible(more = 0): [number, number] {
    if (this.extent.count === 0) return [0, 0];
    const first = this.extent.at(this.place), last = this.extent.at(this.place + Math.max(1, this.viewport) - 1e-6);
    return [Math.max(0, first - more), Math.min(this.extent.count, last + 1 + more)];
  }

  #inside(place: number): number {
    return Math.max(0, Math.min(this.most, place));
  }
}
