import { expect, test } from "vitest";
import { chooseLevel, grids, levelIndex, tileSide, touched } from "./pyramid";

const levels = [0, 1, 2, 3].map((i) => ({
  shape: [3, 9217 >> i, 12288 >> i],
  chunks: [1, 512, 512],
  scale: [1, 2 ** i, 2 ** i],
}));

test("tiles are whole chunks near 512, and nest", () => {
  expect(tileSide(512)).toBe(512);
  expect(tileSide(100)).toBe(500);
  expect(tileSide(1)).toBe(512); // rows as chunks
  expect(tileSide(1024)).toBe(512);
  expect(tileSide(10000)).toBeLessThanOrEqual(768);
  const g = grids([
    { shape: [5000, 5000], chunks: [100, 1000], scale: [1, 1] },
    { shape: [2500, 2500], chunks: [64, 64], scale: [2, 2] },
    { shape: [625, 600], chunks: [64, 64], scale: [8, 8] },
    { shape: [1, 0], chunks: [1, 1], scale: [5000, 5000] },
  ], 1, 0);
  expect(g.map((l) => [l.tileX, l.tileY, l.across, l.down])).toEqual([
    [500, 500, 10, 10],
    [500, 500, 5, 5],
    [600, 625, 1, 1],
    [1, 1, 0, 1],
  ]);
});

test("the level's pixels take about a screen pixel", () => {
  const g = grids(levels, 2, 1);
  expect(chooseLevel(g, 8)).toBe(0);
  expect(chooseLevel(g, 1)).toBe(0);
  expect(chooseLevel(g, 0.5)).toBe(1);
  expect(chooseLevel(g, 0.01)).toBe(3);
  for (let zoom = 4; zoom > 0.13; zoom *= 0.9) {
    const texel = zoom * g[chooseLevel(g, zoom)]!.scaleX;
    expect(texel).toBeGreaterThan(0.7);
  }
});

test("tiles touched by a rectangle, cut to the picture", () => {
  const g = grids(levels, 2, 1);
  const out = new Int32Array(4);
  expect(Array.from(touched(g[0]!, new Float64Array([0, 0, 512, 513]), out))).toEqual([0, 0, 1, 2]);
  expect(Array.from(touched(g[1]!, new Float64Array([1100, 0, 2050, 512]), out))).toEqual([1, 0, 3, 1]);
  expect(Array.from(touched(g[0]!, new Float64Array([-50, -50, 1e6, 1e6]), out))).toEqual([0, 0, 24, 19]);
});

test("an index on the levels of a stack", () => {
  expect(levelIndex(40, 4, 10)).toBe(9);
  expect(levelIndex(41, 2, 21)).toBe(20);
  expect(levelIndex(5, 1, 60)).toBe(5);
});
