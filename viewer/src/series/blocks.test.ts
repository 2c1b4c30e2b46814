import { describe, expect, test } from "vitest";
import { type Block, columns, plan, satisfied, swing, valueAt } from "./blocks";

function block(p: Partial<Block>): Block {
  const b: Block = { mode: "envelope", first: 0, step: 1, bins: 0, channels: [0], t0: 0, dt: 1, times: false, values: new Float32Array(), bytes: 0, from: 0, to: 0, ...p };
  if (b.to === 0) b.to = b.t0 + b.bins * b.dt;
  if (!p.from) b.from = b.t0;
  return b;
}
const pairs = (...v: number[]) => new Float32Array(v);

describe("which block shows what", () => {
  const whole = block({ bins: 100, dt: 10, values: new Float32Array(200) }); // 0..1000, coarse
  const fine = block({ bins: 100, dt: 1, t0: 400, values: new Float32Array(200) }); // 400..500
  test("the block that fits the pixels, and coarser ones beside it", () => {
    const parts = plan([whole, fine], 0, { from: 350, to: 550 }, 1);
    expect(parts.map((p) => [p.block === fine, p.from, p.to])).toEqual([[false, 350, 400], [true, 400, 500], [false, 500, 550]]);
  });
  test("zoomed out, a fine block is not preferred to the one made for it", () => {
    expect(plan([fine, whole], 0, { from: 0, to: 1000 }, 10).map((p) => p.block)).toEqual([whole]);
  });
  test("nothing is known of another channel", () => {
    expect(plan([whole], 3, { from: 0, to: 10 }, 1)).toEqual([]);
  });
});

describe("columns of pixels", () => {
  test("several bins in a pixel give the lowest and the highest", () => {
    const b = block({ bins: 4, values: pairs(1, 2, -3, 0, 5, 9, NaN, NaN) });
    const out = new Float32Array(4);
    columns(b, 0, { from: 0, to: 4 }, 2, 0, 2, out);
    expect([...out]).toEqual([-3, 2, 5, 9]);
  });
  test("a bin wider than a pixel is shown over all of its pixels", () => {
    const b = block({ bins: 2, dt: 2, values: pairs(1, 2, 3, 4) });
    const out = new Float32Array(8);
    columns(b, 0, { from: 0, to: 4 }, 4, 0, 4, out);
    expect([...out]).toEqual([1, 2, 1, 2, 3, 4, 3, 4]);
  });
  test("missing values stay empty", () => {
    const b = block({ bins: 3, values: pairs(1, 1, NaN, NaN, 2, 2) });
    const out = new Float32Array(6);
    columns(b, 0, { from: 0, to: 3 }, 3, 0, 3, out);
    expect([...out]).toEqual([1, 1, NaN, NaN, 2, 2]);
  });
  test("samples at times of their own", () => {
    const b = block({ mode: "samples", bins: 4, times: true, at: new Float64Array([0, 0.1, 0.2, 3]), dt: 0.1, values: pairs(1, 2, 3, 4), to: 4 });
    const out = new Float32Array(8);
    columns(b, 0, { from: 0, to: 4 }, 4, 0, 4, out);
    expect([...out]).toEqual([1, 3, NaN, NaN, NaN, NaN, 4, 4]);
  });
  test("the second channel of a block", () => {
    const b = block({ bins: 1, channels: [4, 7], values: pairs(1, 2, 3, 4) });
    const out = new Float32Array(2);
    columns(b, 7, { from: 0, to: 1 }, 1, 0, 1, out);
    expect([...out]).toEqual([3, 4]);
  });
});

describe("the value under the cursor", () => {
  test("is the nearest sample", () => {
    const b = block({ mode: "samples", bins: 3, values: pairs(10, 20, 30) });
    expect(valueAt([b], 0, 1.4, 0.01)).toEqual({ time: 1, low: 20, high: 20, sample: true });
    expect(valueAt([b], 0, 1.6, 0.01)?.low).toBe(30);
  });
  test("is what a bin spans", () => {
    const b = block({ bins: 2, values: pairs(-1, 1, -2, 2) });
    expect(valueAt([b], 0, 1.5, 0.01)).toEqual({ time: 1, low: -2, high: 2, sample: false });
  });
  test("is unknown where nothing was sent", () => {
    expect(valueAt([], 0, 1, 0.01)).toBeNull();
  });
});

test("a first gain comes from what is there", () => {
  expect(swing(block({ bins: 3, values: pairs(-1, 1, -2, 2, NaN, NaN) }), 0)).toEqual({ middle: 0, size: 4 });
  expect(swing(block({ bins: 1, values: pairs(NaN, NaN) }), 0)).toBeNull();
});

test("more is asked for only when what is there is too coarse or ends too early", () => {
  const b = block({ bins: 100, step: 50, dt: 1, channels: [0, 1], values: new Float32Array(400) });
  expect(satisfied([b], [0, 1], { from: 10, to: 90 }, 1)).toBe(true);
  expect(satisfied([b], [0, 2], { from: 10, to: 90 }, 1)).toBe(false);
  expect(satisfied([b], [0], { from: 10, to: 20 }, 0.1)).toBe(false);
  expect(satisfied([b], [0], { from: 10, to: 110 }, 1)).toBe(false);
  const samples = block({ mode: "samples", bins: 100, dt: 1, values: new Float32Array(100) });
  expect(satisfied([samples], [0], { from: 10, to: 20 }, 0.1)).toBe(true);
});
