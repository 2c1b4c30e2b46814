// Labels over an image: an image of their own, that may be larger or smaller and lie elsewhere.

import * as api from "../api";
import type { Camera } from "./camera";
import { chooseLevel } from "./pyramid";
import type { Job } from "./queue";
import type { Renderer } from "./renderer";
import { Scene } from "./scene";
import { atOf, type Plane, placement, positionsIn, type Pyramid, values } from "./tiles";

const first: readonly number[] = [0];

export class LabelLayer {
  readonly #place: ReturnType<typeof placement>;
  readonly #scene = new Scene();
  readonly #sight = new Float64Array(4);

  constructor(
    private readonly image: api.ImageInfo,
    readonly pyramid: Pyramid,
  ) {
    this.#place = placement(image, pyramid.info);
  }

  #plane(position: readonly number[]): Plane {
    const { info } = this.pyramid;
    return this.pyramid.plane(atOf(info, positionsIn(this.image, position, info)));
  }

  /** What is in sight, in indices of the labels, and the level for it. */
  #look(s: Float64Array, zoom: number): number {
    const { x, y } = this.#place;
    const g = this.pyramid.grids[0]!;
    this.#sight[0] = Math.max(0, s[0]! * x[0] + x[1]);
    this.#sight[1] = Math.max(0, s[1]! * y[0] + y[1]);
    this.#sight[2] = Math.min(g.width, s[2]! * x[0] + x[1]);
    this.#sight[3] = Math.min(g.height, s[3]! * y[0] + y[1]);
    return chooseLevel(this.pyramid.grids, zoom / x[0]);
  }

  want(jobs: Map<string, Job>, position: readonly number[], s: Float64Array, zoom: number): void {
    const p = this.#plane(position);
    const level = this.#look(s, zoom);
    this.pyramid.want(jobs, p, this.pyramid.grids.length - 1, this.#sight, first, 1.5);
    this.pyramid.want(jobs, p, level, this.#sight, first, 3);
  }

  draw(r: Renderer, c: Camera, position: readonly number[], s: Float64Array, zoom: number, stamp: number, opacity: number, edges: boolean): void {
    const { x, y } = this.#place;
    const level = this.#look(s, zoom);
    // Labels are blended: a finer tile over a coarser one would count twice.
    this.#scene.fill(this.#plane(position), level, this.#sight, first, stamp, false);
    this.#scene.project(c, x[0], x[1], y[0], y[1]);
    r.labels(this.#scene, opacity, edges);
  }

  /** The label of a pixel of the image; null outside of the labels. */
  async at(position: readonly number[], col: number, row: number, signal: AbortSignal): Promise<number | null> {
    const { x, y } = this.#place;
    const [lx, ly] = [Math.floor((col + 0.5) * x[0] + x[1]), Math.floor((row + 0.5) * y[0] + y[1])];
    const g = this.pyramid.grids[0]!;
    if (lx < 0 || ly < 0 || lx >= g.width || ly >= g.height) return null;
    const q: api.TileQuery = { level: 0, x: [lx, lx + 1], y: [ly, ly + 1], at: this.#plane(position).at, labels: true };
    if (this.pyramid.info.channel >= 0) q.channels = [0];
    const t = await api.tile(this.pyramid.node, q, signal);
    return values(t.dataType, t.bytes)[0] ?? null;
  }
}
