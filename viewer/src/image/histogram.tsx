import { useRef } from "preact/hooks";
import { value } from "../format";
import { drag as follow } from "../ui/gestures";
import { histogramPath, histogramRange } from "./contrast";
import type { ChannelModel, ImageModel } from "./model";

/** A histogram with the two ends of the window to be dragged, or moved by keys. */
export function Histogram({ model, c, colour }: { model: ImageModel; c: ChannelModel; colour: string }) {
  const box = useRef<HTMLDivElement>(null);
  const s = c.stats.value;
  const w = c.window.value;
  if (!s || !w) return <div class="image-histogram empty">{c.problem.value ? c.problem.value.error : s ? "no values" : ""}</div>;
  if (s.min === null) return <div class="image-histogram empty">no values here</div>;
  const h = s.histogram;
  const [from, to] = histogramRange(h, c.usual.value ?? w, w);
  const full = to - from;
  const part = (v: number) => ((v - from) / full) * 100;

  const drag = (i: 0 | 1) => (e: PointerEvent) => {
    e.preventDefault();
    (e.currentTarget as HTMLElement).focus();
    const r = box.current!.getBoundingClientRect();
    follow(e, (m) => set(i, from + Math.min(1, Math.max(0, (m.clientX - r.left) / r.width)) * full));
  };
  const set = (i: 0 | 1, v: number) => {
    const now = c.window.peek()!;
    const least = full / 1000;
    const round = /^float/.test(model.info.data_type) || full < 10 ? v : Math.round(v);
    c.chosen.value = i === 0 ? [Math.min(round, now[1] - least), now[1]] : [now[0], Math.max(round, now[0] + least)];
  };
  const key = (i: 0 | 1) => (e: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 }[e.key];
    const to = e.key === "Home" ? h.from : e.key === "End" ? h.to : undefined;
    if (by === undefined && to === undefined) return;
    e.preventDefault();
    const step = Math.max(full / 200, /^float/.test(model.info.data_type) ? 0 : 1);
    set(i, to ?? c.window.peek()![i] + by! * step * (e.shiftKey ? 10 : 1));
  };
  const handle = (i: 0 | 1, name: string) => (
    <div
      class="image-handle" role="slider" tabIndex={0} aria-label={`${name} of ${c.label}`} aria-valuemin={from} aria-valuemax={to} aria-valuenow={w[i]} aria-valuetext={value(w[i])}
      style={{ left: part(w[i]) + "%" }} onPointerDown={drag(i)} onKeyDown={key(i)}
    />
  );
  return (
    <div class="image-histogram" ref={box}>
      <svg viewBox="0 0 256 100" preserveAspectRatio="none" aria-hidden="true" style={{ color: colour }}>
        <path d={histogramPath(h, from, to, model.log.value)} />
      </svg>
      {handle(0, "Darkest value")}
      {handle(1, "Brightest value")}
    </div>
  );
}
