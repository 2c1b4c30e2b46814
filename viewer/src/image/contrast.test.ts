import { expect, test } from "vitest";
import { autoWindow, histogramPath, histogramRange, sampleWindow, usable } from "./contrast";

test("auto contrast by percentiles, by all values where these fall together", () => {
  expect(autoWindow({ min: 0, max: 9, percentiles: { "0.1": 1, "99.9": 8 } })).toEqual([1, 8]);
  expect(autoWindow({ min: 0, max: 9, percentiles: { "0.1": 0, "99.9": 0 } })).toEqual([0, 9]);
  expect(autoWindow({ min: 7, max: 7, percentiles: { "0.1": 7, "99.9": 7 } })).toEqual([6.5, 7.5]);
  expect(autoWindow({ min: null, max: null, percentiles: {} })).toBeNull();
});

test("a window from a tile, NaN left out", () => {
  const data = new Float32Array(10000).map((_, i) => (i % 7 === 0 ? NaN : i % 1000));
  const [lo, hi] = sampleWindow(data)!;
  expect(lo).toBeLessThan(30);
  expect(hi).toBeGreaterThan(970);
  expect(sampleWindow(new Float32Array(5).fill(NaN))).toBeNull();
  expect(sampleWindow(new Uint8Array(5).fill(9))).toEqual([8.5, 9.5]);
});

test("windows that can be divided by", () => {
  expect(usable(3, 3)).toEqual([2.5, 3.5]);
  expect(usable(5, 2)).toEqual([2, 5]);
  expect(usable(NaN, 2)).toEqual([0, 1]);
});

test("one bin of background does not press the histogram flat", () => {
  const counts = new Array(256).fill(10);
  counts[0] = 1e6;
  for (const log of [false, true]) {
    const ys = [...histogramPath({ from: 0, to: 1, counts }, 0, 1, log).matchAll(/L[\d.]+ ([\d.]+)/g)].map((m) => Number(m[1]));
    expect(ys[0]).toBe(6);
    expect(ys[10]).toBe(6);
  }
  expect(histogramPath({ from: 0, to: 1, counts: new Array(256).fill(0) }, 0, 1, true)).toBe("");
  expect(histogramPath({ from: 5, to: 5, counts: [9, ...new Array(255).fill(0)] }, 4, 6, false)).toMatch(/^M128 100L128 6/);
});

test("a histogram shows what is near the usual window, and what was chosen", () => {
  const h = { from: 0, to: 65535, counts: [] };
  expect(histogramRange(h, [100, 1100], [100, 1100])).toEqual([0, 1500]);
  expect(histogramRange(h, [100, 1100], [-50, 40000])).toEqual([-50, 40000]);
  expect(histogramRange({ ...h, to: 900 }, [100, 1100], [100, 1100])).toEqual([0, 1100]);
});
