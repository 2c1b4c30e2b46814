import { expect, test } from "vitest";
import { elementText, elementWidth, isNumeric } from "./value";

test("elements of every type", () => {
  expect(elementText(-3, "int8")).toBe("−3");
  expect(elementText(0.123456789, "float64")).toBe("0.123457");
  expect(elementText("NaN", "float32")).toBe("NaN");
  expect(elementText([1.5, -2], "complex64")).toBe("1.5 − 2i");
  expect(elementText([0, "NaN"], "complex64")).toBe("0 + NaNi");
  expect(elementText({ x: 1, name: "a" }, "struct")).toBe("x 1, name a");
  expect(elementText([1, "a"], "struct")).toBe("(1, a)");
  expect(elementText(null, "float32")).toBe("–");
  expect(elementText(18446744073709551615n, "uint64")).toBe("18446744073709551615");
});
test("what has room for digits", () => {
  expect([isNumeric("bool"), isNumeric("string"), isNumeric("complex128"), isNumeric("numpy.datetime64")]).toEqual([true, false, true, false]);
  expect(elementWidth("uint64")).toBeGreaterThan(elementWidth("uint8"));
});
