import { expect, test } from "vitest";
import { axisParam, type ChannelParam, formatChannels, formatLabels, parseChannels, parseLabels } from "./params";

test("channels go into the address and come back", () => {
  const list = new Map<number, ChannelParam>([
    [0, { on: true, window: [112, 3940] }],
    [1, { on: true, colour: "#ff0000" }],
    [2, { on: false }],
    [5, { on: true, window: [-0.5, 1e-9], gamma: 0.8, opacity: 0.25 }],
  ]);
  const text = formatChannels(list);
  expect(text).toBe("0:112:3940,1:::ff0000,!2,5:-0.5:1e-9::0.8:0.25");
  expect(parseChannels(text, 6)).toEqual(list);
  expect(parseChannels(text, 3).size).toBe(3);
});

test("what is wrong in an address is left out", () => {
  expect(parseChannels("x,0:9:1,1:a:b:zzz:-3:7,,!1:,999", 3)).toEqual(new Map([[0, { on: true }], [1, { on: false }]]));
  expect(parseChannels(undefined, 3).size).toBe(0);
});

test("labels and axes", () => {
  for (const l of [{ name: "a:b c", opacity: 0.8, edges: true }, { name: "cells", opacity: 0.5, edges: false }, { name: "n", opacity: 0.25, edges: false }]) {
    expect(parseLabels(formatLabels(l))).toEqual(l);
  }
  expect(formatLabels({ name: "cells", opacity: 0.5, edges: false })).toBe("cells");
  expect(parseLabels("cells:9")).toEqual({ name: "cells", opacity: 0.5, edges: false });
  expect([axisParam("z", 0), axisParam("zoom", 1), axisParam("", 2)]).toEqual(["z", "zoom_", "axis2"]);
});
