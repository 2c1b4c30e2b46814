// Channels below each other, on a canvas.
import { type Block, binAt, binFrom, columns, drawnAsLine, plan, timeAt } from "./blocks";
import type { Colors } from "./colors";
import { type Pixels, rgb, trace } from "./paint";
import { niceStep } from "./ticks";
import type { Geometry } from "./timeframe";
import { withUnit } from "./units";
import type { Span } from "./window";

let image: ImageData | null = null;

/** The picture that traces are painted into, used again while it has the size. */
function canvasPixels(g: CanvasRenderingContext2D): { image: ImageData; pixels: Pixels } {
  const { width, height } = g.canvas;
  if (image?.width !== width || image.height !== height) image = g.createImageData(width, height);
  const pixels = { data: new Uint32Array(image.data.buffer), width, height };
  pixels.data.fill(0);
  return { image, pixels };
}

/** Few channels each have a colour; many have two shades, so that neighbours are told apart. */
function colorOf(c: Colors, channel: number, count: number): string {
  return count <= c.traces.length ? c.traces[channel % c.traces.length]! : channel % 2 ? c.traces[5]! : c.traces[0]!;
}

/** Paints rows that swing by gain around their middles. One row alone has an axis, several have a bar. */
export function paintStack(g: CanvasRenderingContext2D, geo: Geometry, blocks: Block[], zero: (channel: number) => number, gain: number, unit?: string): void {
  const { span, shown, ratio, colors: c } = geo;
  if (!blocks.length || !(gain > 0)) return;
  const { image, pixels } = canvasPixels(g);
  const perPixel = (span.to - span.from) / pixels.width;
  const rowHeight = pixels.height / shown.count, scale = rowHeight / gain;
  const pairs = new Float32Array(pixels.width * 2);
  const lines: { block: Block; channel: number; middle: number; part: Span }[] = [];
  const gaps: [number, number, number][] = [];
  for (let i = 0; i < shown.count; i++) {
    const channel = shown.first + i, middle = (i + 0.5) * rowHeight;
    for (const part of plan(blocks, channel, span, perPixel)) {
      const x0 = Math.max(0, Math.round((part.from - span.from) / perPixel)), x1 = Math.min(pixels.width, Math.round((part.to - span.from) / perPixel));
      if (drawnAsLine(part.block, perPixel)) {
        lines.push({ block: part.block, channel, middle, part });
        continue;
      }
      columns(part.block, channel, span, pixels.width, x0, x1, pairs);
      // A loud channel may cross its neighbours, but not the whole picture.
      trace(pixels, pairs, x0, x1, middle, zero(channel), scale, rgb(colorOf(c, channel, shown.count)), Math.max(0, middle - rowHeight * 2), Math.min(pixels.height, middle + rowHeight * 2));
      for (let x = x0; x < x1 && part.block.exact !== false; x++) {
        if (!Number.isNaN(pairs[2 * x]!)) continue;
        const begin = x;
        while (x < x1 && Number.isNaN(pairs[2 * x]!)) x++;
        if (x - begin > 1) gaps.push([i, begin, x]);
      }
    }
  }
  g.putImageData(image, 0, 0);
  g.save();
  g.setTransform(1, 0, 0, 1, 0, 0);
  for (const l of lines) line(g, l.block, l.channel, l.part, (t) => (t - span.from) / perPixel, (v) => l.middle - (v - zero(l.channel)) * scale, colorOf(c, l.channel, shown.count), ratio, (a, b) => gaps.push([Math.round(l.middle / rowHeight - 0.5), a, b]));
  // What is missing is shown as missing.
  g.fillStyle = c.faint;
  for (const [row, x0, x1] of gaps) {
    g.globalAlpha = 0.14;
    g.fillRect(x0, row * rowHeight + rowHeight * 0.2, x1 - x0, rowHeight * 0.6);
  }
  g.restore();
  if (shown.count > 1) scaleBar(g, geo, gain, unit);
}

/** A line through samples, with points when they are far apart. */
function line(g: CanvasRenderingContext2D, b: Block, channel: number, part: Span, x: (t: number) => number, y: (v: number) => number, color: string, ratio: number, gap: (x0: number, x1: number) => void): void {
  const base = b.channels.indexOf(channel) * b.bins;
  const first = Math.max(0, binAt(b, part.from)), last = Math.min(b.bins - 1, binFrom(b, part.to));
  g.strokeStyle = g.fillStyle = color;
  g.lineWidth = 1.2 * ratio;
  g.lineJoin = "round";
  g.beginPath();
  let open = false, lost = NaN;
  for (let i = first; i <= last; i++) {
    const v = b.values[base + i]!, at = x(timeAt(b, i));
    // With times of their own, samples far apart are not one line.
    const far = b.at !== undefined && i > first && timeAt(b, i) - timeAt(b, i - 1) > 4 * b.dt;
    if (!Number.isFinite(v)) {
      if (Number.isNaN(lost)) lost = i > first ? x(timeAt(b, i - 1)) : at;
      open = false;
      continue;
    }
    if (!Number.isNaN(lost)) gap(lost, at);
    else if (far) gap(x(timeAt(b, i - 1)), at);
    lost = NaN;
    if (open && !far) g.lineTo(at, y(v));
    else g.moveTo(at, y(v));
    open = true;
  }
  if (!Number.isNaN(lost)) gap(lost, x(timeAt(b, last)));
  g.stroke();
  if (x(timeAt(b, first + 1)) - x(timeAt(b, first)) < 7 * ratio && last > first) return;
  g.beginPath();
  for (let i = first; i <= last; i++) {
    const v = b.values[base + i]!;
    if (!Number.isFinite(v)) continue;
    const at = x(timeAt(b, i)), up = y(v);
    g.moveTo(at + 2.2 * ratio, up);
    g.arc(at, up, 2.2 * ratio, 0, 2 * Math.PI);
  }
  g.fill();
}

/** A bar of a round height, and what it stands for. */
function scaleBar(g: CanvasRenderingContext2D, geo: Geometry, gain: number, unit?: string): void {
  const { width, height, shown, colors: c } = geo;
  const perValue = height / shown.count / gain;
  const value = niceStep(60 / perValue, 2), size = value * perValue;
  if (!(size > 4) || size > height) return;
  const text = withUnit(value, unit, 3);
  g.font = c.mono;
  const words = g.measureText(text).width, x = width - 14.5, y = height - 12;
  g.fillStyle = c.bg;
  g.globalAlpha = 0.8;
  g.fillRect(x - words - 14, y - size - 6, words + 24, size + 12);
  g.globalAlpha = 1;
  g.strokeStyle = c.ink;
  g.lineWidth = 1.5;
  g.beginPath();
  g.moveTo(x, y - size);
  g.lineTo(x, y);
  g.stroke();
  g.fillStyle = c.ink;
  g.textAlign = "right";
  g.textBaseline = "middle";
  g.fillText(text, x - 8, y - size / 2);
}

/** All of one channel in the strip below. */
export function paintOverview(g: CanvasRenderingContext2D, b: Block, width: number, height: number, c: Colors): void {
  const pairs = new Float32Array(width * 2);
  const channel = b.channels[0]!;
  columns(b, channel, b, width, 0, width, pairs);
  let low = Infinity, high = -Infinity;
  for (const v of pairs) {
    if (v < low) low = v;
    if (v > high) high = v;
  }
  if (!(low <= high)) return;
  const scale = (height - 8) / (high - low || 1), y = (v: number) => height - 4 - (v - low) * scale;
  g.fillStyle = g.strokeStyle = c.dim;
  g.globalAlpha = 0.75;
  g.beginPath();
  for (let x = 0; x < width; x++) {
    const a = pairs[2 * x]!, z = pairs[2 * x + 1]!;
    if (Number.isNaN(a)) continue;
    // Few samples leave pixels between them: they are a line.
    if (b.mode === "samples" && b.bins < width) g.lineTo(x, y(a));
    else g.fillRect(x, y(z), 1, Math.max(1, y(a) - y(z)));
  }
  g.stroke();
  g.globalAlpha = 1;
}
