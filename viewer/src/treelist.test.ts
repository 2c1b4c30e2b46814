import { describe, expect, it } from "vitest";
import type { Child } from "./api";
import { childAt, layout, pageSize, rows, runAt, type Branch } from "./treelist";

const child = (name: string): Child => ({ name, path: "/" + name, node_type: "group", kind: "group", fact: "", more: true });
const branch = (count: number, pages: [number, string[]][]): Branch => ({ count, pages: new Map(pages.map(([p, l]) => [p, l.map(child)])), asked: new Set() });

describe("the rows of a tree", () => {
  const branches = new Map<string, Branch>([
    ["", branch(100000, [[0, ["a", "b", "c"]], [3, ["x", "y"]]])],
    ["/b", branch(2, [[0, ["b1", "b2"]]])],
    ["/y", branch(1, [])],
  ]);
  const runs = layout("", branches, (c) => c.path);

  it("are counted without a list of them", () => {
    expect(rows(runs)).toBe(100003);
    expect(runs.length).toBe(5);
  });
  it("are found by number", () => {
    const at = (row: number) => {
      const r = runAt(runs, row)!;
      return [r.depth, r.from + row - r.row, childAt(branches.get(r.branch)!, r.from + row - r.row)?.name];
    };
    expect(at(0)).toEqual([0, 0, "a"]);
    expect(at(1)).toEqual([0, 1, "b"]);
    expect(at(2)).toEqual([1, 0, "b1"]);
    expect(at(4)).toEqual([0, 2, "c"]);
    expect(at(3 * pageSize + 3)).toEqual([0, 3 * pageSize + 1, "y"]);
    expect(at(3 * pageSize + 4)).toEqual([1, 0, undefined]);
    expect(at(100002)).toEqual([0, 99999, undefined]);
    expect(runAt(runs, 100003)).toBeUndefined();
    expect(runAt([], 0)).toBeUndefined();
  });
});
