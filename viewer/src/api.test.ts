import { describe, expect, it } from "vitest";
import { address, counts, number, parse } from "./api";
import { root } from "./route";

describe("answers", () => {
  it("keep integers that a double would round", () => {
    const text = '{"id":9007199254740993,"list":[-18446744073709551615,1],"small":12,"wide":1234567890.1234567890123,"text":"\\"9007199254740993,"}';
    expect(parse(text)).toEqual({ id: 9007199254740993n, list: [-18446744073709551615n, 1], small: 12, wide: 1234567890.1234567, text: '"9007199254740993,' });
  });
  it("say how much in numbers that can be reckoned with, and what files say as it is", () => {
    const told = { array: { bytes: 18014398509481984n, shape: [9007199254740993n, 2], fill_value: 9007199254740993n }, attributes: { id: [9007199254740993n] } };
    expect(counts(told)).toEqual({ array: { bytes: 2 ** 54, shape: [2 ** 53, 2], fill_value: 9007199254740993n }, attributes: { id: [9007199254740993n] } });
  });
  it("have numbers that JSON has not", () => {
    expect(number("NaN")).toBeNaN();
    expect(number("-Infinity")).toBe(-Infinity);
    expect(number(3)).toBe(3);
  });
});

describe("requests", () => {
  it("leave out what is not said", () => {
    expect(address("tile", { source: "a b", path: "/x/é&", labels: true, at: undefined, level: 0, quick: false })).toBe(root + "api/tile?source=a%20b&path=/x/%C3%A9%26&labels&level=0");
  });
});
