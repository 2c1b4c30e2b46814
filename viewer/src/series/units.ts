// Values with their units, in the prefix that fits: 1.18e-4 volts are 118 µV.
import { group, value } from "../format";

const symbols: Record<string, string> = {
  volt: "V", ampere: "A", amp: "A", second: "s", meter: "m", metre: "m", hertz: "Hz", watt: "W", ohm: "Ω", siemens: "S", farad: "F", tesla: "T", pascal: "Pa", celsius: "°C",
};
const prefixed = /^(V|A|s|Hz|W|Ω|S|F|T|Pa)$/;
const prefixes = ["G", "M", "k", "", "m", "µ", "n", "p"]; // of 10^9, 10^6 and so on

/** symbol of a unit that is written out; nothing for the words by which files say that there is none. */
export function symbol(unit: string | undefined): string {
  const text = (unit ?? "").trim();
  if (/^(n\/a|na|none|unknown|1|)$/i.test(text)) return "";
  const word = text.toLowerCase();
  return symbols[word] ?? symbols[word.replace(/s$/, "")] ?? text;
}

/** scaled says what values of about this size are multiplied with, and the unit that they then have. */
export function scaled(size: number, unit: string | undefined): { factor: number; unit: string } {
  const sign = symbol(unit);
  const a = Math.abs(size);
  if (!prefixed.test(sign) || !(a > 0 && a < Infinity)) return { factor: 1, unit: sign };
  const i = Math.max(0, Math.min(7, 3 - Math.floor(Math.log10(a * 1.0000001) / 3)));
  return { factor: Number(`1e${3 * i - 9}`), unit: prefixes[i] + sign };
}

/** withUnit writes a value with its unit. */
export function withUnit(v: number, unit: string | undefined, digits = 4): string {
  if (!Number.isFinite(v)) return value(v);
  const by = scaled(v, unit);
  return value(v * by.factor, digits) + (by.unit ? "\u00a0" + by.unit : "");
}

/** stepped writes a value on a scale whose lines are step apart: no more decimals than tell them apart. */
export function stepped(v: number, step: number): string {
  const a = Math.abs(v);
  if (a >= 1e9 || (step < 1e-6 && a < 1e-3 && a > step / 2)) return value(v, 4);
  const decimals = Math.min(9, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
  const [whole, fraction] = (a < step / 1e6 ? 0 : a).toFixed(decimals).split(".") as [string, string | undefined];
  return (v < -step / 1e6 ? "−" : "") + group(BigInt(whole)) + (fraction ? "." + fraction : "");
}
