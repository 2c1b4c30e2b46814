import { expect, test } from "vitest";
import { cells, indexOf, layout, sliceText, strides } from "./slices";

test("the last two axes are rows and columns", () => {
  expect(layout([3, 4, 5])).toEqual({ rows: 1, columns: 2, at: [0, 0, 0] });
  expect(layout([7])).toEqual({ rows: 0, columns: -1, at: [0] });
  expect(layout([])).toEqual({ rows: -1, columns: -1, at: [] });
});
test("the address says otherwise, unless it is wrong", () => {
  expect(layout([3, 4, 5], "2,0", "0,3,0")).toEqual({ rows: 2, columns: 0, at: [0, 3, 0] });
  expect(layout([3, 4, 5], "1,1", "9,99,-5")).toEqual({ rows: 1, columns: 2, at: [2, 3, 0] });
  expect(layout([3, 4, 5], "a,b", "x")).toEqual({ rows: 1, columns: 2, at: [0, 0, 0] });
});
test("slices and indices", () => {
  const l = layout([3, 4, 5], "2,0", "0,3,0");
  expect(sliceText(l, 3, [0, 5], [1, 3])).toBe("1:3,3,0:5");
  expect(indexOf(l, 4, 2)).toEqual([2, 3, 4]);
});
test("rows and columns in the other order are turned", () => {
  expect(cells([[1, 2], [3, 4], [5, 6]], layout([3, 2]), 3, 2)).toEqual([[1, 2], [3, 4], [5, 6]]);
  expect(cells([[1, 2], [3, 4], [5, 6]], layout([3, 2], "1,0"), 2, 3)).toEqual([[1, 3, 5], [2, 4, 6]]);
  expect(cells([1, 2, 3], layout([3]), 3, 1)).toEqual([[1], [2], [3]]);
});
test("strides", () => {
  expect(strides([3, 4, 5])).toEqual([20, 5, 1]);
  expect(strides([])).toEqual([]);
});
