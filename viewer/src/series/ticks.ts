// Where the lines of an axis stand and what they say, for values, seconds and dates.

import { stepped } from "./units";

export interface Tick { at: number; label: string; major?: boolean }

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

const second = 1, minute = 60, hour = 3600, day = 86400;
const steps = [
  1e-6, 2e-6, 5e-6, 1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5,
  second, 2, 5, 10, 15, 30, minute, 2 * minute, 5 * minute, 10 * minute, 15 * minute, 30 * minute,
  hour, 2 * hour, 3 * hour, 6 * hour, 12 * hour, day, 2 * day, 5 * day, 10 * day,
];
const months = [1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200];

/** A moment that is second 0 of a recording, as its place's clock shows it. */
export interface Zero { ms: number; fraction: number; offset: number /* minutes east */; zone: string }

/** Reads an ISO date; null when it is none. The zone it is written in is kept: clocks show what they showed. */
export function parseZero(text: string | undefined): Zero | null {
  if (!text) return null;
  const ms = Date.parse(/\d{2}:\d{2}/.test(text) && !/(Z|[+-]\d{2}:?\d{2})$/i.test(text) ? text + "Z" : text);
  if (Number.isNaN(ms)) return null;
  const zone = /([+-])(\d{2}):?(\d{2})$/.exec(text);
  const offset = zone && text.includes("T") ? (zone[1] === "-" ? -1 : 1) * (Number(zone[2]) * 60 + Number(zone[3])) : 0;
  const digits = /:\d{2}\.(\d+)/.exec(text)?.[1] ?? "";
  const fraction = digits.length > 3 ? Number("0.000" + digits.slice(3)) : 0;
  return { ms, fraction, offset, zone: zone && text.includes("T") ? `${zone[1]}${zone[2]}:${zone[3]}` : "UTC" };
}

const two = (n: number) => String(n).padStart(2, "0");

/** Whole seconds since 1970 on the clock of the recording's place, and the rest. */
function clock(zero: Zero, at: number): { date: Date; fraction: number; day: number } {
  const base = zero.ms / 1000 + zero.offset * 60;
  const seconds = Math.floor(base);
  let rest = base - seconds + zero.fraction + at;
  const whole = Math.floor(rest + 1e-9);
  rest = Math.max(0, rest - whole);
  return { date: new Date((seconds + whole) * 1000), fraction: rest, day: Math.floor((seconds + whole) / day) };
}

/** A moment as text, as exact as step asks for. */
export function dateText(zero: Zero, at: number, step: number): string {
  const { date, fraction } = clock(zero, at);
  const ymd = `${date.getUTCFullYear()}-${two(date.getUTCMonth() + 1)}-${two(date.getUTCDate())}`;
  if (step >= day) return ymd;
  return `${ymd} ${timeText(date, fraction, step)}`;
}

function timeText(date: Date, fraction: number, step: number): string {
  const hm = `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}`;
  if (step >= minute) return hm;
  const decimals = Math.min(6, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
  const part = Math.floor(fraction * 10 ** decimals + 1e-6) / 10 ** decimals;
  const seconds = date.getUTCSeconds() + (decimals ? Math.min(part, 1 - 10 ** -decimals) : 0);
  return `${hm}:${seconds.toFixed(decimals).padStart(decimals ? 3 + decimals : 2, "0")}`;
}

/** Ticks of dates: clock times, with the date where a day begins and at the first tick. */
export function dateTicks(from: number, to: number, zero: Zero, count: number): Tick[] {
  const raw = (to - from) / Math.max(1, count);
  if (raw > 10 * day) return monthTicks(from, to, zero, raw);
  const step = steps.find((s) => s >= raw * 0.999999) ?? 10 * day;
  // Steps are counted from the midnight before the window, on the local clock.
  const midnight = from - ((zero.ms / 1000 + zero.offset * 60 + zero.fraction + from) % day);
  const ticks: Tick[] = [];
  let last = NaN;
  for (let i = Math.ceil((from - midnight) / step - 1e-6); ticks.length < 1000; i++) {
    const at = midnight + i * step;
    if (at > to + step * 1e-6) break;
    const now = clock(zero, at + Math.min(step, 1) * 1e-4);
    const date = dateText(zero, at + Math.min(step, 1) * 1e-4, day);
    const fresh = now.day !== last;
    last = now.day;
    const label = step >= day ? date : timeText(now.date, now.fraction, step);
    ticks.push({ at, label: step < day && fresh ? `${date} ${label}` : label, major: fresh });
  }
  return ticks;
}

function monthTicks(from: number, to: number, zero: Zero, raw: number): Tick[] {
  const wanted = raw / (30.4 * day);
  const step = months.find((m) => m >= wanted * 0.999) ?? 1200;
  const base = zero.ms / 1000 + zero.offset * 60 + zero.fraction;
  const begin = new Date((base + from) * 1000);
  const ticks: Tick[] = [];
  let month = Math.floor((begin.getUTCFullYear() * 12 + begin.getUTCMonth()) / step) * step;
  for (; ticks.length < 1000; month += step) {
    const year = Math.floor(month / 12);
    const at = Date.UTC(year, month - year * 12, 1) / 1000 - base;
    if (at > to) break;
    if (at < from) continue;
    ticks.push({ at, label: step >= 12 ? String(year) : `${year}-${two(month - year * 12 + 1)}`, major: month % 12 === 0 });
  }
  return ticks;
}
