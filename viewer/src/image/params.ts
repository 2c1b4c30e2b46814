// The view as parameters of the address, and back. What is as it was at first is left out.

import { plain } from "../route";

export type ChannelParam = { on: boolean; window?: [number, number]; colour?: string; gamma?: number; opacity?: number };

const text = (v: number | undefined, usual?: number) => (v === undefined || v === usual ? "" : String(Number(v.toPrecision(6))));

/** "0:112:3940,!2,1:::ff0000": the channel (! hides it), its window, colour, gamma and opacity, empty at the end cut. */
export function formatChannels(list: ReadonlyMap<number, ChannelParam>): string {
  const parts: string[] = [];
  for (const [i, c] of list) {
    const fields = [`${c.on ? "" : "!"}${i}`, text(c.window?.[0]), text(c.window?.[1]), c.colour ? c.colour.replace("#", "") : "", text(c.gamma, 1), text(c.opacity, 1)];
    while (fields[fields.length - 1] === "") fields.pop();
    parts.push(fields.join(":"));
  }
  return parts.join(",");
}

/** Whatever is wrong in the text is left out. */
export function parseChannels(value: string | undefined, count: number): Map<number, ChannelParam> {
  const out = new Map<number, ChannelParam>();
  for (const part of (value ?? "").split(",")) {
    const m = /^(!?)(\d+)((?::[^:]*)*)$/.exec(part);
    if (!m || Number(m[2]) >= count) continue;
    const [, lo, hi, colour, gamma, opacity] = (m[3] ?? "").split(":");
    const c: ChannelParam = { on: m[1] === "" };
    const num = (t: string | undefined) => (t ? Number(t) : NaN);
    if (num(hi) > num(lo)) c.window = [num(lo), num(hi)];
    if (colour && /^[0-9a-f]{6}$/i.test(colour)) c.colour = "#" + colour.toLowerCase();
    if (num(gamma) >= 0.1 && num(gamma) <= 10) c.gamma = num(gamma);
    if (num(opacity) >= 0 && num(opacity) <= 1) c.opacity = num(opacity);
    out.set(Number(m[2]), c);
  }
  return out;
}

export type LabelsParam = { name: string; opacity: number; edges: boolean };

/** "cells", "cells:0.8", "cells:0.8:edges" */
export function formatLabels(l: LabelsParam | null): string {
  if (!l) return "";
  return encodeURIComponent(l.name) + (l.opacity !== 0.5 || l.edges ? ":" + text(l.opacity) : "") + (l.edges ? ":edges" : "");
}

export function parseLabels(value: string | undefined): LabelsParam | null {
  if (!value) return null;
  const [name, opacity, edges] = value.split(":");
  const o = opacity ? Number(opacity) : 0.5;
  return { name: plain(name!), opacity: o >= 0 && o <= 1 ? o : 0.5, edges: edges === "edges" };
}

const taken = ["x", "y", "zoom", "ch", "map", "grid", "labels", "view"];

/** The parameter of an axis is its name, unless that means something else here. */
export function axisParam(name: string, i: number): string {
  return !name ? "axis" + i : taken.includes(name) ? name + "_" : name;
}
