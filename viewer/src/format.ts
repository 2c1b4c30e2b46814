// Numbers and sizes in words, the same everywhere. Thousands are parted by a thin space.

const thin = "\u202f";

/** group parts the digits of an integer in threes, from 1 000 on. */
export function group(n: number | bigint): string {
  return String(n).replace(/\B(?=(\d{3})+(?!\d))/g, thin);
}

/** value writes a number as it is read: all of an integer, six digits of a fraction. */
export function value(v: number | bigint, digits = 6): string {
  if (typeof v === "bigint") return group(v);
  if (!Number.isFinite(v)) return Number.isNaN(v) ? "NaN" : v < 0 ? "−∞" : "∞";
  if (Number.isInteger(v) && Math.abs(v) < 1e15) return sign(group(Math.abs(v)), v);
  const a = Math.abs(v);
  if (a >= 1e9 || a < 1e-4) return sign(a.toExponential(digits - 1).replace(/\.?0+e/, "e").replace("e+", "e"), v);
  const text = String(Number(a.toPrecision(digits)));
  const [whole, fraction] = text.split(".") as [string, string | undefined];
  return sign(group(Number(whole)) + (fraction ? "." + fraction : ""), v);
}
const sign = (text: string, v: number) => (v < 0 ? "−" + text : text);

const units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"];

/** bytes writes a size with two or three digits: 611 GB, 1.9 TB. */
export function bytes(n: number | bigint): string {
  let v = Number(n);
  let i = 0;
  while (v >= 999.5 && i < units.length - 1) {
    v /= 1000;
    i++;
  }
  return (i > 0 && v < 9.95 ? v.toFixed(1).replace(/\.0$/, "") : String(Math.round(v))) + " " + units[i];
}

/** count is bytes without a unit: 214, 30 k, 1.2 M. */
export function count(n: number): string {
  return n < 10000 ? group(n) : bytes(n).replace(/\s?B$/, "").replace(/ ([kMGTPE])B?$/, thin + "$1");
}

/** duration in the unit that fits: 41 ms, 3.2 s, 5 min 20 s, 2 h 5 min. */
export function duration(seconds: number): string {
  const a = Math.abs(seconds);
  if (a === 0) return "0 s";
  if (a < 1e-3) return value(seconds * 1e6, 3) + " µs";
  if (a < 1) return value(seconds * 1e3, 3) + " ms";
  if (a < 60) return value(seconds, 3) + " s";
  const s = Math.round(a);
  const sgn = seconds < 0 ? "−" : "";
  if (s < 3600) return sgn + Math.floor(s / 60) + " min" + (s % 60 ? ` ${s % 60} s` : "");
  const m = Math.round(s / 60);
  return sgn + group(Math.floor(m / 60)) + " h" + (m % 60 ? ` ${m % 60} min` : "");
}

/** shape of an array: 3 × 412 × 580, or with names t 60 · c 3 · y 9 216. */
export function shape(sizes: number[], names?: (string | null)[]): string {
  if (!sizes.length) return "a single value";
  if (names?.some(Boolean)) return sizes.map((s, i) => (names[i] ? names[i] + "\u00a0" : "") + group(s)).join(" · ");
  return sizes.map((s) => group(s)).join(" × ");
}
