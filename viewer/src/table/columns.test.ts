import { expect, test } from "vitest";
import { shownColumns, toggled } from "./columns";

const all = ["a", "b", "c"].map((name) => ({ name, type: "int32", sortable: true }));
const names = (p?: string) => shownColumns(all, p).map((c) => c.name).join("");

test("columns by the address, in the order of the table", () => {
  expect([names(), names("c,a"), names("nothing"), names("b,nothing")]).toEqual(["abc", "ac", "abc", "b"]);
});
test("a column is switched, the last one stays", () => {
  expect(toggled(all, undefined, "b")).toBe("a,c");
  expect(toggled(all, "a,c", "b")).toBeUndefined();
  expect(toggled(all, "a", "a")).toBe("a");
});
test("thousands of columns are not all shown at once", () => {
  const many = Array.from({ length: 3000 }, (_, i) => ({ name: "g" + i, type: "float32", sortable: true }));
  expect(shownColumns(many, undefined).length).toBe(40);
});
