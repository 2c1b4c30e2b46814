// Which row of the tree is which node, without a list of all of them: a branch is a count
// and the pages of it that were looked at, an open tree a few runs of rows.
import type { Child } from "./api";
import { first } from "./first";

export const pageSize = 200;

export type Branch = {
  /** children, as far as known: where the server does not count them, those that were seen and one for more */
  count: number;
  pages: Map<number, Child[]>;
  asked: Set<number>;
  error?: string;
};

export type Run = { branch: string; depth: number; from: number; count: number; row: number };

/** childAt is the child with a number, undefined until its page is there. */
export function childAt(b: Branch, i: number): Child | undefined {
  return b.pages.get(Math.floor(i / pageSize))?.[i % pageSize];
}

/**
 * layout lists the runs of rows below a branch: children that stand together, interrupted where
 * one of them is open. `open` tells the key of a child's branch if it is, else "".
 */
export function layout(root: string, branches: ReadonlyMap<string, Branch>, open: (c: Child, of: string) => string, depth = 0, runs: Run[] = [], row = { n: 0 }): Run[] {
  const b = branches.get(root);
  if (!b) return runs;
  let from = 0;
  const close = (to: number) => {
    if (to <= from) return;
    runs.push({ branch: root, depth, from, count: to - from, row: row.n });
    row.n += to - from;
    from = to;
  };
  for (const page of [...b.pages.keys()].sort((x, y) => x - y)) {
    b.pages.get(page)!.forEach((c, k) => {
      const key = open(c, root);
      if (!key || !branches.has(key)) return;
      close(page * pageSize + k + 1);
      if (depth < 64) layout(key, branches, open, depth + 1, runs, row);
    });
  }
  close(b.count);
  return runs;
}

/** rows is how many rows the runs have. */
export function rows(runs: Run[]): number {
  const last = runs[runs.length - 1];
  return last ? last.row + last.count : 0;
}

/** runAt finds the run of a row. */
export function runAt(runs: Run[], row: number): Run | undefined {
  const r = runs[first(runs.length, (i) => runs[i]!.row > row) - 1];
  return r && row < r.row + r.count ? r : undefined;
}
