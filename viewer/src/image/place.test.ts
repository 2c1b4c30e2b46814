import { expect, test } from "vitest";
import { axisText, distance, pixelAspect, placeText } from "./place";

const axis = (name: string, more = {}) => ({ name, size: 100, type: "space", scale: 1, offset: 0, ...more });
const um = (name: string, scale: number) => axis(name, { unit: "µm", scale });

test("values of axes in words", () => {
  expect(axisText(um("z", 0.25), 17)).toBe("4.25 µm");
  expect(axisText(axis("z"), 3)).toBe("");
  expect(axisText(axis("t", { unit: "s", scale: 0.1 }), 3)).toBe("0.3 s");
  expect(axisText(axis("time", { coordinates: ["2025-06-30T00:00:00Z", "2025-06-30T12:30:00Z", "2025-06-30T12:30:05.5Z"] }), 0)).toBe("2025-06-30");
  expect(axisText(axis("time", { coordinates: ["a", "2025-06-30T12:30:00Z"] }), 1)).toBe("2025-06-30 12:30");
  expect(axisText(axis("lat", { unit: "degrees_north", coordinates: [-12.25] }), 0)).toBe("12.25° S");
  expect(axisText(axis("lon", { unit: "degrees_east", scale: 0.25, offset: -180 }), 4)).toBe("179° W");
});

test("where the cursor is", () => {
  expect(placeText(um("x", 0.325), um("y", 0.325), undefined, 5668.4, 9450.9)).toEqual([
    { label: "y", value: "3\u202f071.25 µm" },
    { label: "x", value: "1\u202f842.1 µm" },
  ]);
  const utm = { crs: "EPSG:32632", epsg: 32632, affine: [10, 0, 500000, 0, -10, 5700000], north: 0 };
  expect(placeText(axis("x"), axis("y"), utm, 1, 2)).toEqual([{ label: "N", value: "5\u202f699\u202f980 m" }, { label: "E", value: "500\u202f010 m" }]);
  const wgs = { crs: "EPSG:4326", epsg: 4326, affine: [0.5, 0, -180, 0, -0.5, 90], north: 0 };
  expect(placeText(axis("x"), axis("y"), wgs, 10, 300)).toEqual([{ label: "", value: "60.00000° S" }, { label: "", value: "175.00000° W" }]);
});

test("distances and the shape of pixels", () => {
  expect(distance(um("x", 0.5), um("y", 2), undefined, 0, 0, 6, 2)).toBe("5 µm");
  expect(distance(axis("x"), axis("y"), undefined, 0, 0, 3, 4)).toBe("5 px");
  const wgs = { crs: "EPSG:4326", epsg: 4326, affine: [0.5, 0, 0, 0, -0.5, 90], north: 0 };
  expect(distance(axis("x"), axis("y"), wgs, 0, 180, 2, 180)).toBe("111.3 km"); // a degree at the equator
  expect(pixelAspect(um("x", 0.5), um("y", 2), undefined)).toBe(4);
  expect(pixelAspect(axis("x"), um("y", 2), undefined)).toBe(1);
});
