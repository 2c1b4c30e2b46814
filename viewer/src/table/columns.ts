// Which columns of a table are shown.
import type { Column } from "../api";

const usual = 40; // no more at first: a table of thousands of genes is not read across

/** The columns that the address names ("a,b"), else the first ones. */
export function shownColumns(all: Column[], param: string | undefined): Column[] {
  if (param !== undefined) {
    const names = param.split(",");
    const found = all.filter((c) => names.includes(c.name));
    if (found.length) return found;
  }
  return all.slice(0, usual);
}

/** What the address says after a column was switched; nothing when the first ones are shown, as without it. */
export function toggled(all: Column[], param: string | undefined, name: string): string | undefined {
  const on = shownColumns(all, param).map((c) => c.name);
  const next = all.map((c) => c.name).filter((n) => on.includes(n) !== (n === name));
  if (next.length === 0) return param; // one stays
  const first = shownColumns(all, undefined).map((c) => c.name);
  return next.join() === first.join() ? undefined : next.join();
}
