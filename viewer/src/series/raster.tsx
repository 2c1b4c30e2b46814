// The raster of spikes: a row for each unit, a tick for each spike, shades where there are too many to tell apart.
import { useEffect, useRef, useState } from "preact/hooks";
import * as api from "../api";
import type { Node, Problem, Spikes } from "../api";
import { group, value } from "../format";
import { Latest } from "../latest";
import { navigate, route, setParams, status, type Status } from "../state";
import { useAnswer } from "../ui/answer";
import { EmptyState, ErrorState, Skeleton } from "../ui/states";
import { chosenBands, useBands } from "./bands";
import type { Colors } from "./colors";
import { inside, parseShown, type Shown, shownText } from "./rows";
import { useSpan, zeroOf } from "./series";
import { type Geometry, TimeFrame } from "./timeframe";
import { type Limits, margin, type Span } from "./window";

type Answer = Spikes & Span & { offset: number; sort: string; width: number };

export function SpikesView({ node }: { node: Node }) {
  const info = node.spikes;
  if (!info || info.units === 0) return <EmptyState icon="spikes" title="No units" text="The table of units is empty." />;
  if (info.spikes === 0) return <EmptyState icon="spikes" title="No spikes" text={`${group(info.units)} units, and none of them ever fired.`} />;
  return <Raster node={node} />;
}

function Raster({ node }: { node: Node }) {
  const info = node.spikes!, q = route.value.params;
  const limits: Limits = { start: info.start, end: info.end > info.start ? info.end : info.start + 1, least: 0.01 };
  const [span, setSpan] = useSpan(limits, () => ({ from: limits.start, to: limits.end }));
  const [size, setSize] = useState({ width: 0, height: 0 });
  const shown = parseShown(q["units"], info.units, Math.max(8, Math.floor(size.height / 3) || 200));
  const sort = q["sort"] ?? "";
  const [answer, setAnswer] = useState<Answer | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false);
  const [again, setAgain] = useState(0);
  const latest = useRef(new Latest(80)).current;
  const retry = () => {
    latest.stop();
    setProblem(null);
    status.errors.value = [];
    setAgain((n) => n + 1);
  };
  useEffect(() => () => latest.stop(), []);
  useEffect(() => {
    if (!size.width) return;
    const perPixel = (span.to - span.from) / size.width;
    const a = answer;
    const enough = a && a.sort === sort && a.from <= span.from && a.to >= span.to && a.offset <= shown.first && a.offset + a.units.length >= Math.min(a.total, shown.first + shown.count)
      && (a.units.every((u) => u.times) || (a.to - a.from) / a.width <= perPixel * 1.3);
    if (enough) return;
    const ask = margin(span, limits), count = Math.min(2000, shown.count * 2);
    const offset = Math.max(0, Math.min(shown.first - ((count - shown.count) >> 1), info.units - count));
    const width = Math.max(16, Math.min(8192, Math.round((size.width * (ask.to - ask.from)) / (span.to - span.from))));
    const query = { ...ask, width, offset, limit: count, ...(sort && { sort }) };
    latest.run(JSON.stringify([query, again]), (signal) => {
      const began = performance.now();
      setBusy(true);
      api.spikes(node, query, signal).then(
        (r) => {
          setAnswer({ ...r, ...ask, offset, sort, width });
          setBusy(false);
          setProblem(null);
          status.errors.value = [];
          status.work.value = [{ value: `${group(r.units.reduce((n, u) => n + u.count, 0))} spikes` }, { value: `${Math.round(performance.now() - began)} ms` }];
        },
        (e) => {
          if (api.aborted(e)) return;
          setBusy(false);
          setProblem(api.problemOf(e));
          status.errors.value = [{ problem: api.problemOf(e), retry }];
        },
      );
    }, answer ? undefined : 0);
  }, [span.from, span.to, shown.first, shown.count, sort, size.width, again]);
  // All spikes of the first five hundred units, for the strip.
  const { value: whole } = useAnswer(String(!answer), async (signal) => answer && rates(await api.spikes(node, { from: limits.start, to: limits.end, width: 800, offset: 0, limit: 500 }, signal), limits, 800));

  const bands = useBands(node.source, chosenBands(info.intervals, q["bands"]), span, limits);
  const unitAt = (row: number) => answer?.units[row - answer.offset];
  const hover = (t: number, row: number, perPixel: number): Status[] => {
    const u = unitAt(row);
    if (!u) return [];
    const rate = u.count / Math.max(1e-9, answer!.to - answer!.from);
    const near = u.times ? u.times.filter((s) => Math.abs(s - t) < perPixel * 2).length : undefined;
    return [{ label: "unit", value: u.label }, { value: `${value(rate, 3)} Hz` }, ...(near ? [{ value: near === 1 ? "1 spike" : near + " spikes" }] : [])];
  };
  const open = (_t: number, row: number) => {
    const u = unitAt(row);
    if (u) navigate({ source: node.source, path: node.path, view: "table", params: { row: String(u.row) } });
  };
  return (
    <TimeFrame
      label={`${node.label ?? node.name}, spikes of ${group(info.units)} units. A click opens a unit in the table`}
      limits={limits} span={span} setSpan={setSpan} zero={zeroOf(info.zero, limits.end - limits.start)} unit="s" bands={bands}
      rows={{ total: info.units, shown, set: (s: Shown) => setParams({ units: shownText(inside(s, info.units)) }), name: (i) => unitAt(i)?.label ?? "", what: "unit" }}
      paint={(g, geo) => answer && paintRaster(g, geo, answer)} hover={hover} press={open} resized={(width, height) => setSize({ width, height })}
      busy={busy} overview={(g, width, height, c) => whole && paintRates(g, whole, width, height, c)}
    >
      {!answer && <div class="frame-over">{problem ? <ErrorState problem={problem} retry={retry} /> : <Skeleton rows={8} />}</div>}
    </TimeFrame>
  );
}

/** Spikes of all units per bin of the whole time. */
export function rates(r: Spikes, l: Limits, width: number): Float64Array {
  const out = new Float64Array(width);
  for (const u of r.units) {
    u.bins?.forEach((n, i) => void (out[Math.min(width - 1, Math.floor((i / u.bins!.length) * width))]! += n));
    for (const t of u.times ?? []) out[Math.max(0, Math.min(width - 1, Math.floor(((t - l.start) / (l.end - l.start)) * width)))]!++;
  }
  return out;
}

function paintRates(g: CanvasRenderingContext2D, counts: Float64Array, width: number, height: number, c: Colors): void {
  const most = counts.reduce((a, b) => Math.max(a, b), 0) || 1;
  g.fillStyle = c.dim;
  g.globalAlpha = 0.6;
  g.beginPath();
  g.moveTo(0, height);
  counts.forEach((n, i) => g.lineTo(((i + 0.5) / counts.length) * width, height - 2 - (n / most) * (height - 8)));
  g.lineTo(width, height);
  g.fill();
  g.globalAlpha = 1;
}

function paintRaster(g: CanvasRenderingContext2D, geo: Geometry, a: Answer): void {
  const { span, width, height, shown, ratio, colors: c } = geo;
  const rowHeight = height / shown.count, per = (span.to - span.from) / width;
  const tall = Math.max(1 / ratio, rowHeight * (rowHeight > 5 ? 0.72 : 1));
  for (let i = 0; i < shown.count; i++) {
    const u = a.units[shown.first + i - a.offset];
    if (!u) continue;
    const top = i * rowHeight + (rowHeight - tall) / 2;
    g.fillStyle = c.traces[0]!;
    if (u.times) {
      const thick = Math.max(1 / ratio, Math.min(1.5, rowHeight / 4));
      // Where ticks would touch they add up to a shade.
      g.globalAlpha = u.count * 2 > width * ((a.to - a.from) / (span.to - span.from)) ? 0.5 : 0.95;
      for (const t of u.times) if (t >= span.from && t <= span.to) g.fillRect((t - span.from) / per - thick / 2, top, thick, tall);
      continue;
    }
    const bins = u.bins ?? [], wide = (a.to - a.from) / Math.max(1, bins.length);
    let most = 0;
    for (const n of bins) if (n > most) most = n;
    const first = Math.max(0, Math.floor((span.from - a.from) / wide)), last = Math.min(bins.length, Math.ceil((span.to - a.from) / wide));
    for (let k = first; k < last; k++) {
      if (!bins[k]) continue;
      g.globalAlpha = 0.2 + 0.8 * Math.sqrt(bins[k]! / most);
      g.fillRect((a.from + k * wide - span.from) / per, top, Math.max(1 / ratio, wide / per), tall);
    }
  }
  g.globalAlpha = 1;
}
