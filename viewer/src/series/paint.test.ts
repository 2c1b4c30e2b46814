import { expect, test } from "vitest";
import { rgb, span, trace } from "./paint";

const pixels = (width: number, height: number) => ({ data: new Uint32Array(width * height), width, height });
const alphas = (p: ReturnType<typeof pixels>, x: number) => Array.from({ length: p.height }, (_, y) => p.data[y * p.width + x]! >>> 24);

test("colours in the order of the memory", () => {
  expect(rgb("#5cc8ff")).toBe(0xffc85c);
  expect(rgb("#fff")).toBe(0xffffff);
});
test("a span has soft ends and is never thinner than a pixel", () => {
  const p = pixels(1, 6);
  span(p, 0, 1.5, 4, 0, 0, 6);
  expect(alphas(p, 0)).toEqual([0, 128, 255, 255, 0, 0]);
  const thin = pixels(1, 4);
  span(thin, 0, 2.5, 2.5, 0, 0, 4);
  expect(alphas(thin, 0)).toEqual([0, 0, 255, 0]);
});
test("nothing is drawn outside of the row or of the canvas", () => {
  const p = pixels(1, 4);
  span(p, 0, -50, 50, 0, 1, 3);
  expect(alphas(p, 0)).toEqual([0, 255, 255, 0]);
  span(p, 0, 10, 20, 0, 0, 4);
  expect(alphas(p, 0)).toEqual([0, 255, 255, 0]);
});
test("neighbours are joined, gaps are not", () => {
  const p = pixels(4, 10);
  // 8 at the top, 2 below, then nothing, then 5
  trace(p, new Float32Array([8, 8, 2, 2, NaN, NaN, 5, 5]), 0, 4, 10, 0, 1, 0);
  expect(alphas(p, 1).slice(2, 8).every((a) => a > 0)).toBe(true);
  expect(alphas(p, 2).every((a) => a === 0)).toBe(true);
  expect(alphas(p, 3).filter((a) => a > 0).length).toBeLessThanOrEqual(2);
});
