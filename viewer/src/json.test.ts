import { describe, expect, it } from "vitest";
import { pointer, stringify, summary } from "./json";

describe("attributes", () => {
  it("are copied with integers whole", () => {
    expect(stringify({ id: 9007199254740993n, a: [1, null], b: {} })).toBe('{\n  "id": 9007199254740993,\n  "a": [1, null],\n  "b": {}\n}');
  });
  it("are pointed at", () => expect(pointer("/a", "b/c~d")).toBe("/a/b~1c~0d"));
  it("are told in a few words", () => {
    expect(summary([1, 2, 3])).toBe("[1, 2, 3]");
    expect(summary(Array(50).fill(0))).toBe("50 items");
    expect(summary({ a: 1, b: 2, c: 3, d: 4 })).toBe("{ a, b, c, … }");
  });
});
