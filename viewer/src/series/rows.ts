// Which of many rows (channels, units) are on screen.

export interface Shown { first: number; count: number }

/** Reads "16:48", or "5" for one alone; anything else shows the usual number from the first. */
export function parseShown(text: string | undefined, total: number, usual: number): Shown {
  const m = /^(\d+)(?::(\d+))?$/.exec(text ?? "");
  if (!m) return { first: 0, count: Math.max(1, Math.min(total, usual)) };
  const first = Math.min(Number(m[1]), Math.max(0, total - 1));
  const end = m[2] === undefined ? first + 1 : Math.min(total, Number(m[2]));
  return { first, count: Math.max(1, end - first) };
}

export function shownText(s: Shown): string {
  return s.count === 1 ? String(s.first) : `${s.first}:${s.first + s.count}`;
}

/** Kept inside of what there is. */
export function inside(s: Shown, total: number): Shown {
  const count = Math.max(1, Math.min(total, Math.round(s.count)));
  return { first: Math.max(0, Math.min(total - count, Math.round(s.first))), count };
}

/** More or fewer rows, about the same middle: by halves, so that the way back leads through the same. */
export function spread(s: Shown, total: number, factor: number): Shown {
  const count = Math.max(1, Math.min(total, factor > 1 ? Math.max(s.count + 1, Math.round(s.count * factor)) : Math.floor(s.count * factor)));
  return inside({ first: Math.round(s.first + (s.count - count) / 2), count }, total);
}
