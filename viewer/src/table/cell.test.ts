import { expect, test, vi } from "vitest";

vi.stubGlobal("location", { pathname: "/", search: "", origin: "http://x" });
vi.stubGlobal("addEventListener", () => {});
vi.stubGlobal("matchMedia", () => ({ matches: false, addEventListener() {} }));
const { cellText, columnWidth, isNumber, showCell } = await import("./cell");
const { numberText } = await import("../array/value");

const column = (p: object) => ({ name: "a", type: "float64", sortable: true, ...p });

test("what a cell says", () => {
  expect(showCell(null, column({})).content).toBe("–");
  expect(showCell(0.1234567890123, column({})).content).toBe("0.123457");
  expect(showCell(0.1234567890123, column({})).title).toBe("0.1234567890123");
  expect(showCell("NaN", column({})).class).toContain("none");
  expect(showCell(9007199254740993n, column({ type: "int64" })).content).toBe("9007199254740993");
  expect(showCell({ time: "2025-06-30T14:05:12.500000" }, column({ type: "datetime" })).content).toBe("2025-06-30 14:05:12.5");
  expect(showCell({ time: "2025-06-30T00:00:00.000" }, column({ type: "datetime" })).content).toBe("2025-06-30 00:00:00");
  expect(numberText(-12345)).toBe("−12345");
});
test("whole cells as text", () => {
  expect(cellText({ list: 9, values: [1, 2] })).toBe("1, 2, …");
  expect(cellText({ link: { source: "a", path: "/b", text: "b" } })).toBe("b");
});
test("numbers are columns of digits, lists and links are not", () => {
  expect([isNumber(column({})), isNumber(column({ ragged: true })), isNumber(column({ type: "string" })), isNumber(column({ type: "uint8" }))]).toEqual([true, false, false, true]);
});
test("a column is as wide as what it holds, within reason", () => {
  expect(columnWidth(column({}), [1, 2])).toBeLessThan(120);
  expect(columnWidth(column({ type: "string" }), ["x".repeat(500)])).toBe(360);
});
