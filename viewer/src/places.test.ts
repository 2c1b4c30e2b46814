import { describe, expect, it } from "vitest";
import type { Node } from "./api";
import { factor, places } from "./places";

const axis = (name: string, size: number, type: string, unit: string, scale: number, more = {}) => ({ name, size, type, unit, scale, offset: 0, ...more });
const image = { kind: "image", image: { x: 2, y: 1, axes: [axis("t", 60, "time", "s", 30), axis("y", 1000, "space", "µm", 0.5), axis("x", 1000, "space", "µm", 0.5)] } } as unknown as Node;
const map = { kind: "image", image: { x: 2, y: 1, axes: [axis("time", 365, "time", "", 1, { coordinates: ["2025-01-01"] }), axis("lat", 721, "space", "°", -0.25, { values: "/lat" }), axis("lon", 1440, "space", "°", 0.25, { values: "/lon" })] } } as unknown as Node;
const table = { kind: "table", table: { rows: 214, columns: [] } } as unknown as Node;

describe("places", () => {
  it("are coordinates x, y in the units of the axes", () => {
    expect(places("12.5, 88 µm", image)[0]!.positions).toEqual([null, 176, 25]);
    expect(places("0.0125 mm, 0.088 mm", image)[0]!.positions!.map((p) => p && Math.round(p))).toEqual([null, 176, 25]);
    expect(places("25 px, 176 px", image)[0]!.positions).toEqual([null, 176, 25]);
    expect(places("12.5, 99999", image)).toEqual([]);
  });
  it("are axes by name", () => {
    expect(places("t=90", image)[0]!.positions).toEqual([3, null, null]);
    expect(places("t=@7, x=10 µm", image)[0]!.positions).toEqual([7, null, 20]);
    expect(places("lat=50", map)[0]!.select).toBe("lat=50");
  });
  it("are dates, which the server finds", () => {
    expect(places("2025-06-30", map)[0]!.select).toBe("time=2025-06-30");
    expect(places("10, 50", map)[0]!.select).toBe("lon=10,lat=50");
  });
  it("are rows and units", () => {
    expect(places("12", table)[0]!.row).toBe(12);
    expect(places("unit 12", table)[0]!.row).toBe(12);
    expect(places("214", table)).toEqual([]);
  });
  it("are none where text is a name", () => {
    for (const t of ["tissue", "", "a b", "µm"]) expect(places(t, image)).toEqual([]);
  });
  it("convert units that fit", () => {
    expect(factor("mm", "µm")).toBeCloseTo(1000);
    expect(factor("ms", "µm")).toBeNaN();
  });
});
