import { expect, test } from "vitest";
import { fit, inSight, indexX, indexY, newCamera, panBy, screenX, screenY, zoomAt } from "./camera";

const camera = (up = false) => {
  const c = newCamera(4000, 2000, 2, up);
  c.width = 800;
  c.height = 600;
  return c;
};

test("what is under the cursor stays there while zooming, also where y grows upwards", () => {
  for (const up of [false, true]) {
    const c = camera(up);
    fit(c);
    const x = indexX(c, 300);
    const y = indexY(c, 250);
    for (const f of [1.3, 1.7, 0.9]) zoomAt(c, f, 300, 250);
    expect(screenX(c, x)).toBeCloseTo(300, 6);
    expect(screenY(c, y)).toBeCloseTo(250, 6);
  }
});

test("fit shows everything, with tall pixels counted", () => {
  const c = camera();
  fit(c);
  expect(c.zoom).toBeCloseTo(600 / 4000, 9);
  expect(Array.from(inSight(c, new Float64Array(4)))).toEqual([0, 0, 4000, 2000]);
});

test("panning never loses the picture, zooming has ends", () => {
  const c = camera();
  fit(c);
  panBy(c, 1e9, -1e9);
  expect(screenX(c, 0)).toBeLessThan(800);
  expect(screenY(c, 2000)).toBeGreaterThan(0);
  zoomAt(c, 1e12, 400, 300);
  expect(c.zoom).toBe(128);
  zoomAt(c, 1e-12, 400, 300);
  expect(c.zoom).toBeGreaterThan(0.05);
});
