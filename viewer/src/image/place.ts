// Indices as places: real units, coordinates, dates, projections.

import { value as number } from "../format";
import { length } from "./scalebar";

export type PlaceAxis = {
  name: string;
  size: number;
  type: string;
  unit?: string;
  scale: number;
  offset: number;
  coordinates?: (number | string)[];
};
export type PlaceMap = { crs: string; epsg?: number; affine: number[]; north: number };

/** Does the axis say more than its index? */
export function hasUnits(a: PlaceAxis): boolean {
  return (a.coordinates?.length ?? 0) > 0 || !!a.unit || a.scale !== 1 || a.offset !== 0;
}

/** The value of an axis at an index (fractions between coordinates are of no use: the nearest counts). */
export function axisValue(a: PlaceAxis, index: number): number | string {
  const c = a.coordinates;
  if (c && c.length > 0) return c[Math.min(c.length - 1, Math.max(0, Math.floor(index)))]!;
  return a.offset + index * a.scale;
}

/** The value at an index as text with its unit: "4.25 µm", "2025-06-30 12:00", "51.25° N". "" when there is only the index. */
export function axisText(a: PlaceAxis, index: number): string {
  if (!hasUnits(a)) return "";
  const v = axisValue(a, index);
  if (typeof v === "string") return date(v);
  return withUnit(v, a);
}

function withUnit(v: number, a: PlaceAxis): string {
  const u = a.unit ?? "";
  const degrees = /^(°|deg|degrees?)(_?(north|east|N|E))?$/.exec(u);
  if (degrees) {
    const side = /^(degrees?_?n|.*north)/i.test(u) || /^lat/i.test(a.name) ? (v < 0 ? " S" : " N") : /^(degrees?_?e|.*east)/i.test(u) || /^lon/i.test(a.name) ? (v < 0 ? " W" : " E") : "";
    return `${number(side ? Math.abs(round(v, 4)) : round(v, 4))}°${side}`;
  }
  return u ? `${number(round(v, 6), 7)} ${u}` : number(round(v, 6), 7);
}

/** Enough digits, and no tail of binary fractions. */
function round(v: number, decimals: number): number {
  const p = 10 ** decimals;
  return Math.abs(v) < 1e9 && Math.abs(v) > 1e-3 ? Math.round(v * p) / p : v;
}

/** A date without what is nought: no midnight, no seconds that are 00. */
function date(v: string): string {
  const m = /^(\d{4,}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d(?:\.\d+)?)?Z?$/.exec(v);
  if (!m) return v;
  const seconds = m[3] && !/^:00(\.0*)?$/.test(m[3]) ? m[3] : "";
  return m[2] === "00:00" && !seconds ? m[1]! : `${m[1]} ${m[2]}${seconds}`;
}

/** Where a pixel (its centre) lies by the map's projection. */
export function mapPlace(m: PlaceMap, col: number, row: number): [number, number] {
  const [a, b, c, d, e, f] = m.affine as [number, number, number, number, number, number];
  return [a * col + b * row + c, d * col + e * row + f];
}

/** Is the map in degrees of longitude and latitude? */
export function inDegrees(m: PlaceMap): boolean {
  if (m.epsg === 4326 || m.epsg === 4979 || m.epsg === 4258 || m.epsg === 4269) return true;
  return !m.epsg && /^(epsg:4326|wgs ?84|latitude_longitude|ogc:crs84)$/i.test(m.crs);
}

/** The words for a place, first y then x as people say them: "51.2345° N", "7.1° E"; or metres of a projection. */
export function placeText(x: PlaceAxis, y: PlaceAxis, map: PlaceMap | undefined, col: number, row: number): { label: string; value: string }[] {
  if (map) {
    const [mx, my] = mapPlace(map, col, row);
    if (inDegrees(map)) {
      return [
        { label: "", value: `${Math.abs(my).toFixed(5)}° ${my < 0 ? "S" : "N"}` },
        { label: "", value: `${Math.abs(mx).toFixed(5)}° ${mx < 0 ? "W" : "E"}` },
      ];
    }
    const metre = x.unit || "m";
    return [
      { label: "N", value: `${number(Math.round(my * 10) / 10)} ${metre}` },
      { label: "E", value: `${number(Math.round(mx * 10) / 10)} ${metre}` },
    ];
  }
  return [
    { label: y.name || "y", value: axisText(y, Math.floor(row)) || number(Math.floor(row)) },
    { label: x.name || "x", value: axisText(x, Math.floor(col)) || number(Math.floor(col)) },
  ];
}

/** What one pixel of x and of y measures, and in what; pixels where the file says nothing. */
export function pixelSize(x: PlaceAxis, y: PlaceAxis, map: PlaceMap | undefined, row: number): { x: number; y: number; unit: string } {
  if (map) {
    const [a, b, , d, e] = map.affine as [number, number, number, number, number, number];
    const sx = Math.hypot(a, d);
    const sy = Math.hypot(b, e);
    if (!inDegrees(map)) return { x: sx, y: sy, unit: x.unit || "m" };
    const [, lat] = mapPlace(map, 0, row);
    return { x: sx * 111319.49 * Math.max(0.01, Math.cos((lat * Math.PI) / 180)), y: sy * 111319.49, unit: "m" };
  }
  if (x.unit && x.unit === y.unit && !x.coordinates && !y.coordinates) {
    return { x: Math.abs(x.scale), y: Math.abs(y.scale), unit: x.unit };
  }
  return { x: 1, y: 1, unit: "" };
}

/** How much taller than wide a pixel is drawn. */
export function pixelAspect(x: PlaceAxis, y: PlaceAxis, map: PlaceMap | undefined): number {
  let ratio = 1;
  if (map) {
    const [a, b, , d, e] = map.affine as [number, number, number, number, number, number];
    ratio = Math.hypot(b, e) / Math.hypot(a, d);
  } else if (x.unit && x.unit === y.unit && x.scale && y.scale) ratio = Math.abs(y.scale / x.scale);
  return Number.isFinite(ratio) && ratio >= 0.05 && ratio <= 20 ? ratio : 1;
}

/** The distance between two places of level 0, in the unit that reads best. */
export function distance(x: PlaceAxis, y: PlaceAxis, map: PlaceMap | undefined, ax: number, ay: number, bx: number, by: number): string {
  const p = pixelSize(x, y, map, (ay + by) / 2);
  const d = Math.hypot((bx - ax) * p.x, (by - ay) * p.y);
  return length(d, p.unit || "px");
}
