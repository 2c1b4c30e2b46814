// The strip below a plot: all of the time, and the window in it, which can be taken and moved.
import { useLayoutEffect, useRef } from "preact/hooks";
import { theme } from "../state";
import { drag } from "../ui/gestures";
import { useSize } from "../ui/size";
import type { Bands } from "./bands";
import { colors, type Colors } from "./colors";
import { dateText, type Zero } from "./ticks";
import { surface } from "./timeframe";
import { stepped } from "./units";
import { clamp, type Limits, pan, type Span } from "./window";

const height = 40;

type P = {
  limits: Limits; span: Span; setSpan: (s: Span) => void; zero: Zero | null; unit: string; gutter: number; bands: Bands | null;
  draw: (g: CanvasRenderingContext2D, width: number, height: number, c: Colors) => void;
};

export function Strip(p: P) {
  const box = useRef<HTMLDivElement>(null), canvas = useRef<HTMLCanvasElement>(null);
  const { width } = useSize(box);
  const scheme = theme.value;
  useLayoutEffect(() => {
    if (width <= 0) return;
    const id = requestAnimationFrame(() => p.draw(surface(canvas.current!, width, height), width, height, colors(scheme)));
    return () => cancelAnimationFrame(id);
  });
  const whole = Math.max(p.limits.end - p.limits.start, p.limits.least);
  const px = (t: number) => ((t - p.limits.start) / whole) * width;
  const left = px(p.span.from), right = px(p.span.to);
  const timeOf = (x: number) => p.limits.start + (x / Math.max(1, width)) * whole;
  const place = (e: PointerEvent) => e.clientX - box.current!.getBoundingClientRect().left;
  const begin = (e: PointerEvent) => {
    const x = place(e), half = (p.span.to - p.span.from) / 2;
    // Beside the window: it comes to where was pressed.
    const span = x < left - 4 || x > right + 4 ? clamp({ from: timeOf(x) - half, to: timeOf(x) + half }, p.limits) : p.span;
    if (span !== p.span) p.setSpan(span);
    drag(e, (m) => p.setSpan(pan(span, ((place(m) - x) / Math.max(1, width)) * whole, p.limits)));
  };
  const words = (t: number) => (p.zero ? dateText(p.zero, t, 1) : stepped(t, whole / 1000) + (p.unit ? " " + p.unit : ""));
  const key = (e: KeyboardEvent) => {
    const by = { ArrowLeft: -0.2, ArrowRight: 0.2, PageUp: -1, PageDown: 1, Home: -1e9, End: 1e9 }[e.key];
    if (by === undefined) return;
    e.preventDefault();
    e.stopPropagation();
    p.setSpan(pan(p.span, by * (p.span.to - p.span.from), p.limits));
  };
  return (
    <div class="strip" style={{ paddingLeft: p.gutter + "px" }}>
      <div
        class="strip-box" ref={box} role="slider" tabIndex={0} aria-label="The window in all of the time" aria-valuemin={p.limits.start} aria-valuemax={p.limits.end}
        aria-valuenow={p.span.from} aria-valuetext={`${words(p.span.from)} to ${words(p.span.to)}`}
        onPointerDown={begin} onKeyDown={key}
      >
        <canvas ref={canvas} aria-hidden="true" />
        <div class="strip-shade" style={{ left: 0, width: Math.max(0, left) + "px" }} />
        <div class="strip-shade" style={{ left: right + "px", right: 0 }} />
        <div class="strip-window" style={{ left: Math.min(left, width - 3) + "px", width: Math.max(3, right - left) + "px" }} />
      </div>
    </div>
  );
}
