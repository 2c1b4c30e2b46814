// What is drawn over the picture: the grid of chunks, tiles that failed, the measured distance.

import { type Camera, indexX, indexY, inSight, screenX, screenY } from "./camera";
import type { Tile } from "./tiles";

export type Points = { x: number; y: number }[];

export class Overlay {
  readonly #ctx: CanvasRenderingContext2D | null;
  readonly #sight = new Float64Array(4);
  #hatch: CanvasPattern | null = null;
  #drawn = false;
  #dpr = 1;

  constructor(private readonly canvas: HTMLCanvasElement) {
    this.#ctx = canvas.getContext("2d");
  }

  begin(c: Camera, dpr: number, wanted: boolean): void {
    if (!this.#ctx || (!wanted && !this.#drawn)) return;
    const w = Math.max(1, Math.round(c.width * dpr));
    const h = Math.max(1, Math.round(c.height * dpr));
    if (this.canvas.width !== w || this.canvas.height !== h) {
      this.canvas.width = w;
      this.canvas.height = h;
    }
    this.#dpr = dpr;
    this.#ctx.setTransform(1, 0, 0, 1, 0, 0);
    this.#ctx.clearRect(0, 0, w, h);
    this.#ctx.setTransform(dpr, 0, 0, dpr, 0, 0);
    this.#drawn = wanted;
  }

  /** Lines every stepX, stepY indices of level 0; none when they would lie too close to be seen apart. */
  grid(c: Camera, stepX: number, stepY: number, colour: string, width: number): boolean {
    const ctx = this.#ctx;
    if (!ctx || stepX * c.zoom < 5 || stepY * c.zoom * c.aspect < 5) return false;
    const s = inSight(c, this.#sight);
    const top = screenY(c, c.up ? c.sizeY : 0);
    const bottom = screenY(c, c.up ? 0 : c.sizeY);
    const left = screenX(c, 0);
    const right = screenX(c, c.sizeX);
    const half = (width * this.#dpr) % 2 === 1 ? 0.5 / this.#dpr : 0;
    const snap = (v: number) => Math.round(v * this.#dpr) / this.#dpr + half;
    ctx.strokeStyle = colour;
    ctx.lineWidth = width;
    ctx.beginPath();
    for (let x = Math.ceil(s[0]! / stepX) * stepX; x <= s[2]!; x += stepX) {
      const sx = snap(screenX(c, x));
      ctx.moveTo(sx, Math.max(top, 0));
      ctx.lineTo(sx, Math.min(bottom, c.height));
    }
    for (let y = Math.ceil(s[1]! / stepY) * stepY; y <= s[3]!; y += stepY) {
      const sy = snap(screenY(c, y));
      ctx.moveTo(Math.max(left, 0), sy);
      ctx.lineTo(Math.min(right, c.width), sy);
    }
    ctx.stroke();
    return true;
  }

  /** A tile that failed: hatched, with the reason where there is room for it. */
  failed(c: Camera, t: Tile): void {
    const ctx = this.#ctx;
    if (!ctx) return;
    const g = t.grid;
    const x0 = Math.max(0, screenX(c, t.tx * g.tileX * g.scaleX));
    const x1 = Math.min(c.width, screenX(c, Math.min(c.sizeX, (t.tx * g.tileX + t.width) * g.scaleX)));
    const ya = screenY(c, t.ty * g.tileY * g.scaleY);
    const yb = screenY(c, Math.min(c.sizeY, (t.ty * g.tileY + t.height) * g.scaleY));
    const y0 = Math.max(0, Math.min(ya, yb));
    const y1 = Math.min(c.height, Math.max(ya, yb));
    if (x1 <= x0 || y1 <= y0) return;
    this.#hatch ??= makeHatch(ctx);
    ctx.fillStyle = "#1a0f12b8";
    ctx.fillRect(x0, y0, x1 - x0, y1 - y0);
    if (this.#hatch) {
      ctx.fillStyle = this.#hatch;
      ctx.fillRect(x0, y0, x1 - x0, y1 - y0);
    }
    ctx.strokeStyle = "#ff8f8fb0";
    ctx.lineWidth = 1;
    ctx.strokeRect(x0 + 0.5, y0 + 0.5, x1 - x0 - 1, y1 - y0 - 1);
    const words = t.problem?.error ?? "";
    const fit = Math.floor((x1 - x0 - 24) / 7.3);
    if (fit > 12 && y1 - y0 > 30) this.#words(words.length > fit ? words.slice(0, fit - 1) + "…" : words, (x0 + x1) / 2, (y0 + y1) / 2, "#ffd7d7");
  }

  #words(text: string, x: number, y: number, colour: string): void {
    const ctx = this.#ctx!;
    ctx.font = "12px ui-monospace, Menlo, Consolas, monospace";
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    const w = ctx.measureText(text).width + 14;
    ctx.fillStyle = "#0d1015e6";
    ctx.fillRect(x - w / 2, y - 11, w, 22);
    ctx.fillStyle = colour;
    ctx.fillText(text, x, y);
  }

  measure(c: Camera, p: Points, words: string): void {
    const ctx = this.#ctx;
    if (!ctx || p.length === 0) return;
    const ax = screenX(c, p[0]!.x);
    const ay = screenY(c, p[0]!.y);
    const b = p[1] ?? p[0]!;
    const bx = screenX(c, b.x);
    const by = screenY(c, b.y);
    this.#twice("#ffe066", 2, () => {
      ctx.moveTo(ax, ay);
      ctx.lineTo(bx, by);
      for (const [x, y] of [[ax, ay], [bx, by]] as const) {
        ctx.moveTo(x + 5, y);
        ctx.arc(x, y, 5, 0, 7);
      }
    });
    if (p.length < 2 || !words) return;
    this.#words(words, Math.min(Math.max((ax + bx) / 2, 50), c.width - 50), Math.min(Math.max((ay + by) / 2 - 18, 16), c.height - 16), "#ffe066");
  }

  /** Where keys act: the middle. */
  cross(c: Camera): void {
    const ctx = this.#ctx;
    if (!ctx) return;
    const x = Math.round(c.width / 2) + 0.5;
    const y = Math.round(c.height / 2) + 0.5;
    this.#twice("#fff", 1, () => {
      ctx.moveTo(x - 9, y);
      ctx.lineTo(x + 9, y);
      ctx.moveTo(x, y - 9);
      ctx.lineTo(x, y + 9);
    });
  }

  /** Lines that are seen on any picture: light on a dark edge. */
  #twice(colour: string, width: number, path: () => void): void {
    const ctx = this.#ctx!;
    ctx.beginPath();
    path();
    ctx.strokeStyle = "#000a";
    ctx.lineWidth = width + 2;
    ctx.stroke();
    ctx.strokeStyle = colour;
    ctx.lineWidth = width;
    ctx.stroke();
  }
}

function makeHatch(ctx: CanvasRenderingContext2D): CanvasPattern | null {
  const s = 12;
  const p = document.createElement("canvas");
  p.width = p.height = s;
  const c = p.getContext("2d")!;
  c.strokeStyle = "#ff8f8f66";
  c.lineWidth = 2;
  c.beginPath();
  for (const d of [-s, 0, s]) {
    c.moveTo(d - 2, s + 2);
    c.lineTo(d + s + 2, -2);
  }
  c.stroke();
  return ctx.createPattern(p, "repeat");
}

/** The nearer of the points within reach of a place on screen, or -1. */
export function near(c: Camera, p: Points, sx: number, sy: number, reach = 14): number {
  let best = -1;
  let least = reach;
  p.forEach((q, i) => {
    const d = Math.hypot(screenX(c, q.x) - sx, screenY(c, q.y) - sy);
    if (d < least) {
      least = d;
      best = i;
    }
  });
  return best;
}

export const under = (c: Camera, sx: number, sy: number) => ({ x: indexX(c, sx), y: indexY(c, sy) });
