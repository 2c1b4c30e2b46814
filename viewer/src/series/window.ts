// The part of time that is on screen: zoomed at the cursor, moved, never outside of the data, never thinner than a few samples.

export interface Span { from: number; to: number }
export interface Limits { start: number; end: number; least: number /* seconds the window cannot go below */ }

/** The window kept inside the limits; its length is kept where it can be. */
export function clamp(w: Span, l: Limits): Span {
  const whole = Math.max(l.end - l.start, l.least);
  const span = Math.min(whole, Math.max(l.least, w.to - w.from));
  const from = Math.min(Math.max(w.from + (w.to - w.from - span) / 2, l.start), l.start + whole - span);
  return { from, to: from + span };
}

/** Zoomed by factor (above 1 shows more) so that at stays where it is. */
export function zoom(w: Span, at: number, factor: number, l: Limits): Span {
  const whole = Math.max(l.end - l.start, l.least);
  const span = Math.min(whole, Math.max(l.least, (w.to - w.from) * factor));
  const share = (at - w.from) / (w.to - w.from);
  return clamp({ from: at - share * span, to: at + (1 - share) * span }, l);
}

/** Moved by seconds. */
export function pan(w: Span, by: number, l: Limits): Span {
  return clamp({ from: w.from + by, to: w.to + by }, l);
}

/** What to ask for so that a little panning finds data there already: the window and half of it on both sides. */
export function margin(w: Span, l: Limits, share = 0.5): Span {
  const more = (w.to - w.from) * share;
  return { from: Math.max(l.start, w.from - more), to: Math.min(l.end, w.to + more) };
}

/** Seconds as the address holds them: as few digits as tell the pixels apart. */
export function rounded(t: number, span: number): string {
  const decimals = Math.min(9, Math.max(0, 4 - Math.floor(Math.log10(span))));
  return String(Number(t.toFixed(decimals)));
}
