// What a frame shows: a list of rectangles, each with the best tiles there are for it. The list is made once and
// filled anew for every frame.

import { type Camera, screenX, screenY } from "./camera";
import { touched } from "./pyramid";
import type { Plane, Tile } from "./tiles";

export type Region = {
  // in indices of level 0 of the pyramid the tiles are of
  x0: number; y0: number; x1: number; y1: number;
  // on screen, in CSS pixels; where y grows upwards sy1 < sy0
  sx0: number; sy0: number; sx1: number; sy1: number;
  /** One for each channel shown; null where there is nothing yet. */
  tiles: (Tile | null)[];
};

export class Scene {
  readonly regions: Region[] = [];
  count = 0;
  /** Every tile of the level that is meant is there (or failed). */
  complete = true;
  /** Something is there for everything in sight. */
  covered = true;
  /** Tiles that failed, in sight. */
  readonly failed: Tile[] = [];
  level = 0;
  tilesInSight = 0;

  readonly #range = new Int32Array(4);
  readonly #finer = new Int32Array(4);
  readonly #part = new Float64Array(4);

  #next(channels: number): Region {
    let r = this.regions[this.count];
    if (!r) {
      r = { x0: 0, y0: 0, x1: 0, y1: 0, sx0: 0, sy0: 0, sx1: 0, sy1: 0, tiles: [] };
      this.regions.push(r);
    }
    this.count++;
    r.tiles.length = channels;
    return r;
  }

  clear(): void {
    this.count = 0;
    this.complete = true;
    this.covered = true;
    this.failed.length = 0;
    this.tilesInSight = 0;
  }

  /**
   * Fills the list for a plane. `sight` is what is seen, in indices of the plane's level 0; `under` lets finer tiles
   * stand in for coarser ones that have not come (labels are blended, and must not lie over each other).
   */
  fill(p: Plane, level: number, sight: Float64Array, channels: readonly number[], stamp: number, under: boolean): void {
    this.clear();
    this.level = level;
    if (!(sight[2]! > sight[0]! && sight[3]! > sight[1]!)) return;
    const g = p.pyramid.grids[level]!;
    const t = touched(g, sight, this.#range);
    for (let ty = t[1]!; ty < t[3]!; ty++) {
      for (let tx = t[0]!; tx < t[2]!; tx++) {
        this.tilesInSight++;
        const r = this.#next(channels.length);
        r.x0 = Math.max(sight[0]!, tx * g.tileX * g.scaleX);
        r.y0 = Math.max(sight[1]!, ty * g.tileY * g.scaleY);
        // The last tile reaches to the edge: levels are rounded, and a picture has no seam there.
        r.x1 = tx === g.across - 1 ? sight[2]! : Math.min(sight[2]!, (tx + 1) * g.tileX * g.scaleX);
        r.y1 = ty === g.down - 1 ? sight[3]! : Math.min(sight[3]!, (ty + 1) * g.tileY * g.scaleY);
        const whole = this.#pick(r, p, level, tx, ty, channels, stamp);
        if (!whole && under && level > 0) this.#finerOver(r, p, level, channels, stamp);
      }
    }
  }

  /** Chooses a region's tiles; a region with nothing at all is taken back. */
  #pick(r: Region, p: Plane, level: number, tx: number, ty: number, channels: readonly number[], stamp: number): boolean {
    const cx = (r.x0 + r.x1) / 2;
    const cy = (r.y0 + r.y1) / 2;
    let some = 0;
    let whole = true;
    for (let i = 0; i < channels.length; i++) {
      const c = channels[i]!;
      let tile: Tile | undefined = p.get(level, tx, ty, c);
      if (tile === undefined || (tile.data && !tile.ready)) this.complete = false;
      if (tile !== undefined) tile.stamp = stamp;
      if (tile?.problem && !this.failed.some((f) => f.tx === tx && f.ty === ty && f.grid === tile!.grid)) this.failed.push(tile);
      if (!tile?.ready) {
        whole = false;
        tile = p.finest(level + 1, cx, cy, c);
      }
      if (tile) {
        tile.stamp = stamp;
        some++;
      }
      r.tiles[i] = tile ?? null;
    }
    if (some === 0) {
      this.count--;
      if (channels.length > 0) this.covered = false;
    }
    return whole;
  }

  /** After zooming out the finer tiles are still there: they lie over the coarse stand-in. */
  #finerOver(r: Region, p: Plane, level: number, channels: readonly number[], stamp: number): void {
    const { x0, y0, x1, y1 } = r;
    for (let l = level - 1; l >= Math.max(0, level - 2); l--) {
      const g = p.pyramid.grids[l]!;
      this.#part[0] = x0;
      this.#part[1] = y0;
      this.#part[2] = x1;
      this.#part[3] = y1;
      const t = touched(g, this.#part, this.#finer);
      let some = false;
      for (let ty = t[1]!; ty < t[3]!; ty++) {
        for (let tx = t[0]!; tx < t[2]!; tx++) {
          let all = channels.length > 0;
          for (let i = 0; all && i < channels.length; i++) all = p.get(l, tx, ty, channels[i]!)?.ready === true;
          if (!all) continue;
          some = true;
          const f = this.#next(channels.length);
          f.x0 = Math.max(x0, tx * g.tileX * g.scaleX);
          f.y0 = Math.max(y0, ty * g.tileY * g.scaleY);
          f.x1 = Math.min(x1, (tx + 1) * g.tileX * g.scaleX);
          f.y1 = Math.min(y1, (ty + 1) * g.tileY * g.scaleY);
          for (let i = 0; i < channels.length; i++) {
            const tile = p.get(l, tx, ty, channels[i]!)!;
            tile.stamp = stamp;
            f.tiles[i] = tile;
          }
        }
      }
      if (some) return;
    }
  }

  /** Where the regions lie on the screen; with a placement for images that lie in another one. */
  project(c: Camera, fx = 1, dx = 0, fy = 1, dy = 0): void {
    for (let i = 0; i < this.count; i++) {
      const r = this.regions[i]!;
      r.sx0 = screenX(c, (r.x0 - dx) / fx);
      r.sx1 = screenX(c, (r.x1 - dx) / fx);
      r.sy0 = screenY(c, (r.y0 - dy) / fy);
      r.sy1 = screenY(c, (r.y1 - dy) / fy);
    }
  }
}
