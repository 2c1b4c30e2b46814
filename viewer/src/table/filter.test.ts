import { expect, test } from "vitest";
import { nextSort, parseFilter, parseSort, sortText } from "./filter";

const columns = ["id", "rate", "Quality", "max value"].map((name) => ({ name, type: "float64", sortable: true }));

test("what is typed becomes what the server understands", () => {
  expect(parseFilter("rate > 5, quality ~ good", columns).text).toBe("rate>5,Quality~good");
  expect(parseFilter("rate>=5", columns).terms).toEqual([{ column: "rate", op: ">=", value: "5" }]);
  expect(parseFilter("max value != 3", columns).text).toBe("max value!=3");
  expect(parseFilter("rate == -1e-3", columns).text).toBe("rate=-1e-3");
  expect(parseFilter("", columns)).toEqual({ terms: [], text: "" });
});
test("what is not finished is said", () => {
  expect(parseFilter("rate", columns).problem).toContain("> <");
  expect(parseFilter("depth > 3", columns).problem).toBe("there is no column depth");
  expect(parseFilter("rate >", columns).problem).toBe("rate > what?");
  expect(parseFilter("> 3", columns).problem).toContain("name of a column");
});
test("a header goes through up, down and as stored", () => {
  let s = nextSort(null, "rate");
  expect(sortText(s)).toBe("rate");
  s = nextSort(s, "rate");
  expect(sortText(s)).toBe("-rate");
  expect(nextSort(s, "rate")).toBeNull();
  expect(nextSort(s, "id")).toEqual({ column: "id", down: false });
  expect(parseSort("-rate", columns)).toEqual({ column: "rate", down: true });
  expect(parseSort("nothing", columns)).toBeNull();
});
