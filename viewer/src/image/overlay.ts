// What is drawn over the picture: the grid of chunks, tiles that failed, the measured distance.

import { type Camera, indexX, indexY, inSight, screenX, screenY } from "./camera";
import type { Tile } from "./tiles";

export type Points = { x: number; y: number }[];

export class Overlay {
  private readonly ctx: CanvasRenderingContext2D | null;
  private readonly sight = new Float64Array(4);
  private hatch: CanvasPattern | null = null;
  private drawn = false;
  private dpr = 1;

  constructor(private readonly canvas: HTMLCanvasElement) {
    this.ctx = canvas.getContext("2d");
  }

  begin(c: Camera, dpr: number, wanted: boolean): void {
    if (!this.ctx || (!wanted && !this.drawn)) return;
    const w = Math.max(1, Math.round(c.width * dpr));
    const h = Math.max(1, Math.round(c.height * dpr));
    if (this.canvas.width !== w || this.canvas.height !== h) {
      this.canvas.width = w;
      this.canvas.height = h;
    }
    this.dpr = dpr;
    this.ctx.setTransform(1, 0, 0, 1, 0, 0);
    this.ctx.clearRect(0, 0, w, h);
    this.ctx.setTransform(dpr, 0, 0, dpr, 0, 0);
    this.drawn = wanted;
  }

  /** Lines every stepX, stepY indices of level 0; none when they would lie too close to be seen apart. */
  grid(c: Camera, stepX: number, stepY: number, colour: string, width: number): boolean {
    const ctx = this.ctx;
    if (!ctx || stepX * c.zoom < 5 || stepY * c.zoom * c.aspect < 5) return false;
    const s = inSight(c, this.sight);
    const top = screenY(c, c.up ? c.sizeY : 0);
    const bottom = screenY(c, c.up ? 0 : c.sizeY);
    const left = screenX(c, 0);
    const right = screenX(c, c.sizeX);
    const half = (width * this.dpr) % 2 === 1 ? 0.5 / this.dpr : 0;
    const snap = (v: number) => Math.round(v * this.dpr) / this.dpr + half;
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
    const ctx = this.ctx;
    if (!ctx) return;
    const g = t.grid;
    const x0 = Math.max(0, screenX(c, t.tx * g.tileX * g.scaleX));
    const x1 = Math.min(c.width, screenX(c, Math.min(c.sizeX, (t.tx * g.tileX + t.width) * g.scaleX)));
    const ya = screenY(c, t.ty * g.tileY * g.scaleY);
    const yb = screenY(c, Math.min(c.sizeY, (t.ty * g.tileY + t.height) * g.scaleY));
    const y0 = Math.max(0, Math.min(ya, yb));
    const y1 = Math.min(c.height, Math.max(ya, yb));
    if (x1 <= x0 || y1 <= y0) return;
    this.hatch ??= makeHatch(ctx);
    ctx.fillStyle = "#1a0f12b8";
    ctx.fillRect(x0, y0, x1 - x0, y1 - y0);
    if (this.hatch) {
      ctx.fillStyle = this.hatch;
      ctx.fillRect(x0, y0, x1 - x0, y1 - y0);
    }
    ctx.strokeStyle = "#ff8f8fb0";
    ctx.lineWidth = 1;
    ctx.strokeRect(x0 + 0.5, y0 + 0.5, x1 - x0 - 1, y1 - y0 - 1);
    const room = x1 - x0 - 20;
    if (room < 90 || y1 - y0 < 44) return;
    ctx.font = "12px ui-monospace, Menlo, Consolas, monospace";
    const lines = wrap(t.problem?.error ?? "", Math.floor(room / 7.3), Math.floor((y1 - y0 - 20) / 17));
    ctx.textBaseline = "middle";
    ctx.textAlign = "center";
    const cx = (x0 + x1) / 2;
    const cy = (y0 + y1) / 2 - ((lines.length - 1) * 17) / 2;
    const widest = Math.max(...lines.map((l) => l.length)) * 7.3 + 16;
    ctx.fillStyle = "#12080ad9";
    ctx.fillRect(cx - widest / 2, cy - 14, widest, lines.length * 17 + 11);
    ctx.fillStyle = "#ffd7d7";
    lines.forEach((l, i) => ctx.fillText(l, cx, cy + i * 17));
  }

  measure(c: Camera, p: Points, words: string): void {
    const ctx = this.ctx;
    if (!ctx || p.length === 0) return;
    const ax = screenX(c, p[0]!.x);
    const ay = screenY(c, p[0]!.y);
    const b = p[1] ?? p[0]!;
    const bx = screenX(c, b.x);
    const by = screenY(c, b.y);
    for (const [colour, width] of [["#000a", 4], ["#ffe066", 2]] as const) {
      ctx.strokeStyle = colour;
      ctx.lineWidth = width;
      ctx.beginPath();
      ctx.moveTo(ax, ay);
      ctx.lineTo(bx, by);
      ctx.stroke();
      for (const [x, y] of [[ax, ay], [bx, by]] as const) {
        ctx.beginPath();
        ctx.arc(x, y, 5, 0, 7);
        ctx.stroke();
      }
    }
    if (p.length < 2 || !words) return;
    ctx.font = "12px ui-monospace, Menlo, Consolas, monospace";
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    const w = ctx.measureText(words).width + 14;
    const mx = Math.min(Math.max((ax + bx) / 2, w / 2 + 4), c.width - w / 2 - 4);
    const my = Math.min(Math.max((ay + by) / 2 - 18, 16), c.height - 16);
    ctx.fillStyle = "#0d1015e6";
    ctx.beginPath();
    ctx.roundRect(mx - w / 2, my - 11, w, 22, 6);
    ctx.fill();
    ctx.fillStyle = "#ffe066";
    ctx.fillText(words, mx, my);
  }

  /** Where keys act: the middle. */
  cross(c: Camera): void {
    const ctx = this.ctx;
    if (!ctx) return;
    const x = Math.round(c.width / 2) + 0.5;
    const y = Math.round(c.height / 2) + 0.5;
    for (const [colour, width] of [["#000a", 3], ["#fff", 1]] as const) {
      ctx.strokeStyle = colour;
      ctx.lineWidth = width;
      ctx.beginPath();
      ctx.moveTo(x - 9, y);
      ctx.lineTo(x + 9, y);
      ctx.moveTo(x, y - 9);
      ctx.lineTo(x, y + 9);
      ctx.stroke();
    }
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

/** Words in lines of at most n letters; what does not fit ends in an ellipsis. */
export function wrap(text: string, n: number, most: number): string[] {
  const lines: string[] = [];
  let rest = text.trim();
  while (rest && lines.length < most) {
    if (rest.length <= n) {
      lines.push(rest);
      return lines;
    }
    let cut = rest.lastIndexOf(" ", n);
    if (cut < n / 2) cut = n;
    lines.push(rest.slice(0, cut));
    rest = rest.slice(cut).trim();
  }
  if (rest && lines.length > 0) lines[lines.length - 1] = lines[lines.length - 1]!.slice(0, Math.max(1, n - 1)) + "…";
  return lines;
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
