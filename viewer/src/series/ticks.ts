// Where the lines of an axis stand and what they say, for values, seconds and dates.

import { stepped } from "./units";

export interface Tick { at: number; label: string }

/** The 1-2-5 step of which about count fit into span. */
export function niceStep(span: number, count: number): number {
  const raw = span / Math.max(1, count);
  if (!(raw > 0) || !Number.isFinite(raw)) return 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  const part = raw / power;
  return (part <= 1.0000001 ? 1 : part <= 2.0000001 ? 2 : part <= 5.0000001 ? 5 : 10) * power;
}

/** Ticks of plain numbers, at most about count. */
export function valueTicks(from: number, to: number, count: number): Tick[] {
  const step = niceStep(to - from, count);
  const ticks: Tick[] = [];
  for (let i = Math.ceil(from / step - 1e-9); i * step <= to + step * 1e-9 && ticks.length < 1000; i++) {
    ticks.push({ at: i * step, label: stepped(i * step, step) });
  }
  return ticks;
}

const minute = 60, hour = 3600, day = 86400;
const clock = [1, 2, 5, 10, 15, 30], steps = [...clock, ...clock.map((n) => n * minute), ...[1, 2, 3, 6, 12, 24, 48, 120, 240].map((n) => n * hour)];
const months = [1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200];

/** A moment that is second 0 of a recording, in seconds of its place's clock since 1970. */
export type Zero = number;

/** Reads an ISO date; null when it is none. The zone it is written in is kept: clocks show what they showed. */
export function parseZero(text: string | undefined): Zero | null {
  const m = /^(.*?)(Z|[+-]\d\d:?\d\d)?$/.exec(text?.includes("T") ? text : (text ?? "") + "T00:00:00");
  const ms = Date.parse(m![1]!.slice(0, 23) + "Z");
  return Number.isNaN(ms) ? null : ms / 1000 + Number("0.000" + (/\.\d{3}(\d+)/.exec(m![1]!)?.[1] ?? "0"));
}

/** A moment as text, as exact as step asks for. */
export function dateText(zero: Zero, at: number, step: number): string {
  const t = zero + at + 1e-7, whole = Math.floor(t);
  const iso = new Date(whole * 1000).toISOString().replace("T", " ");
  if (step >= day) return iso.slice(0, 10);
  if (step >= minute) return iso.slice(0, 16);
  const decimals = Math.min(6, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
  return iso.slice(0, 19) + (decimals ? "." + String(Math.floor((t - whole) * 10 ** decimals)).padStart(decimals, "0") : "");
}

/** Ticks of dates: clock times, with the date where a day begins and at the first tick. */
export function dateTicks(from: number, to: number, zero: Zero, count: number): Tick[] {
  const raw = (to - from) / Math.max(1, count);
  if (raw > 10 * day) return monthTicks(from, to, zero, raw);
  const step = raw < 0.51 ? niceStep(raw * 0.999999, 1) : (steps.find((s) => s >= raw * 0.999999) ?? 10 * day);
  // Steps are counted from the midnight before the window, on the local clock.
  const midnight = Math.floor((zero + from) / day) * day - zero;
  const ticks: Tick[] = [];
  let last = "";
  for (let i = Math.ceil((from - midnight) / step - 1e-6); ticks.length < 1000; i++) {
    const at = midnight + i * step;
    if (at > to + step * 1e-6) break;
    const text = dateText(zero, at, step), date = text.slice(0, 10), fresh = date !== last;
    last = date;
    ticks.push({ at, label: fresh || step >= day ? text : text.slice(11) });
  }
  return ticks;
}

function monthTicks(from: number, to: number, zero: Zero, raw: number): Tick[] {
  const wanted = raw / (30.4 * day);
  const step = months.find((m) => m >= wanted * 0.999) ?? 1200;
  const begin = new Date((zero + from) * 1000);
  const ticks: Tick[] = [];
  let month = Math.floor((begin.getUTCFullYear() * 12 + begin.getUTCMonth()) / step) * step;
  for (; ticks.length < 1000; month += step) {
    const year = Math.floor(month / 12);
    const at = Date.UTC(year, month - year * 12, 1) / 1000 - zero;
    if (at > to) break;
    if (at < from) continue;
    ticks.push({ at, label: dateText(zero, at, day).slice(0, step >= 12 ? 4 : 7) });
  }
  return ticks;
}
