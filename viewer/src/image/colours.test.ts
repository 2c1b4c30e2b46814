import { expect, test } from "vitest";
import { channelColour, givenColours, labelColour, lut, mapNames, paintLabels, rgb } from "./colours";

test("maps run from their first to their last colour, and back", () => {
  for (const name of mapNames) {
    const there = lut(name);
    const back = lut(name + "_r");
    expect(there.length).toBe(1024);
    expect(Array.from(new Uint32Array(there.buffer))).toEqual(Array.from(new Uint32Array(back.buffer)).reverse());
  }
  expect(Array.from(lut("viridis").slice(0, 4))).toEqual([0x44, 0x01, 0x54, 255]);
  expect(lut("grey")[4 * 128]).toBe(128);
  expect(lut("nonsense")).toEqual(lut("grey"));
});

test("maps for values get brighter all the way", () => {
  for (const name of ["grey", "viridis", "magma", "inferno", "cividis"]) {
    const l = lut(name);
    let last = -1;
    for (let i = 0; i < 256; i += 5) {
      const light = 0.2126 * l[i * 4]! + 0.7152 * l[i * 4 + 1]! + 0.0722 * l[i * 4 + 2]!;
      expect(light).toBeGreaterThan(last - 0.01);
      last = light;
    }
  }
});

test("labels: clear background, bright colours, neighbours apart, the file's own first", () => {
  expect(labelColour(0)).toBe(0);
  const seen = new Set<number>();
  for (let i = 1; i <= 2000; i++) {
    const c = labelColour(i);
    if (c >>> 24 !== 255 || Math.max(c & 255, (c >> 8) & 255, (c >> 16) & 255) < 200) expect.fail(`label ${i} is ${c.toString(16)}`);
    seen.add(c);
  }
  expect(seen.size).toBeGreaterThan(1950);
  const out = paintLabels(new Uint32Array([0, 5, 5, 6]), givenColours([[5, "#ff0080"], [6, "#00ff0080"]]));
  expect(Array.from(out)).toEqual([0, 0xff8000ff, 0xff8000ff, 0x8000ff00]);
});

test("colours of channels where the file has none", () => {
  expect(channelColour("", 0, 1)).toBe("#ffffff");
  expect(channelColour("#000000", 1, 3)).toBe("#54e39b");
  expect(channelColour("00FF00", 1, 3)).toBe("#00ff00");
  expect(rgb("nonsense")).toEqual([255, 255, 255]);
});
