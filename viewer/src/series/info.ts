// What a node says of itself as a series; any array of one or two dimensions is one whose seconds are indices.
import type { Node, SeriesInfo } from "../api";
import type { Limits, Span } from "./window";

export function infoOf(node: Node): SeriesInfo {
  if (node.series) return node.series;
  const shape = node.array?.shape ?? [0];
  return { samples: shape[0] ?? 0, channels: shape[1] ?? 1, start: 0, end: shape[0] ?? 0, axis: 0, intervals: [], explicit: false };
}

/** Whether the axis counts samples because nothing says when they were taken. */
export function counted(node: Node): boolean {
  const s = node.series;
  return !s || (node.node_type === "array" && s.rate === 1 && s.start === 0 && !s.zero) || (!s.rate && !s.explicit);
}

export function limitsOf(info: SeriesInfo): Limits {
  const each = info.rate ? 1 / info.rate : (info.end - info.start) / Math.max(1, info.samples - 1) || 1;
  return { start: info.start, end: info.end > info.start ? info.end : info.start + each, least: each * 8 };
}

/**
 * What is shown first: everything, unless that would read more than a good while takes. Channels that were recorded together
 * are stored together, so that they count even if few are shown.
 */
export function firstSpan(info: SeriesInfo): Span {
  const l = limitsOf(info), whole = info.samples * info.channels;
  const most = 150_000_000;
  if (whole <= most) return { from: l.start, to: l.end };
  const share = Math.max(1_000_000 / whole, Math.min(1, 20_000 / info.samples));
  return { from: l.start, to: l.start + (l.end - l.start) * share };
}

export function channelName(info: SeriesInfo, i: number): string {
  return info.names?.[i] ?? String(i);
}

/** The index of the sample at a moment, as well as it is known. */
export function sampleAt(info: SeriesInfo, t: number): number {
  const l = limitsOf(info);
  const i = info.rate ? (t - info.start) * info.rate : ((t - l.start) / (l.end - l.start)) * info.samples;
  return Math.max(0, Math.min(info.samples, Math.round(i)));
}

/** The part of the array that is on screen, as cat understands it. */
export function sliceOf(info: SeriesInfo, dimensions: number, span: Span, first: number, count: number): string {
  const time = `${sampleAt(info, span.from)}:${Math.max(sampleAt(info, span.from) + 1, sampleAt(info, span.to))}`;
  if (dimensions < 2) return time;
  const channels = `${first}:${first + count}`;
  return info.axis === 0 ? `${time}, ${channels}` : `${channels}, ${time}`;
}
