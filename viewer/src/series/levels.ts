// How far a row swings and where its middle is: learned from what was sent, and kept while one moves, so that nothing jumps.
import { signal } from "../signals";
import { type Block, columns, plan, swing } from "./blocks";
import type { Shown } from "./rows";
import type { Span } from "./window";

/** The gain that is used, in units of the data per row, for the panel. */
export const levels = signal<{ gain: number; unit?: string }>({ gain: 0 });

export class Levels {
  gain = 0; // of a row, when nobody chose one
  #middles = new Map<number, number>();

  forget(): void {
    this.gain = 0;
    this.#middles.clear();
  }

  /** Takes over what a block says. A gain that was chosen stays; one that was learned changes only when it no longer fits. */
  learn(b: Block, shown: Shown, chosen: boolean): void {
    const sizes: number[] = [];
    const found = new Map<number, number>();
    for (const c of b.channels) {
      const s = swing(b, c);
      if (!s) continue;
      found.set(c, s.middle);
      if (s.size > 0 && c >= shown.first && c < shown.first + shown.count) sizes.push(s.size);
    }
    sizes.sort((a, c) => a - c);
    // Three quarters of the channels fit their rows; a loud one may cross its neighbours.
    const usual = (sizes[Math.floor(sizes.length * 0.75)] ?? 0) * 1.15;
    if (usual > 0 && !chosen && (this.gain === 0 || usual > this.gain * 1.6 || usual < this.gain / 6)) this.gain = usual;
    else if (this.gain === 0) this.gain = usual || 1;
    for (const [c, m] of found) {
      const before = this.#middles.get(c);
      if (before === undefined || Math.abs(m - before) > 0.6 * this.gain) this.#middles.set(c, m);
    }
  }

  middle(channel: number): number {
    return this.#middles.get(channel) ?? 0;
  }

  /** Whether a block has no value at all in the channels that are shown. */
  empty(b: Block, shown: Shown): boolean {
    for (let c = shown.first; c < shown.first + shown.count; c++) if (!b.channels.includes(c) || swing(b, c)) return false;
    return true;
  }

  /** The axis of one channel: around its middle as the gain says, or all that the window has. */
  range(blocks: Block[], channel: number, span: Span, gain: number): { low: number; high: number } {
    if (gain > 0) return { low: this.middle(channel) - gain / 2, high: this.middle(channel) + gain / 2 };
    let low = Infinity, high = -Infinity;
    const width = 1024, per = (span.to - span.from) / width, pairs = new Float32Array(2 * width).fill(NaN);
    for (const { block, from, to } of plan(blocks, channel, span, per)) {
      columns(block, channel, span, width, Math.max(0, Math.floor((from - span.from) / per)), Math.min(width, Math.ceil((to - span.from) / per)), pairs);
    }
    for (const v of pairs) {
      if (!Number.isFinite(v)) continue;
      low = Math.min(low, v);
      high = Math.max(high, v);
    }
    if (!(low <= high)) return { low: 0, high: 1 };
    const pad = (high - low) * 0.06 || Math.abs(high) * 0.1 || 1;
    return { low: low - pad, high: high + pad };
  }
}
