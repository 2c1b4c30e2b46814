import { expect, test } from "vitest";
import { length, round125, scaleBar } from "./scalebar";

test("1, 2, 5 and nothing between", () => {
  const pairs: [number, number][] = [[1, 1], [1.99, 1], [2, 2], [4.9, 2], [5, 5], [9.99, 5], [10, 10], [0.0007, 0.0005], [123456, 100000], [0, 0], [NaN, 0], [-3, 0]];
  for (const [value, want] of pairs) {
    expect(round125(value)).toBeCloseTo(want, 12);
  }
});

test("lengths in the unit that reads best", () => {
  expect(length(0.00325, "mm")).toBe("3.25 µm");
  expect(length(1500, "µm")).toBe("1.5 mm");
  expect(length(2500, "m")).toBe("2.5 km");
  expect(length(1, "m")).toBe("1 m");
  expect(length(5, "Å")).toBe("500 pm");
  expect(length(12, "px")).toBe("12 px");
  expect(length(3, "furlong")).toBe("3 furlong");
});

test("the bar fits, is round, and says its unit", () => {
  expect(scaleBar(0.325 / 0.5, "µm", 130)).toEqual({ pixels: 50 / 0.65, text: "50 µm" });
  for (let z = 0.01; z < 50; z *= 1.37) {
    const bar = scaleBar(0.325 / z, "µm", 130);
    expect(bar.pixels).toBeLessThanOrEqual(130.001);
    expect(bar.pixels).toBeGreaterThan(51);
    expect(bar.text).toMatch(/^[125]0{0,2} (nm|µm|mm)$/);
  }
  expect(scaleBar(2, "", 130).text).toBe("200 px");
});
