import { describe, expect, it } from "vitest";
import { bytes, count, duration, group, shape, value } from "./format";

const s = (text: string) => text.replaceAll("\u202f", " ").replaceAll("\u00a0", " ");

describe("numbers in words", () => {
  it("groups digits", () => {
    expect(s(group(1234567))).toBe("1 234 567");
    expect(s(group(9007199254740993n))).toBe("9 007 199 254 740 993");
    expect(group(999)).toBe("999");
  });
  it("writes values as they are read", () => {
    const want: [number, string][] = [[3071.5, "3 071.5"], [-0.25, "−0.25"], [0, "0"], [1e-7, "1e-7"], [1.5e12 + 0.5, "1.5e12"], [NaN, "NaN"], [-Infinity, "−∞"], [0.1 + 0.2, "0.3"]];
    for (const [v, text] of want) expect(s(value(v))).toBe(text);
  });
  it("writes sizes with two or three digits", () => {
    const want: [number, string][] = [[0, "0 B"], [999, "999 B"], [1000, "1 kB"], [6.2e6, "6.2 MB"], [6.11e11, "611 GB"], [1.9e12, "1.9 TB"], [999999, "1 MB"]];
    for (const [v, text] of want) expect(bytes(v)).toBe(text);
    expect(s(count(3.1e6))).toBe("3.1 M");
    expect(s(count(214))).toBe("214");
  });
  it("writes durations in the unit that fits", () => {
    const want: [number, string][] = [[0.041, "41 ms"], [3.2, "3.2 s"], [320, "5 min 20 s"], [7500, "2 h 5 min"], [2e-5, "20 µs"], [0, "0 s"]];
    for (const [v, text] of want) expect(s(duration(v))).toBe(text);
  });
  it("writes shapes", () => {
    expect(shape([])).toBe("a single value");
    expect(s(shape([3, 9216], ["c", "y"]))).toBe("c 3 · y 9 216");
    expect(shape([3, 412])).toBe("3 × 412");
  });
});
