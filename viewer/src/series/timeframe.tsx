// The frame that views of time share: an axis, bands of events, rows, a strip of the whole, and all that moves them.
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button } from "../ui/button";
import { type Gestures, listen, turned } from "../ui/gestures";
import { useSize } from "../ui/size";
import { narrow, registerKey, status, theme, type Status } from "../state";
import { group } from "../format";
import { type Bands, bandsAt, drawBands, fitted } from "./bands";
import { colors, type Colors } from "./colors";
import { type Shown, spread } from "./rows";
import { Strip } from "./strip";
import { dateText, dateTicks, niceStep, type Tick, valueTicks, type Zero } from "./ticks";
import { scaled, stepped } from "./units";
import { type Limits, pan, type Span, zoom } from "./window";

/** What is painted where: css pixels, and how many real ones there are to each. */
export interface Geometry { span: Span; width: number; height: number; ratio: number; shown: Shown; colors: Colors }

export interface FrameProps {
  label: string; // what it is, for those who hear the page
  limits: Limits;
  span: Span;
  setSpan: (s: Span) => void;
  rows: { total: number; shown: Shown; set: (s: Shown) => void; name: (i: number) => string; what: string };
  zero: Zero | null; // second 0 as a date, when dates are wanted
  unit: string; // "s", or "" when the axis counts samples
  bands: Bands | null;
  paint: (g: CanvasRenderingContext2D, geo: Geometry) => void;
  hover: (t: number, row: number, perPixel: number) => Status[];
  press?: (t: number, row: number) => void;
  gain?: (factor: number) => void;
  overview?: (g: CanvasRenderingContext2D, width: number, height: number, c: Colors) => void;
  resized?: (width: number, height: number) => void;
  values?: { low: number; high: number; unit?: string } | null; // the axis of a row that is alone
  busy: boolean;
  children?: ComponentChildren; // stands over the plot
}

const laneHeight = 18, axisHeight = 26;
const gutterWidth = () => (narrow.value ? 46 : 76);

export function TimeFrame(p: FrameProps) {
  const box = useRef<HTMLDivElement>(null), back = useRef<HTMLCanvasElement>(null), front = useRef<HTMLCanvasElement>(null);
  const size = useSize(box);
  const [at, setAt] = useState<{ x: number; y: number } | null>(null);
  const left = useRef(0); // pixels of a drag that are less than a row
  const now = useRef(p);
  now.current = p;
  const gutter = gutterWidth(), lane = p.bands ? laneHeight : 0;
  const width = Math.max(0, size.width - gutter), height = Math.max(0, size.height - axisHeight - lane);
  const perPixel = (p.span.to - p.span.from) / Math.max(1, width);
  const rowHeight = height / p.rows.shown.count;
  const scheme = theme.value;

  useLayoutEffect(() => {
    if (width > 0 && height > 0) p.resized?.(width, height);
  }, [width, height]);

  const ticks = p.zero ? dateTicks(p.span.from, p.span.to, p.zero, width / 120) : valueTicks(p.span.from, p.span.to, width / 90);
  useLayoutEffect(() => {
    if (width <= 0 || height <= 0) return;
    const id = requestAnimationFrame(() => {
      const geo = { span: p.span, width, height, ratio: pixelRatio(), shown: p.rows.shown, colors: colors(scheme) };
      drawBack(surface(back.current!, size.width, size.height), p, geo, gutter, lane, ticks);
      p.paint(surface(front.current!, width, height), geo);
    });
    return () => cancelAnimationFrame(id);
  });

  const limits = () => now.current.limits;
  const panned = (by: number) => now.current.setSpan(pan(now.current.span, by, limits()));
  const zoomed = (by: number, from = now.current.span, at = (from.from + from.to) / 2) => now.current.setSpan(zoom(from, at, by, limits()));
  const scrolled = (by: number) => {
    const { set, shown } = now.current.rows;
    set({ ...shown, first: shown.first + by });
  };
  const timeOf = (x: number) => p.span.from + (x - gutter) * perPixel;
  const rowOf = (y: number) => p.rows.shown.first + Math.max(0, Math.min(p.rows.shown.count - 1, Math.floor(y / rowHeight)));

  const gestures = useRef<Gestures>(null!);
  gestures.current = {
    press: () => void (left.current = 0),
    wheel(e, x) {
      const { dx, dy } = turned(e);
      if (e.shiftKey && p.gain) p.gain(Math.exp((dy || dx) * 0.0015));
      else if (e.altKey || x < gutter) scrolled(Math.sign(dy || dx) * Math.ceil(p.rows.shown.count / 16));
      else if (Math.abs(dx) > Math.abs(dy)) panned(dx * perPixel);
      else zoomed(Math.exp(Math.max(-400, Math.min(400, dy)) * (e.ctrlKey ? 0.01 : 0.002)), p.span, timeOf(x));
    },
    pan(dx, dy) {
      panned(-dx * perPixel);
      if (p.rows.shown.count >= p.rows.total) return;
      const by = Math.trunc((left.current += dy) / rowHeight);
      left.current -= by * rowHeight;
      if (by) scrolled(-by);
    },
    pinch: (factor, x) => zoomed(1 / factor, p.span, timeOf(x)),
    hover: (x, y, inside) => setAt(inside ? { x: x - gutter, y } : null),
    tap: (x, y) => p.press?.(timeOf(x), rowOf(y - lane)),
    twice: (x) => (zoomed(0.4, p.span, timeOf(x)), true),
  };
  useEffect(() => listen(box.current!, () => gestures.current), []);

  const whole = () => now.current.setSpan({ from: limits().start, to: limits().end });
  useEffect(() => {
    const move = (share: number) => panned((now.current.span.to - now.current.span.from) * share);
    const rows = () => now.current.rows, more = (by: number) => rows().set(spread(rows().shown, rows().total, by));
    const what = p.rows.what;
    const keys: [string, string, () => void][] = [
      ["ArrowLeft", "earlier", () => move(-0.2)], ["ArrowRight", "later", () => move(0.2)],
      ["Shift+ArrowLeft", "a page earlier", () => move(-1)], ["Shift+ArrowRight", "a page later", () => move(1)],
      ["Home", "the beginning", () => move(-1e9)], ["End", "the end", () => move(1e9)],
      ["+", "zoom in", () => zoomed(0.5)], ["=", "", () => zoomed(0.5)], ["-", "zoom out", () => zoomed(2)], ["f", "all of the time", whole],
      ["ArrowUp", what + " before", () => scrolled(-1)], ["ArrowDown", what + " after", () => scrolled(1)],
      ["PageUp", `a page of ${what}s before`, () => scrolled(-rows().shown.count)], ["PageDown", `a page of ${what}s after`, () => scrolled(rows().shown.count)],
      ["]", `more ${what}s`, () => more(2)], ["[", `fewer ${what}s`, () => more(0.5)],
    ];
    if (p.gain) keys.push(["Shift+ArrowUp", "greater", () => now.current.gain?.(0.8)], ["Shift+ArrowDown", "smaller", () => now.current.gain?.(1.25)]);
    const undo = keys.map(([k, help, fn]) => registerKey(k, help, fn));
    return () => undo.forEach((u) => u());
  }, []);

  // The bottom line follows the cursor, also when the data come after it.
  useEffect(() => {
    if (!at || at.x < 0 || at.x > width || height <= 0) {
      status.cursor.value = [];
      return;
    }
    const t = timeOf(at.x + gutter);
    const found = p.bands ? bandsAt(p.bands.list, t, perPixel * 3) : [];
    status.cursor.value = [
      { value: p.zero ? dateText(p.zero, t, niceStep(perPixel, 1)) : stepped(t, niceStep(perPixel, 1)) + (p.unit ? " " + p.unit : "") },
      ...p.hover(t, rowOf(at.y - lane), perPixel),
      ...(found.length ? [{ label: p.bands!.name, value: found.map((b) => b.label || "row " + group(b.row)).join(", ") }] : []),
    ];
  });
  useEffect(() => () => void (status.cursor.value = []), []);

  return (
    <div class="frame">
      <div class="frame-plot" ref={box} tabIndex={0} role="application" aria-roledescription="plot over time" aria-label={p.label + ". Arrow keys move, plus and minus zoom, question mark lists all keys."}>
        <canvas ref={back} class="frame-back" aria-hidden="true" />
        <canvas ref={front} style={{ left: gutter + "px", top: lane + "px" }} aria-hidden="true" />
        {at && at.x >= 0 && <div class="frame-cursor" style={{ transform: `translateX(${gutter + Math.min(at.x, width)}px)`, bottom: axisHeight + "px" }} />}
        {p.children}
        <div class="frame-tools">
          <Button icon="plus" label="Zoom in" hotkey="+" onClick={() => zoomed(0.5)} />
          <Button icon="minus" label="Zoom out" hotkey="-" onClick={() => zoomed(2)} />
          <Button icon="fit" label="All of the time" hotkey="f" onClick={whole} />
        </div>
        {p.busy && <div class="frame-busy" role="status" aria-label="Loading" />}
      </div>
      {p.rows.shown.count < p.rows.total && <RowBar {...p.rows} />}
      {p.overview && <Strip limits={p.limits} span={p.span} setSpan={p.setSpan} zero={p.zero} unit={p.unit} gutter={gutter} draw={p.overview} bands={p.bands} />}
    </div>
  );
}

/** A native scroll bar for rows; the keys and the wheel do the same. */
function RowBar({ total, shown, set }: FrameProps["rows"]) {
  const ref = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const el = ref.current!;
    const room = el.scrollHeight - el.clientHeight, rows = total - shown.count;
    if (rows > 0 && Math.round((el.scrollTop / Math.max(1, room)) * rows) !== shown.first) el.scrollTop = (shown.first / rows) * room;
  });
  const moved = () => {
    const el = ref.current!;
    const first = Math.round((el.scrollTop / Math.max(1, el.scrollHeight - el.clientHeight)) * (total - shown.count));
    if (first !== shown.first) set({ first, count: shown.count });
  };
  return (
    <div class="frame-bar" ref={ref} onScroll={moved} aria-hidden="true" tabIndex={-1}>
      <div style={{ height: Math.min(50, total / shown.count) * 100 + "%" }} />
    </div>
  );
}

const pixelRatio = () => Math.min(3, devicePixelRatio || 1);

/** A canvas of this size in css pixels, cleared, that draws in css pixels. */
export function surface(c: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D {
  const ratio = pixelRatio();
  const w = Math.round(width * ratio), h = Math.round(height * ratio);
  if (c.width !== w || c.height !== h) {
    c.width = w;
    c.height = h;
    c.style.width = width + "px";
    c.style.height = height + "px";
  }
  const g = c.getContext("2d", { willReadFrequently: true })!; // drawn by the processor: without a graphics card a hundred thousand marks took minutes
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.clearRect(0, 0, width, height);
  return g;
}

function drawBack(g: CanvasRenderingContext2D, p: FrameProps, geo: Geometry, gutter: number, lane: number, ticks: Tick[]): void {
  const { width, height, colors: c, shown } = geo;
  const x = (t: number) => gutter + ((t - p.span.from) / (p.span.to - p.span.from)) * width;
  g.font = c.mono;
  g.textBaseline = "middle";
  if (p.bands) drawBands(g, p.bands.list, x, gutter, gutter + width, lane, height, c);
  g.strokeStyle = c.line;
  g.lineWidth = 1;
  g.beginPath();
  for (const t of ticks) {
    const at = Math.round(x(t.at)) + 0.5;
    g.moveTo(at, lane);
    g.lineTo(at, lane + height + 5);
  }
  g.moveTo(gutter, lane + height + 0.5);
  g.lineTo(gutter + width, lane + height + 0.5);
  g.stroke();
  g.fillStyle = c.dim;
  g.textAlign = "center";
  let free = gutter - 20;
  for (const t of ticks) {
    const half = g.measureText(t.label).width / 2, at = Math.min(Math.max(x(t.at), half + 2), gutter + width - half - 2);
    if (at - half < free) continue;
    g.fillText(t.label, at, lane + height + 15);
    free = at + half + 10;
  }
  if (p.unit && !p.zero) {
    g.textAlign = "left";
    g.fillStyle = c.faint;
    g.fillText(p.unit, 10, lane + height + 15);
  }
  g.textAlign = "right";
  g.fillStyle = c.dim;
  if (p.values) {
    const { low, high } = p.values, by = scaled(Math.max(Math.abs(low), Math.abs(high)), p.values.unit);
    for (const t of valueTicks(low * by.factor, high * by.factor, height / 50)) {
      const y = Math.round(lane + height - ((t.at / by.factor - low) / (high - low)) * height) + 0.5;
      if (y < lane + 8) continue;
      g.fillText(t.label, gutter - 8, y);
      g.beginPath();
      g.moveTo(gutter - 4, y);
      g.lineTo(gutter + width, y);
      g.stroke();
    }
    if (by.unit) g.fillText(by.unit, gutter - 8, 8);
    return;
  }
  // Names of rows, as many as have room.
  const rowHeight = height / shown.count, every = Math.max(1, Math.ceil(13 / rowHeight));
  for (let i = 0; i < shown.count; i += every) {
    g.fillText(fitted(g, p.rows.name(shown.first + i), gutter - 14, true), gutter - 8, lane + (i + 0.5) * rowHeight);
  }
}
