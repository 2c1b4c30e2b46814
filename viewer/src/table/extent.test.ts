import { describe, expect, test } from "vitest";
import { limit, Scroll, uniform, varied } from "./extent";

test("sizes that differ", () => {
  const e = varied([10, 20, 30]);
  expect([e.total, e.start(2), e.at(0), e.at(9.9), e.at(10), e.at(29), e.at(30), e.at(900)]).toEqual([60, 30, 0, 0, 1, 1, 2, 2]);
  expect(varied([]).at(5)).toBe(0);
});

describe("a table that fits scrolls as it is", () => {
  test("bar and place are the same", () => {
    const s = new Scroll(uniform(1000, 26), 260);
    s.moved(520);
    expect(s.place).toBe(520);
    expect(s.visible()).toEqual([20, 30]);
    expect(s.go(100)).toBe(100);
  });
});

describe("ten million rows", () => {
  const make = () => new Scroll(uniform(10_000_000, 26), 520);
  test("the element stays within what browsers can do", () => {
    expect(make().space).toBe(limit);
  });
  test("the bar is a map of the whole: both ends are reached", () => {
    const s = make();
    s.moved(limit - 520);
    expect(s.visible()[1]).toBe(10_000_000);
    s.moved(0);
    expect(s.visible()[0]).toBe(0);
    s.moved((limit - 520) / 2);
    expect(Math.abs(s.visible()[0] - 5_000_000)).toBeLessThan(20);
  });
  test("small moves go pixel by pixel, so that no row is left out", () => {
    const s = make();
    s.moved(3_000_000);
    const first = s.visible()[0];
    s.moved(3_000_026);
    expect(s.visible()[0]).toBe(first + 1);
  });
  test("after going to a row the bar stands at its share, and every row can be reached", () => {
    const s = make();
    for (const row of [0, 1, 4_999_999, 9_999_980, 9_999_999]) {
      const bar = s.go(row * 26);
      expect(bar).toBeGreaterThanOrEqual(0);
      expect(bar).toBeLessThanOrEqual(limit - 520);
      s.moved(bar); // the browser tells of it
      const [a, z] = s.visible();
      expect(a <= row && row < z).toBe(true);
    }
  });
});

test("what is shown of a row is not moved, what is not is moved least", () => {
  const s = new Scroll(uniform(100, 10), 50);
  s.moved(100);
  expect([s.reveal(12), s.reveal(5), s.reveal(20)]).toEqual([100, 50, 160]);
});
test("no rows", () => {
  const s = new Scroll(uniform(0, 26), 500);
  expect(s.visible()).toEqual([0, 0]);
  expect(s.go(100)).toBe(0);
});
