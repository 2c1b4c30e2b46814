// Drawing without WebGL: tiles are coloured by the processor, a few in each frame, and kept as pictures.

import { compose, type Look, missingDark, missingLight, missingSize, outlines } from "./look";
import type { Renderer } from "./renderer";
import type { Region, Scene } from "./scene";
import type { Tile } from "./tiles";

type Picture = { canvas: HTMLCanvasElement; version: number; tiles: (Tile | null)[] };

export class FlatRenderer implements Renderer {
  readonly name = "2-D canvas";
  readonly #pictures = new WeakMap<Tile, Picture>();
  readonly #none: CanvasPattern | null;
  #dpr = 1;
  #until = 0;
  #more = false;

  static create(canvas: HTMLCanvasElement): FlatRenderer | null {
    const ctx = canvas.getContext("2d");
    return ctx ? new FlatRenderer(canvas, ctx) : null;
  }

  private constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly ctx: CanvasRenderingContext2D,
  ) {
    const s = missingSize;
    const p = document.createElement("canvas");
    p.width = p.height = 2 * s;
    const c = p.getContext("2d")!;
    const css = (bgr: number) => `rgb(${bgr & 255} ${(bgr >> 8) & 255} ${bgr >> 16})`;
    c.fillStyle = css(missingDark);
    c.fillRect(0, 0, 2 * s, 2 * s);
    c.fillStyle = css(missingLight);
    c.fillRect(s, 0, s, s);
    c.fillRect(0, s, s, s);
    this.#none = ctx.createPattern(p, "repeat");
  }

  warm(): void {}

  prepare(): void {}

  free(t: Tile): void {
    this.#pictures.delete(t);
  }

  begin(width: number, height: number, dpr: number): void {
    const w = Math.max(1, Math.round(width * dpr));
    const h = Math.max(1, Math.round(height * dpr));
    if (this.canvas.width !== w || this.canvas.height !== h) {
      this.canvas.width = w;
      this.canvas.height = h;
    }
    this.#dpr = dpr;
    this.#until = performance.now() + 10;
    this.#more = false;
    this.ctx.setTransform(1, 0, 0, 1, 0, 0);
    this.ctx.clearRect(0, 0, w, h);
  }

  image(scene: Scene, look: Look, crisp: boolean): void {
    for (let k = 0; k < scene.count; k++) {
      const r = scene.regions[k]!;
      const tiles = this.#sameTile(r, look);
      const first = tiles.find((t) => t !== null);
      if (!first) continue;
      const p = this.#picture(first, tiles, look.version, (out) => compose(look, tiles.map((t) => t?.data ?? null), first.width * first.height, out));
      if (!p) continue;
      this.ctx.imageSmoothingEnabled = !(crisp && first.grid.level === scene.level);
      this.#box(r);
      this.ctx.fillStyle = this.#none ?? "#1a1a1a";
      this.ctx.fillRect(this.#bx, this.#by, this.#bw, this.#bh);
      this.#draw(r, first, p.canvas);
    }
  }

  labels(scene: Scene, opacity: number, edges: boolean): void {
    this.ctx.globalAlpha = opacity;
    this.ctx.imageSmoothingEnabled = false;
    for (let k = 0; k < scene.count; k++) {
      const r = scene.regions[k]!;
      const t = r.tiles[0];
      if (!t?.data) continue;
      const data = t.data as Uint32Array;
      const p = this.#picture(t, r.tiles, edges ? 1 : 0, (out) => out.set(edges ? outlines(data, t.width, t.height) : data));
      if (!p) continue;
      this.#box(r);
      this.#draw(r, t, p.canvas);
    }
    this.ctx.globalAlpha = 1;
  }

  end(): boolean {
    return this.#more;
  }

  dispose(): void {}

  /** Tiles of a picture must lie in one place: where channels have come to different levels, the coarsest counts. */
  #sameTile(r: Region, look: Look): (Tile | null)[] {
    let c: Tile | null = null;
    for (const t of r.tiles) if (t && (!c || t.grid.level > c.grid.level)) c = t;
    return look.channels.map((l) => {
      const t = c?.plane.get(c.grid.level, c.tx, c.ty, l.channel);
      return t?.ready ? t : null;
    });
  }

  /** The coloured tile; an old one, or none, when this frame has no time left. */
  #picture(key: Tile, tiles: (Tile | null)[], version: number, paint: (out: Uint32Array) => void): Picture | undefined {
    let p = this.#pictures.get(key);
    if (p && p.version === version && p.tiles.length === tiles.length && p.tiles.every((t, i) => t === (tiles[i] ?? null))) return p;
    if (performance.now() > this.#until) {
      this.#more = true;
      return p;
    }
    if (!p) {
      const canvas = document.createElement("canvas");
      canvas.width = key.width;
      canvas.height = key.height;
      p = { canvas, version, tiles: [] };
      this.#pictures.set(key, p);
    }
    p.version = version;
    p.tiles = tiles.slice();
    const c = p.canvas.getContext("2d")!;
    const image = c.createImageData(key.width, key.height);
    paint(new Uint32Array(image.data.buffer));
    c.putImageData(image, 0, 0);
    return p;
  }

  #bx = 0;
  #by = 0;
  #bw = 0;
  #bh = 0;

  /** The region in whole device pixels, so that neighbours meet without a seam. */
  #box(r: Region): void {
    const x0 = Math.round(r.sx0 * this.#dpr);
    const x1 = Math.round(r.sx1 * this.#dpr);
    const y0 = Math.round(Math.min(r.sy0, r.sy1) * this.#dpr);
    const y1 = Math.round(Math.max(r.sy0, r.sy1) * this.#dpr);
    this.#bx = x0;
    this.#by = y0;
    this.#bw = x1 - x0;
    this.#bh = y1 - y0;
  }

  #draw(r: Region, t: Tile, picture: HTMLCanvasElement): void {
    const g = t.grid;
    const ctx = this.ctx;
    // A tile is drawn whole and cut by the canvas: cutting in its own pixels would shift magnified ones.
    const sx = ((r.sx1 - r.sx0) / (r.x1 - r.x0)) * g.scaleX * this.#dpr;
    const sy = ((r.sy1 - r.sy0) / (r.y1 - r.y0)) * g.scaleY * this.#dpr;
    const dx = r.sx0 * this.#dpr - (r.x0 / g.scaleX - t.tx * g.tileX) * sx;
    const dy = r.sy0 * this.#dpr - (r.y0 / g.scaleY - t.ty * g.tileY) * sy;
    ctx.save();
    ctx.beginPath();
    ctx.rect(this.#bx, this.#by, this.#bw, this.#bh);
    ctx.clip();
    ctx.setTransform(sx, 0, 0, sy, dx, dy);
    ctx.drawImage(picture, 0, 0);
    ctx.restore();
  }
}
