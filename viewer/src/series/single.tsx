// One channel with real axes, drawn by uPlot, which is loaded when it is first wanted.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { assemble, type Block } from "./blocks";
import { type Tick, valueTicks } from "./ticks";
import { axisHeight, type Geometry } from "./timeframe";
import { scaled } from "./units";

type P = { blocks: Block[]; channel: number; geo: Geometry; axis: Tick[]; gutter: number; unit?: string; range: { low: number; high: number } };

export default function Single(p: P) {
  const box = useRef<HTMLDivElement>(null), plot = useRef<uPlot | null>(null);
  const now = useRef(p);
  now.current = p;
  const { geo } = p;
  const perPixel = (geo.span.to - geo.span.from) / geo.width;
  const by = scaled(Math.max(Math.abs(p.range.low), Math.abs(p.range.high)), p.unit);
  useEffect(() => {
    const c = geo.colors;
    const line = { stroke: c.traces[0]!, width: 1.25 };
    const grid = { stroke: c.line, width: 1 };
    const plain = { stroke: c.dim, font: c.mono, grid, ticks: { ...grid, size: 5 } };
    const ys = () => valueTicks(now.current.range.low * by.factor, now.current.range.high * by.factor, now.current.geo.height / 50);
    // A label that would be cut by the edge is left out.
    const edge = (t: Tick) => {
      const { span, width } = now.current.geo, half = t.label.length * 3.4;
      const x = ((t.at - span.from) / (span.to - span.from)) * width;
      return x + half > width || x + half + p.gutter < 0;
    };
    plot.current = new uPlot({
      width: geo.width + p.gutter, height: geo.height + axisHeight, padding: [0, 0, 0, 0], legend: { show: false },
      cursor: { x: false, y: false, drag: { x: false, y: false }, points: { size: 7 } },
      scales: { x: { time: false, auto: false, range: () => [now.current.geo.span.from, now.current.geo.span.to] }, y: { auto: false, range: () => [now.current.range.low, now.current.range.high] } },
      axes: [
        { ...plain, size: axisHeight, gap: 2, splits: () => now.current.axis.map((t) => t.at), values: () => now.current.axis.map((t) => (edge(t) ? "" : t.label)) },
        { ...plain, size: p.gutter, gap: 4, splits: () => ys().map((t) => t.at / by.factor), values: () => ys().map((t) => t.label) },
      ],
      series: [{}, { ...line, label: "high" }, { ...line, label: "low" }],
      bands: [{ series: [1, 2], fill: c.traces[0]! + "55" }],
    }, [[], [], []], box.current!);
    return () => plot.current?.destroy();
  }, [geo.colors.accent, p.unit, by.unit, p.gutter]);
  useLayoutEffect(() => {
    const u = plot.current;
    if (!u) return;
    if (u.width !== geo.width + p.gutter || u.height !== geo.height + axisHeight) u.setSize({ width: geo.width + p.gutter, height: geo.height + axisHeight });
  });
  useEffect(() => {
    const a = assemble(p.blocks, p.channel, geo.span, perPixel);
    // Samples are one line, with points when they are far apart; an envelope is what lies between two.
    plot.current?.setData([a.t, a.high, a.samples ? a.t.map(() => null) : a.low] as uPlot.AlignedData, true);
  });
  return (
    <>
      <div ref={box} class="single" />
      {by.unit && <span class="single-unit">{by.unit}</span>}
    </>
  );
}
