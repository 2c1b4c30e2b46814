// The blocks of a series: asked for as the window wants them, kept while they are near, ended when they are stale.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import * as api from "../api";
import type { Node, Problem } from "../api";
import { bytes, group } from "../format";
import { Latest } from "../latest";
import { status } from "../state";
import { type Block, satisfied } from "./blocks";
import type { Shown } from "./rows";
import { type Limits, margin, type Span } from "./window";

const most = 48 << 20; // bytes of blocks that are kept

export interface Loaded { blocks: Block[]; problem: Problem | null; busy: boolean; retry: () => void }

/** Asks for what the window lacks: at once when there is nothing to show, else when the moving has stopped for a moment. */
export function useBlocks(node: Node, limits: Limits, span: Span, shown: Shown, total: number, width: number, fresh: (b: Block) => void): Loaded {
  const [state, setState] = useState<{ blocks: Block[]; problem: Problem | null; busy: boolean }>({ blocks: [], problem: null, busy: false });
  const [again, setAgain] = useState(0);
  const latest = useRef(new Latest(80)).current;
  const retry = () => {
    latest.stop();
    status.errors.value = [];
    setState((s) => ({ ...s, problem: null }));
    setAgain((n) => n + 1);
  };
  useEffect(() => () => latest.stop(), []);
  useLayoutEffect(() => {
    if (width <= 0) return;
    const perPixel = (span.to - span.from) / width, last = shown.first + shown.count - 1;
    if (satisfied(state.blocks, [shown.first, last, (shown.first + last) >> 1], span, perPixel)) {
      latest.stop();
      if (state.busy) setState((s) => ({ ...s, busy: false }));
      return;
    }
    // Wide answers of many channels are asked for without a margin: they would be mostly thrown away.
    const ask = margin(span, limits, shown.count > 64 ? 0.1 : 0.5);
    const extra = Math.min(total - shown.count, shown.count > 32 ? 0 : shown.count);
    const first = Math.max(0, Math.min(shown.first - (extra >> 1), total - shown.count - extra));
    const pixels = Math.round(width * Math.min(2, devicePixelRatio || 1) * ((ask.to - ask.from) / (span.to - span.from)));
    const q = { from: ask.from, to: ask.to, width: Math.max(16, Math.min(16384, pixels)), channels: `${first}:${first + shown.count + extra}` };
    latest.run(JSON.stringify([q, again]), (signal) => {
      const began = performance.now();
      setState((s) => ({ ...s, busy: true }));
      whole(node, q, ask, signal, (block, before) => {
        fresh(block);
        status.errors.value = [];
        status.work.value = [
          ...(block.exact === false ? [{ value: `${Math.floor((block.covered ?? 0) * 100)} % read` }] : []),
          { value: block.mode === "samples" ? `${group(block.bins)} samples` : `${group(Math.round(block.step))} samples per bin` },
          { value: `${Math.round(performance.now() - began)} ms` }, { value: bytes(block.bytes) },
        ];
        setState((s) => ({ blocks: kept(block, s.blocks.filter((b) => b !== before)), problem: null, busy: block.exact === false }));
      }).catch((e: unknown) => {
        if (api.aborted(e)) return;
        const problem = api.problemOf(e);
        status.errors.value = [{ problem, retry }];
        setState((s) => ({ ...s, problem, busy: false }));
      });
    }, state.blocks.length ? undefined : 0);
  }, [span.from, span.to, shown.first, shown.count, width, again, state.blocks]);
  return { ...state, retry };
}

/** The newest block first, the oldest go when there are too many bytes; the coarsest stays, it shows the most. */
export function kept(block: Block, blocks: Block[]): Block[] {
  const all = [block, ...blocks];
  let sum = 0;
  const coarsest = all.reduce((a, b) => (b.to - b.from > a.to - a.from ? b : a));
  return all.filter((b) => (sum += b.values.byteLength) <= most || b === coarsest || b === block);
}

/** Asks until all of it was read; what is there is shown on the way. */
async function whole(node: Node, q: api.SeriesQuery, ask: Span, signal: AbortSignal, show: (b: Block, before: Block | null) => void): Promise<void> {
  let before: Block | null = null;
  do {
    const block: Block = { ...(await api.series(node, q, signal)), from: ask.from, to: ask.to };
    // An answer that is no further than the last one would be asked for without end.
    if (before && block.exact === false && !((block.covered ?? 0) > (before.covered ?? 0))) block.exact = undefined;
    show(block, before);
    before = block;
  } while (before.exact === false && !signal.aborted);
}

/** The whole of one channel, for the strip; null until it is there, and when it would be too much. */
export function useOverview(node: Node, limits: Limits, channel: number, ready: boolean): Block | null {
  const [block, setBlock] = useState<Block | null>(null);
  useEffect(() => {
    if (!ready || block?.channels.includes(channel)) return;
    const stop = new AbortController();
    const all = { from: limits.start, to: limits.end };
    whole(node, { ...all, width: 1600, channels: `${channel}:${channel + 1}` }, all, stop.signal, setBlock).catch(() => {});
    return () => stop.abort();
  }, [channel, ready]);
  return block;
}
