import { describe, expect, test } from "vitest";
import { dateText, dateTicks, niceStep, parseZero, valueTicks } from "./ticks";

test("steps are 1, 2 or 5", () => {
  expect([niceStep(10, 10), niceStep(10, 6), niceStep(10, 3), niceStep(0.7, 10)]).toEqual([1, 2, 5, 0.1]);
  expect(niceStep(0, 5)).toBe(1);
});

test("ticks of values say no more than tells them apart", () => {
  expect(valueTicks(0, 1, 5).map((t) => t.label)).toEqual(["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
  expect(valueTicks(-1500, 1500, 3).map((t) => t.label)).toEqual(["−1\u202f000", "0", "1\u202f000"]);
  expect(valueTicks(3599.9995, 3600.0005, 2).map((t) => t.label)).toEqual(["3\u202f599.9995", "3\u202f600.0000", "3\u202f600.0005"]);
});

describe("dates", () => {
  const zero = parseZero("2025-06-30T23:59:30+02:00")!;
  test("the clock is that of the place", () => {
    expect(dateText(zero, 0, 1)).toBe("2025-06-30 23:59:30");
    expect(dateText(zero, 30, 1)).toBe("2025-07-01 00:00:00");
    expect(dateText(zero, 0.25, 0.01)).toBe("2025-06-30 23:59:30.25");
    expect(dateText(zero, 3600, 86400)).toBe("2025-07-01");
    expect(dateText(zero, 0.9999, 0.01)).toBe("2025-06-30 23:59:30.99");
  });
  test("a date without a zone is taken as it stands", () => {
    expect(dateText(parseZero("2025-06-30T10:00:00")!, 0, 1)).toBe("2025-06-30 10:00:00");
    expect(dateText(parseZero("2025-06-30")!, 0, 1)).toBe("2025-06-30 00:00:00");
    expect(parseZero("yesterday")).toBeNull();
    expect(parseZero(undefined)).toBeNull();
  });
  test("the date stands at the first tick and where a day begins", () => {
    const ticks = dateTicks(0, 60, zero, 6);
    expect(ticks.map((t) => t.label)).toEqual(["2025-06-30 23:59:30", "23:59:40", "23:59:50", "2025-07-01 00:00:00", "00:00:10", "00:00:20", "00:00:30"]);
  });
  test("ticks stand on round clock times", () => {
    const odd = parseZero("2025-06-30T10:17:03Z")!;
    expect(dateTicks(0, 7200, odd, 4).map((t) => t.label)).toEqual(["2025-06-30 10:30", "11:00", "11:30", "12:00"]);
  });
  test("days, months and years", () => {
    const start = parseZero("2024-12-20T00:00:00Z")!;
    expect(dateTicks(0, 86400 * 4, start, 5).map((t) => t.label)).toEqual(["2024-12-20", "2024-12-21", "2024-12-22", "2024-12-23", "2024-12-24"]);
    expect(dateTicks(0, 86400 * 100, start, 4).map((t) => t.label)).toEqual(["2025-01", "2025-02", "2025-03"]);
    expect(dateTicks(0, 86400 * 365 * 40, start, 5).map((t) => t.label)).toEqual(["2030", "2040", "2050", "2060"]);
  });
});
