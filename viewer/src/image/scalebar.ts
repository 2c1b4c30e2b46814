// A bar of a round length: 1, 2 or 5 times a power of ten, in the unit that reads best.

import { niceStep } from "../series/ticks";

const metres: [string, number][] = [
  ["km", 1e3],
  ["m", 1],
  ["mm", 1e-3],
  ["µm", 1e-6],
  ["nm", 1e-9],
  ["pm", 1e-12],
];
const size: Record<string, number> = { cm: 1e-2, "Å": 1e-10 };

/** inMetres is a length of one of the units that are known. */
export function inMetres(unit: string): number | undefined {
  return metres.find(([u]) => u === unit)?.[1] ?? size[unit];
}

/** The largest of 1, 2, 5 × 10ⁿ that is not above value. */
export function round125(value: number): number {
  return value > 0 && Number.isFinite(value) ? Number((1 / niceStep(1 / value, 1)).toPrecision(1)) : 0; // one over 1, 2, 5 are such, too
}

/** A length in the unit that reads best: 0.00325 mm as 3.25 µm. */
export function length(value: number, unit: string, digits = 4): string {
  const m = inMetres(unit);
  if (m === undefined || value === 0) return `${short(value, digits)} ${unit}`;
  const si = Math.abs(value) * m;
  const pick = metres.find(([, size]) => si >= size * (1 - 1e-9)) ?? metres.at(-1)!;
  return `${short((value * m) / pick[1], digits)} ${pick[0]}`;
}

function short(v: number, digits: number): string {
  const text = Math.abs(v) >= 1e6 || (v !== 0 && Math.abs(v) < 1e-4) ? v.toExponential(Math.min(2, digits - 1)) : String(Number(v.toPrecision(digits)));
  return text.replace("-", "−");
}

/** A bar at most `most` screen pixels long, where one screen pixel is `perPixel` of `unit`. */
export function scaleBar(perPixel: number, unit: string, most: number): { pixels: number; text: string } {
  const value = round125(perPixel * most);
  if (value === 0) return { pixels: 0, text: "" };
  return { pixels: value / perPixel, text: length(value, unit || "px", 3) };
}
