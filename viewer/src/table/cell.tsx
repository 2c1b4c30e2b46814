// One cell of a table, by what it holds.
import type { Cell, Column } from "../api";
import { numberText } from "../array/value";
import { group, value } from "../format";
import { DataLink } from "../ui/link";
import type { Shown } from "./grid";

const numeric = /^(u?int|float|bfloat|complex)/;

/** Whether a column is right-aligned: its digits are compared. */
export const isNumber = (c: Column) => !c.ragged && !c.reference && numeric.test(c.type);

/** The whole of a cell as text: for titles, the clipboard, the bottom line. */
export function cellText(c: Cell): string {
  if (c === null || c === undefined) return "";
  if (typeof c !== "object") return String(c);
  if ("list" in c) return c.values.map(cellText).join(", ") + (c.list > c.values.length ? ", …" : "");
  if ("link" in c) return c.link.text;
  return c.time;
}

export function showCell(c: Cell | undefined, column: Column): Shown {
  if (c === null || c === undefined) return { content: "–", class: "none", title: "missing" };
  if (typeof c === "number" || typeof c === "bigint") return { content: numberText(c), class: "number", title: String(c) };
  if (typeof c === "boolean") return { content: String(c), class: c ? "" : "dim" };
  if (typeof c === "string") {
    if (isNumber(column)) return { content: c, class: "number none" }; // NaN, Infinity
    return { content: c, title: c || "empty text" };
  }
  if ("time" in c) return { content: c.time.replace("T", " ").replace(/(\.\d*?)0+(?=\D|$)/, "$1").replace(/\.(?=\D|$)/, ""), class: "mono-cell", title: c.time };
  if ("link" in c) return { content: <DataLink link={c.link} />, title: c.link.broken ?? `${c.link.path}${c.link.row === undefined ? "" : ", row " + c.link.row}` };
  if (c.list === 0) return { content: "empty", class: "number none" };
  return { content: <button type="button" tabIndex={-1} class="ragged">{group(c.list)}<span class="ragged-first">{c.values.slice(0, 3).map((v) => (typeof v === "number" ? value(v, 4) : cellText(v))).join(" · ")}</span></button>, title: `${group(c.list)} values, press to see them` };
}

/** How wide a column should be for what it holds. */
export function columnWidth(c: Column, cells: (Cell | undefined)[]): number {
  const head = Math.max(c.name.length * 7.3, ((c.unit ? c.unit.length + 3 : 0) + c.type.length) * 6.2) + 40;
  let longest = 0;
  for (const cell of cells) {
    const text = typeof cell === "number" ? numberText(cell) : cell !== null && typeof cell === "object" && "list" in cell ? "000 000 0.00 · 0.00" : cellText(cell ?? null);
    longest = Math.max(longest, text.length + (c.reference ? 2 : 0));
  }
  return Math.round(Math.max(64, Math.min(360, Math.max(Math.min(head, 220), longest * 7.4 + 24))));
}
