import { expect, test } from "vitest";
import { clamp, margin, pan, rounded, zoom } from "./window";

const limits = { start: 0, end: 100, least: 0.01 };

test("zooming keeps the moment under the cursor where it is", () => {
  const w = zoom({ from: 20, to: 40 }, 25, 0.5, limits);
  expect(w).toEqual({ from: 22.5, to: 32.5 });
  expect((25 - w.from) / (w.to - w.from)).toBeCloseTo(0.25);
});
test("a window never leaves the data and never gets thinner than the least", () => {
  expect(zoom({ from: 0, to: 100 }, 10, 4, limits)).toEqual({ from: 0, to: 100 });
  const thin = zoom({ from: 50, to: 50.02 }, 50.01, 0.001, limits);
  expect(thin.to - thin.from).toBeCloseTo(0.01);
  expect(pan({ from: 90, to: 100 }, 50, limits)).toEqual({ from: 90, to: 100 });
  expect(pan({ from: 0, to: 10 }, -5, limits)).toEqual({ from: 0, to: 10 });
  expect(clamp({ from: -50, to: 500 }, limits)).toEqual({ from: 0, to: 100 });
});
test("a series of one moment still has a window", () => {
  expect(clamp({ from: 5, to: 5 }, { start: 5, end: 5, least: 0.1 })).toEqual({ from: 5, to: 5.1 });
});
test("a margin is asked for on both sides, inside the data", () => {
  expect(margin({ from: 10, to: 20 }, limits)).toEqual({ from: 5, to: 25 });
  expect(margin({ from: 0, to: 100 }, limits)).toEqual({ from: 0, to: 100 });
});
test("the address has as few digits as it can", () => {
  expect(rounded(12.3456789, 10)).toBe("12.346");
  expect(rounded(12.3456789, 0.001)).toBe("12.3456789");
  expect(rounded(3600, 3600)).toBe("3600");
});
