import { expect, test } from "vitest";
import { scaled, stepped, symbol, withUnit } from "./units";

test("units have the prefix that fits", () => {
  expect(withUnit(1.18e-4, "volts")).toBe("118\u00a0µV");
  expect(withUnit(-0.0021, "V")).toBe("−2.1\u00a0mV");
  expect(withUnit(12.5, "cm/s")).toBe("12.5\u00a0cm/s");
  expect(withUnit(0, "volts")).toBe("0\u00a0V");
  expect(withUnit(NaN, "volts")).toBe("NaN");
});
test("words for no unit are no unit", () => {
  expect([symbol("n/a"), symbol("unknown"), symbol(undefined), symbol("Volts")]).toEqual(["", "", "", "V"]);
});
test("0.001 is a milli, not 1000 micro", () => {
  expect(scaled(0.001, "volts")).toEqual({ factor: 1000, unit: "mV" });
});
test("steps", () => {
  expect([stepped(-0.0000001, 0.1), stepped(1234.5, 0.5), stepped(-2, 1)]).toEqual(["0.0", "1\u202f234.5", "−2"]);
});
