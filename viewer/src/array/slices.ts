// Which part of an array the grid shows: two axes as rows and columns, the others at one place each.

/** Which axis goes down, which goes across (-1: none), and where the others stand. */
export interface Layout { rows: number; columns: number; at: number[] }

/** The layout at the beginning: the last two axes, or what the address says ("rows,columns" and "0,3,5"). */
export function layout(shape: number[], axes?: string, at?: string): Layout {
  const n = shape.length;
  const given = (axes ?? "").split(",").map(Number);
  const valid = (i: number | undefined): i is number => i !== undefined && Number.isInteger(i) && i >= 0 && i < n;
  let rows = n >= 2 ? n - 2 : n - 1, columns = n >= 2 ? n - 1 : -1;
  if (n >= 2 && axes && valid(given[0]) && valid(given[1]) && given[0] !== given[1]) [rows, columns] = given as [number, number];
  const places = (at ?? "").split(",").map(Number);
  return { rows, columns, at: shape.map((size, i) => Math.max(0, Math.min(size - 1, Math.trunc(places[i] ?? 0) || 0))) };
}

/** The slice of a block of the grid, as cat and the server understand it. */
export function sliceText(l: Layout, n: number, rows: [number, number], columns: [number, number]): string {
  const parts: string[] = [];
  for (let i = 0; i < n; i++) parts.push(i === l.rows ? `${rows[0]}:${rows[1]}` : i === l.columns ? `${columns[0]}:${columns[1]}` : String(l.at[i] ?? 0));
  return parts.join(",");
}

/** The index of one element. */
export function indexOf(l: Layout, row: number, column: number): number[] {
  return l.at.map((at, i) => (i === l.rows ? row : i === l.columns ? column : at));
}

/** How far apart neighbours are along each axis, counted in elements, in C order. */
export function strides(shape: number[]): number[] {
  const out: number[] = new Array<number>(shape.length).fill(1);
  for (let i = shape.length - 2; i >= 0; i--) out[i] = out[i + 1]! * shape[i + 1]!;
  return out;
}

/**
 * The values of a block as rows of cells, whatever the server left of its dimensions. Axes come in the order of the array,
 * so that rows and columns may have to change places.
 */
export function cells(values: unknown, l: Layout, height: number, width: number): unknown[][] {
  const list = (v: unknown): unknown[] => (Array.isArray(v) ? v : [v]);
  if (l.columns < 0) return list(values).map((v) => [v]);
  const outer = list(values).map(list);
  if (l.rows < l.columns) return outer;
  return Array.from({ length: height }, (_, r) => Array.from({ length: width }, (_, c) => outer[c]?.[r]));
}
