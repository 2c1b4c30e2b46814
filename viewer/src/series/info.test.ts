import { expect, test } from "vitest";
import type { SeriesInfo } from "../api";
import { firstSpan, limitsOf, sampleAt, sliceOf } from "./info";

const info = (p: Partial<SeriesInfo>): SeriesInfo => ({ samples: 1000, channels: 1, rate: 100, start: 0, end: 10, axis: 0, intervals: [], explicit: false, ...p });

test("a short series is shown whole, a huge one from its beginning", () => {
  expect(firstSpan(info({}))).toEqual({ from: 0, to: 10 });
  expect(firstSpan(info({ samples: 1e8, channels: 1, end: 1e6 })).to).toBe(1e6);
  const probe = firstSpan(info({ samples: 108e6, channels: 384, rate: 30000, end: 3600 }));
  expect(probe.to).toBeGreaterThan(0.5);
  expect(probe.to).toBeLessThan(5);
});
test("the slice on screen", () => {
  expect(sliceOf(info({ channels: 4 }), 2, { from: 1, to: 2 }, 0, 4)).toBe("100:200, 0:4");
  expect(sliceOf(info({ channels: 4, axis: 1 }), 2, { from: 1, to: 2 }, 1, 1)).toBe("1:2, 100:200");
  expect(sliceOf(info({}), 1, { from: 1, to: 1.001 }, 0, 1)).toBe("100:101");
});
test("a single sample has a window", () => {
  const l = limitsOf(info({ samples: 1, end: 0, rate: undefined }));
  expect(l.end).toBeGreaterThan(l.start);
  expect(sampleAt(info({}), 5)).toBe(500);
});
