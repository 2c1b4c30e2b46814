// An element of an array as text, by its type.
import { value } from "../format";

export const isComplex = (type: string) => type.startsWith("complex");
export const isNumeric = (type: string) => /^(u?int|float|bfloat|bool|complex)/.test(type);

/** A number as grids have it: an integer whole, a fraction by six digits. */
export function numberText(n: number | bigint, digits = 6): string {
  return typeof n === "bigint" || Number.isInteger(n) ? String(n).replace("-", "−") : value(n, digits);
}

/** The text of an element as JSON has it: complex is a pair, structs are objects, non-finite numbers are words. */
export function elementText(v: unknown, type: string, digits = 6): string {
  if (v === null || v === undefined) return "–";
  if (typeof v === "number" || typeof v === "bigint") return numberText(v, digits);
  if (typeof v !== "object") return String(v);
  if (Array.isArray(v)) {
    if (isComplex(type) && v.length === 2) {
      const [re, im] = v.map((p) => elementText(p, "float64", digits)) as [string, string];
      return `${re} ${im.startsWith("−") ? "− " + im.slice(1) : "+ " + im}i`;
    }
    return "(" + v.map((x) => elementText(x, "", digits)).join(", ") + ")";
  }
  return Object.entries(v as object).map(([k, x]) => `${k} ${elementText(x, "", digits)}`).join(", ");
}

/** How wide a column of such elements is, in pixels. */
export function elementWidth(type: string): number {
  if (isComplex(type)) return 190;
  const integer = /^u?int(\d+)$/.exec(type);
  if (integer) return { 8: 56, 16: 68, 32: 100 }[integer[1]!] ?? 170;
  if (type.startsWith("bool")) return 60;
  return isNumeric(type) ? 104 : 240;
}
