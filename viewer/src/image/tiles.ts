// The tiles of an image, or of its labels: which there are, which are wanted, where they come from.

import type { At, Axis, ImageInfo, Problem, Tile as Answer, TileQuery } from "../api";
import { paintLabels } from "./colours";
import type { Kept } from "./kept";
import { type Grid, grids, touched } from "./pyramid";
import type { Job } from "./queue";

export type Values = Uint8Array | Int8Array | Uint16Array | Int16Array | Uint32Array | Int32Array | Float32Array;

/** One channel of one tile of one plane. Without data it failed, and the problem says why. */
export type Tile = {
  plane: Plane;
  grid: Grid;
  tx: number;
  ty: number;
  channel: number;
  width: number;
  height: number;
  data: Values | null;
  problem: Problem | null;
  /** False: interpolated between few chunks, to be asked for again. */
  exact: boolean;
  bytes: number;
  stamp: number; // the last frame that showed it
  texture: WebGLTexture | null;
  /** Drawing may use it: it has been handed to the graphics card. */
  ready: boolean;
};

export type Ask = (node: At, q: TileQuery, signal: AbortSignal) => Promise<Answer>;

/** All tiles of an image at one position on the axes that are not shown. */
export class Plane {
  /** By level; the key of a tile is (ty * across + tx) * channels + channel. */
  readonly levels: Map<number, Tile>[];

  constructor(
    readonly pyramid: Pyramid,
    readonly at: string,
  ) {
    this.levels = pyramid.grids.map(() => new Map());
  }

  get(level: number, tx: number, ty: number, channel: number): Tile | undefined {
    return this.levels[level]!.get((ty * this.pyramid.grids[level]!.across + tx) * this.pyramid.channels + channel);
  }

  /** The tile of a level that holds a place of level 0. */
  around(level: number, x: number, y: number, channel: number): Tile | undefined {
    const g = this.pyramid.grids[level]!;
    const tx = Math.floor(x / (g.tileX * g.scaleX));
    const ty = Math.floor(y / (g.tileY * g.scaleY));
    return tx < 0 || ty < 0 ? undefined : this.get(level, Math.min(tx, g.across - 1), Math.min(ty, g.down - 1), channel);
  }

  /** The finest tile that can be drawn around a place, from a level upwards. */
  finest(from: number, x: number, y: number, channel: number): Tile | undefined {
    for (let l = from; l < this.levels.length; l++) {
      const t = this.around(l, x, y, channel);
      if (t?.ready) return t;
    }
    return undefined;
  }

  put(t: Tile): void {
    const key = (t.ty * t.grid.across + t.tx) * this.pyramid.channels + t.channel;
    this.levels[t.grid.level]!.set(key, t);
  }

  remove(t: Tile): void {
    const key = (t.ty * t.grid.across + t.tx) * this.pyramid.channels + t.channel;
    const map = this.levels[t.grid.level]!;
    if (map.get(key) === t) map.delete(key);
    if (this.levels.every((l) => l.size === 0)) this.pyramid.planes.delete(this.at);
  }
}

/** An image as the server answers for it: levels of tiles, and planes that were looked at. */
export class Pyramid {
  readonly grids: Grid[];
  readonly planes = new Map<string, Plane>();
  readonly channels: number;

  constructor(
    readonly node: At,
    readonly info: ImageInfo,
    private readonly ask: Ask,
    private readonly kept: Kept<Tile>,
    /** Tiles that have come and wait to be drawn. */
    private readonly fresh: Tile[],
    /** Told about every answer: its bytes and milliseconds, or the problem. */
    private readonly told: (bytes: number, ms: number, p: Problem | null) => void,
    private readonly problemOf: (e: unknown) => Problem,
    /** Labels are painted when they come. */
    readonly labels: Map<number, number> | null = null,
  ) {
    this.grids = grids(info.levels, info.x, info.y);
    this.channels = Math.max(1, info.channels.length);
  }

  plane(at: string): Plane {
    let p = this.planes.get(at);
    if (!p) {
      p = new Plane(this, at);
      this.planes.set(at, p);
    }
    return p;
  }

  /**
   * Adds to jobs what is missing of a rectangle of level 0 on a level. What is nearer to the middle comes earlier;
   * `priority` parts the kinds of need: 0 for the coarsest level, then what is shown, then what may come.
   */
  want(jobs: Map<string, Job>, p: Plane, level: number, rect: Float64Array, channels: readonly number[], priority: number): void {
    const g = this.grids[level]!;
    const r = touched(g, rect, scratch);
    const cx = (rect[0]! + rect[2]!) / 2 / (g.tileX * g.scaleX) - 0.5;
    const cy = (rect[1]! + rect[3]!) / 2 / (g.tileY * g.scaleY) - 0.5;
    for (let ty = r[1]!; ty < r[3]!; ty++) {
      for (let tx = r[0]!; tx < r[2]!; tx++) {
        const far = Math.min(Math.hypot(tx - cx, ty - cy), 1e5);
        this.#wantTile(jobs, p, g, tx, ty, channels, priority * 1e6 + far);
      }
    }
  }

  /** A tile can be drawn now: it takes its place, and that of one before it. */
  settle(t: Tile): void {
    const old = t.plane.get(t.grid.level, t.tx, t.ty, t.channel);
    t.ready = true;
    t.plane.put(t);
    if (old && old !== t) this.kept.delete(old);
  }

  #wantTile(jobs: Map<string, Job>, p: Plane, g: Grid, tx: number, ty: number, channels: readonly number[], priority: number): void {
    let missing = channels.filter((c) => p.get(g.level, tx, ty, c) === undefined);
    // A level that is made on the fly comes interpolated at first, and as it is when all else is there.
    let quick = this.info.levels[g.level]!.made === true && !this.labels;
    if (missing.length === 0) {
      missing = channels.filter((c) => p.get(g.level, tx, ty, c)?.exact === false);
      if (missing.length === 0) return;
      quick = false;
      priority += 1e7;
    }
    const key = `${this.node.path} ${p.at} ${g.level} ${tx} ${ty} ${missing.join()} ${quick}`;
    jobs.set(key, { key, priority, run: (signal) => this.#fetch(p, g, tx, ty, missing, quick, signal) });
  }

  async #fetch(p: Plane, g: Grid, tx: number, ty: number, channels: number[], quick: boolean, signal: AbortSignal): Promise<void> {
    const x0 = tx * g.tileX;
    const y0 = ty * g.tileY;
    const x1 = Math.min(g.width, x0 + g.tileX);
    const y1 = Math.min(g.height, y0 + g.tileY);
    const begin = performance.now();
    let answer: Answer;
    try {
      const q: TileQuery = { level: g.level, x: [x0, x1], y: [y0, y1], at: p.at };
      if (this.info.channel >= 0) q.channels = channels;
      if (this.labels) q.labels = true;
      if (quick) q.quick = true;
      answer = await this.ask(this.node, q, signal);
      if (signal.aborted) return;
      this.#keep(p, g, tx, ty, channels, x1 - x0, y1 - y0, answer);
    } catch (e) {
      if (signal.aborted) return;
      const problem = this.problemOf(e);
      // What is shown already stays where only its refinement failed.
      for (const c of channels) if (!p.get(g.level, tx, ty, c)?.data) this.#store(p, g, tx, ty, c, x1 - x0, y1 - y0, null, problem, true);
      this.told(0, performance.now() - begin, problem);
      return;
    }
    this.told(answer.bytes.byteLength, performance.now() - begin, null);
  }

  #keep(p: Plane, g: Grid, tx: number, ty: number, channels: number[], width: number, height: number, answer: Answer): void {
    const all = values(answer.dataType, answer.bytes);
    const n = width * height;
    if (all.length !== n * channels.length) throw new Error(`the server gave ${all.length} values of a tile in place of ${n * channels.length}`);
    channels.forEach((c, i) => {
      let data: Values = channels.length === 1 ? all : all.slice(i * n, (i + 1) * n);
      if (this.labels) data = paintLabels(new Uint32Array(data), this.labels);
      this.#store(p, g, tx, ty, c, width, height, data, null, answer.exact);
    });
  }

  #store(plane: Plane, grid: Grid, tx: number, ty: number, channel: number, width: number, height: number, data: Values | null, problem: Problem | null, exact: boolean): void {
    const t: Tile = { plane, grid, tx, ty, channel, width, height, data, problem, exact, bytes: data?.byteLength ?? 64, stamp: 0, texture: null, ready: false };
    // The plane may have been dropped while the answer came.
    this.planes.set(plane.at, plane);
    // One that is on screen stays until this one can be drawn.
    if (!plane.get(grid.level, tx, ty, channel)) plane.put(t);
    this.kept.add(t);
    if (data) this.fresh.push(t);
  }
}

const scratch = new Int32Array(4);

/** The numbers of an answer; bytes come in little-endian order, as every machine with a browser has them. */
export function values(type: string, bytes: ArrayBuffer): Values {
  switch (type) {
    case "uint8": case "bool": return new Uint8Array(bytes);
    case "int8": return new Int8Array(bytes);
    case "uint16": return new Uint16Array(bytes);
    case "int16": return new Int16Array(bytes);
    case "uint32": return new Uint32Array(bytes);
    case "int32": return new Int32Array(bytes);
    case "float32": return new Float32Array(bytes);
    default: throw new Error(`the server gave values of the type ${type || "(none)"}, which no picture has`);
  }
}

/** The positions on all axes that are not shown as `at` wants them. */
export function atOf(info: ImageInfo, position: readonly number[]): string {
  const parts: string[] = [];
  info.axes.forEach((_, i) => {
    if (i !== info.x && i !== info.y && i !== info.channel) parts.push(`${i}:${position[i] ?? 0}`);
  });
  return parts.join(",");
}

/** Positions of one image as those of another that shares axes by name, such as its labels. */
export function positionsIn(from: ImageInfo, position: readonly number[], to: ImageInfo): number[] {
  return to.axes.map((a, i) => {
    const k = from.axes.findIndex((b) => b.name === a.name);
    if (k < 0) return to.position[i] ?? 0;
    return Math.min(a.size - 1, Math.max(0, Math.round(convert(from.axes[k]!, a, position[k] ?? 0))));
  });
}

/** An index of an axis as one of another that measures the same. */
function convert(a: Axis, b: Axis, i: number): number {
  if (a.coordinates || b.coordinates || !a.scale || !b.scale) return i;
  return (a.offset + i * a.scale - b.offset) / b.scale;
}

/** How edges of pixels of one image lie in another, per axis: there = factor * here + shift. */
export function placement(from: ImageInfo, to: ImageInfo): { x: [number, number]; y: [number, number] } {
  const one = (a: Axis, b: Axis): [number, number] => {
    if (a.size === b.size || a.coordinates || b.coordinates || !a.scale || !b.scale) return [b.size / Math.max(1, a.size), 0];
    const factor = a.scale / b.scale;
    // Centres lie at offset + i * scale, edges half a pixel before.
    return [factor, (a.offset - 0.5 * a.scale - b.offset) / b.scale + 0.5];
  };
  return { x: one(from.axes[from.x]!, to.axes[to.x]!), y: one(from.axes[from.y]!, to.axes[to.y]!) };
}
