import { expect, test } from "vitest";
import type { Axis, ImageInfo, Tile as Answer, TileQuery } from "../api";
import { inSight, newCamera } from "./camera";
import { Kept } from "./kept";
import { compose, type Look, outlines } from "./look";
import type { Job } from "./queue";
import { Scene } from "./scene";
import { atOf, placement, positionsIn, Pyramid, type Tile } from "./tiles";

const axis = (name: string, size: number, more: Partial<Axis> = {}): Axis => ({ name, size, type: "space", scale: 1, offset: 0, ...more });
const image = (size = 4096, levels = 4, more: Partial<ImageInfo> = {}): ImageInfo => ({
  axes: [axis("t", 5), axis("c", 2, { type: "channel" }), axis("y", size), axis("x", size)],
  x: 3, y: 2, channel: 1, rgb: false, data_type: "uint16", labels: [], up: false, position: [0, 0, 0, 0],
  channels: [{ label: "a", color: "", active: true }, { label: "b", color: "", active: true }],
  levels: Array.from({ length: levels }, (_, i) => ({ path: "/" + i, shape: [5, 2, size >> i, size >> i], chunks: [1, 1, 512, 512], scale: [1, 1, 2 ** i, 2 ** i] })),
  ...more,
});

function made(info = image(), answer: (q: TileQuery) => Partial<Answer> | Error = () => ({})) {
  const asked: TileQuery[] = [];
  const fresh: Tile[] = [];
  const kept = new Kept<Tile>(1e9, (t) => t.plane.remove(t));
  const ask = async (_: unknown, q: TileQuery): Promise<Answer> => {
    asked.push(q);
    const a = answer(q);
    if (a instanceof Error) throw a;
    const n = (q.channels?.length ?? 1) * (q.x[1] - q.x[0]) * (q.y[1] - q.y[0]);
    return { shape: [], dataType: "uint16", bytes: new Uint16Array(n).fill(q.level + 1).buffer, exact: true, ...a };
  };
  const p = new Pyramid({ source: "s", path: "/" }, info, ask, kept, fresh, () => {}, (e) => ({ error: (e as Error).message, kind: "damaged" }));
  const run = async (jobs: Map<string, Job>) => {
    for (const j of [...jobs.values()].sort((a, b) => a.priority - b.priority)) await j.run(new AbortController().signal);
    for (const t of fresh.splice(0)) p.settle(t);
  };
  const want = async (level: number, rect: number[], channels = [0, 1], at = "0:0") => {
    const jobs = new Map<string, Job>();
    p.want(jobs, p.plane(at), level, new Float64Array(rect), channels, 0);
    await run(jobs);
  };
  return { p, asked, kept, want };
}

const whole = [0, 0, 4096, 4096];

test("only what is missing is asked for, channels together, the middle first", async () => {
  const { asked, want } = made();
  await want(3, whole, [0]);
  await want(3, whole, [0, 1]);
  expect(asked.map((q) => [q.level, q.x, q.y, q.channels, q.at])).toEqual([[3, [0, 512], [0, 512], [0], "0:0"], [3, [0, 512], [0, 512], [1], "0:0"]]);
  asked.length = 0;
  await want(0, [0, 0, 1536, 512]);
  expect(asked.map((q) => q.x[0])).toEqual([512, 0, 1024]);
  expect(asked[0]!.channels).toEqual([0, 1]);
});

test("a level that is made on the fly comes quickly, then exactly; what is shown stays when that fails", async () => {
  const info = image();
  for (const l of info.levels) l.made = true;
  let broken = false;
  const { p, asked, want, kept } = made(info, (q) => (broken && !q.quick ? new Error("no") : { exact: !q.quick }));
  await want(3, whole, [0]);
  expect([asked[0]!.quick, p.plane("0:0").get(3, 0, 0, 0)!.exact]).toEqual([true, false]);
  broken = true;
  await want(3, whole, [0]);
  expect(p.plane("0:0").get(3, 0, 0, 0)!.data).not.toBeNull();
  broken = false;
  await want(3, whole, [0]);
  await want(3, whole, [0]);
  expect(asked.map((q) => q.quick ?? false)).toEqual([true, false, false]);
  expect([p.plane("0:0").get(3, 0, 0, 0)!.exact, kept.size]).toEqual([true, 1]);
});

test("a failure is kept and not asked for again; an answer of the wrong size is one", async () => {
  const { p, asked, want, kept } = made(image(), (q) => (q.level === 0 ? { bytes: new ArrayBuffer(6) } : new Error("zstd: checksum differs")));
  await want(3, whole);
  await want(3, whole);
  expect(asked.length).toBe(1);
  expect(p.plane("0:0").get(3, 0, 0, 1)!.problem!.error).toBe("zstd: checksum differs");
  await want(0, [0, 0, 10, 10]);
  expect(p.plane("0:0").get(0, 0, 0, 0)!.problem!.error).toMatch(/3 values of a tile in place of/);
  kept.clear();
  expect(p.planes.size).toBe(0);
});

const fill = (p: Pyramid, level: number, rect: number[], channels = [0, 1]) => {
  const s = new Scene();
  s.fill(p.plane("0:0"), level, new Float64Array(rect), channels, 7, true);
  return s;
};
const levelsOf = (s: Scene) => s.regions.slice(0, s.count).map((r) => r.tiles.map((t) => t?.grid.level));

test("coarse tiles stand in for fine ones, each channel by itself, until they come", async () => {
  const { p, want } = made();
  expect([fill(p, 1, whole).count, fill(p, 1, whole).covered]).toEqual([0, false]);
  await want(3, whole);
  await want(1, [0, 0, 1024, 1024], [0]);
  const s = fill(p, 1, [0, 0, 2048, 1024]);
  expect(levelsOf(s)).toEqual([[1, 3], [3, 3]]);
  expect([s.complete, s.covered]).toEqual([false, true]);
  await want(1, [0, 0, 2048, 1024]);
  const done = fill(p, 1, [0, 0, 2048, 1024]);
  expect([levelsOf(done), done.complete]).toEqual([[[1, 1], [1, 1]], true]);
  expect(p.plane("0:0").get(1, 0, 0, 0)!.stamp).toBe(7);
});

test("after zooming out finer tiles lie over the coarse one, and never outside of their region", async () => {
  const { p, want } = made();
  await want(3, whole);
  await want(0, [0, 0, 1024, 512]);
  const s = fill(p, 1, [100, 0, 900, 800]);
  expect(levelsOf(s)).toEqual([[3, 3], [0, 0], [0, 0]]);
  expect(s.regions.slice(1, 3).map((r) => [r.x0, r.y0, r.x1, r.y1])).toEqual([[100, 0, 512, 512], [512, 0, 900, 512]]);
});

test("failed tiles are told once, with a coarse one in their place", async () => {
  const { p, want } = made(image(), (q) => (q.level === 0 ? new Error("no") : {}));
  await want(3, whole);
  await want(0, [0, 0, 500, 500]);
  const s = fill(p, 0, [0, 0, 500, 500]);
  expect([s.failed.length, s.complete, levelsOf(s)]).toEqual([1, true, [[3, 3]]]);
});

test("regions meet on the screen, and the edge of a rounded level has no seam", () => {
  const info = image(1001, 2);
  const { p } = made(info);
  const c = newCamera(1001, 1001);
  Object.assign(c, { width: 400, height: 400, zoom: 0.3 });
  const plane = p.plane("0:0");
  const g = p.grids[1]!;
  plane.put({ plane, grid: g, tx: 0, ty: 0, channel: 0, width: 500, height: 500, data: new Uint16Array(1), problem: null, exact: true, bytes: 1, stamp: 0, texture: null, ready: true });
  const s = new Scene();
  s.fill(plane, 1, inSight(c, new Float64Array(4)), [0], 1, true);
  s.project(c);
  expect(s.regions[0]!.x1).toBe(1001);
  expect(s.regions[0]!.sx1).toBeCloseTo(200 + 0.3 * 500.5, 9);
});

test("positions and places in the image of labels", () => {
  const info = image(4096, 1, { axes: [axis("t", 5), axis("c", 2), axis("y", 4096, { scale: 0.5 }), axis("x", 4096, { scale: 0.5 })] });
  const labels = { ...info, channel: -1, axes: [axis("y", 1024, { scale: 2, offset: 0.75 }), axis("x", 1024, { scale: 2, offset: 0.75 }), axis("t", 5)], x: 1, y: 0, position: [0, 0, 0] };
  expect(positionsIn(info, [3, 1, 0, 0], labels)[2]).toBe(3);
  expect(atOf(labels, [0, 0, 3])).toBe("2:3");
  // Coarser by four with the shift of centres that averaging makes: edges fall together.
  expect(placement(info, labels).x).toEqual([0.25, 0]);
});

test("channels add up to a colour; missing values are clear; a map has one channel", () => {
  const look = (more: Partial<Look> = {}): Look => ({ channels: [{ channel: 0, lo: 0, hi: 10, gamma: 1, r: 1, g: 0, b: 0 }, { channel: 1, lo: 0, hi: 10, gamma: 2, r: 0, g: 1, b: 1 }], map: null, alpha: false, version: 1, ...more });
  const out = new Uint32Array(3);
  compose(look(), [[10, 5, NaN], [5, 20, NaN]], 3, out);
  expect([...out].map((v) => v.toString(16))).toEqual(["ff4040ff", "ffffff80", "0"]);
  const map = new Uint8Array(1024).fill(0);
  map.set([1, 2, 3, 255], 128 * 4);
  compose(look({ channels: look().channels.slice(0, 1), map }), [[5.02, NaN, -3]], 3, out);
  expect([...out].map((v) => v.toString(16))).toEqual(["ff030201", "0", "ff000000"]);
});

test("outlines are the edges of labels, not of tiles", () => {
  const paint = new Uint32Array([5, 5, 5, 5, 5, 5, 5, 5, 6]);
  expect([...outlines(paint, 3, 3)]).toEqual([0, 0, 0, 0, 0, 5, 0, 5, 6]);
});
