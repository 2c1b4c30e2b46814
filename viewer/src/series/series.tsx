// The view of a series: channels stacked over a shared time, or one alone with axes.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Node } from "../api";
import { group } from "../format";
import { cursorIndex, goTo, narrow, onScreen, registerKey, route, setParams, setView, type Status } from "../state";
import { Button } from "../ui/button";
import { EmptyState, ErrorState, Skeleton } from "../ui/states";
import { chosenBands, useBands } from "./bands";
import { valueAt } from "./blocks";
import { channelName, counted, firstSpan, infoOf, limitsOf, sampleAt, sliceOf } from "./info";
import { useBlocks, useOverview } from "./load";
import { inside, parseShown, type Shown, shownText } from "./rows";
import { Levels, levels } from "./levels";
import { paintOverview, paintStack } from "./stack";
import { parseZero } from "./ticks";
import { type Geometry, TimeFrame } from "./timeframe";
import { withUnit } from "./units";
import { clamp, rounded, type Span } from "./window";

/** The address holds the window; what it does not say is the first view. */
export function useSpan(limits: ReturnType<typeof limitsOf>, first: () => Span): [Span, (s: Span) => void] {
  const q = route.value.params;
  const from = Number(q["from"]), to = Number(q["to"]);
  const given = q["from"] !== undefined && q["to"] !== undefined && Number.isFinite(from) && Number.isFinite(to) && to > from;
  const span = clamp(given ? { from, to } : first(), limits);
  return [span, (s) => setParams({ from: rounded(s.from, s.to - s.from), to: rounded(s.to, s.to - s.from) })];
}

/** Whether dates are shown in place of seconds: as the address says, else where seconds say little. */
export function zeroOf(zero: string | undefined, span: number) {
  const wanted = route.value.params["time"];
  return wanted === "seconds" || (wanted !== "date" && span < 86400 * 2) ? null : parseZero(zero);
}

export function SeriesView({ node }: { node: Node }) {
  const info = infoOf(node), table = node.views.includes("table");
  if (!node.series && !node.array) {
    return (
      <EmptyState icon="series" title="Nothing to plot" text={`What ${node.label ?? node.name} holds are not numbers over time.`}>
        {table && <div class="buttons"><Button icon="table" onClick={() => setView("table")}>Show as a table</Button></div>}
      </EmptyState>
    );
  }
  if (info.samples === 0 || info.channels === 0) {
    return <EmptyState icon="series" title="No samples" text={`${node.label ?? node.name} is there, but nothing was recorded into it.`} />;
  }
  return <Plot node={node} />;
}

function Plot({ node }: { node: Node }) {
  const info = infoOf(node), limits = limitsOf(info), q = route.value.params;
  const [span, setSpan] = useSpan(limits, () => firstSpan(info));
  const shown = parseShown(q["ch"], info.channels, narrow.value ? 10 : 16);
  const setShown = (s: Shown) => setParams({ ch: shownText(s) });
  const [size, setSize] = useState({ width: 0, height: 0 });
  const scale = useRef(new Levels()).current;
  const gain = Number(q["gain"]) > 0 ? Number(q["gain"]) : 0;
  const loaded = useBlocks(node, limits, span, shown, info.channels, size.width, (b) => scale.learn(b, shown, gain > 0));
  const swing = gain || scale.gain;
  const bands = useBands(node.source, chosenBands(info.intervals, q["bands"]), span, limits);
  const overview = useOverview(node, limits, shown.first, loaded.blocks.length > 0);
  const zero = zeroOf(info.zero, limits.end - limits.start);
  const alone = shown.count === 1 && loaded.blocks.length ? scale.range(loaded.blocks, shown.first, span, gain) : null;

  const setGain = (factor: number) => setParams({ gain: String(Number((swing * factor).toPrecision(4))) });
  const auto = () => {
    scale.forget();
    loaded.blocks.slice(0, 1).forEach((b) => scale.learn(b, shown, false));
    setParams({ gain: undefined });
    setSize((s) => ({ ...s }));
  };
  useEffect(() => registerKey("a", "gain that fits", auto), [loaded.blocks, shown.first, shown.count]);
  useEffect(() => {
    levels.value = { gain: swing, unit: info.unit };
  }, [swing]);
  useEffect(() => {
    const dimensions = node.array?.shape.length ?? (info.channels > 1 ? 2 : 1);
    onScreen.value = { path: info.path ?? node.path, slice: sliceOf(info, dimensions, span, shown.first, shown.count) };
  }, [span.from, span.to, shown.first, shown.count]);
  useEffect(() => {
    goTo.value = (at) => {
      const i = at[info.axis];
      if (i == null) return;
      const t = limits.start + (i / Math.max(1, info.samples)) * (limits.end - limits.start), half = (span.to - span.from) / 2;
      setSpan(clamp({ from: t - half, to: t + half }, limits));
    };
    return () => void (goTo.value = null);
  }, [span.from, span.to]);
  useEffect(() => () => void (cursorIndex.value = null), []);

  const hover = (t: number, row: number, perPixel: number): Status[] => {
    const out: Status[] = info.channels > 1 ? [{ label: "channel", value: channelName(info, row) }] : [];
    const v = valueAt(loaded.blocks, row, t, perPixel);
    const index = sampleAt(info, v?.sample ? v.time : t);
    cursorIndex.value = info.channels > 1 ? (info.axis === 0 ? [index, row] : [row, index]) : [index];
    if (!v) return out;
    if (Number.isNaN(v.low)) return [...out, { value: "missing" }];
    return [...out, { value: v.sample || v.low === v.high ? withUnit(v.low, info.unit) : `${withUnit(v.low, info.unit)} … ${withUnit(v.high, info.unit)}` }];
  };
  const paint = (g: CanvasRenderingContext2D, geo: Geometry) => alone
    ? paintStack(g, geo, loaded.blocks, () => (alone.low + alone.high) / 2, alone.high - alone.low)
    : paintStack(g, geo, loaded.blocks, (c) => scale.middle(c), swing, info.unit);
  const nothing = loaded.blocks.length === 0;
  const missing = !nothing && !loaded.busy && scale.empty(loaded.blocks[0]!, shown);
  const one = shown.count === 1 && info.channels > 1;
  return (
    <TimeFrame
      label={`${node.label ?? node.name}, ${info.channels === 1 ? "one channel" : group(info.channels) + " channels"}`}
      limits={limits} span={span} setSpan={setSpan} zero={zero} unit={counted(node) ? "" : "s"} bands={bands} gain={setGain}
      rows={{ total: info.channels, shown, set: (s) => setShown(inside(s, info.channels)), name: (i) => (info.channels === 1 ? "" : channelName(info, i)), what: "channel" }}
      paint={paint} hover={hover} resized={(width, height) => setSize({ width, height })}
      overview={(g, width, height, c) => overview && paintOverview(g, overview, width, height, c)}
      values={alone && { ...alone, unit: info.unit }} busy={loaded.busy}
    >
      {nothing && (loaded.problem ? <div class="frame-over"><ErrorState problem={loaded.problem} retry={loaded.retry} /></div> : <div class="frame-over"><Skeleton rows={8} /></div>)}
      {missing && <div class="frame-note">Nothing but missing values (NaN) here</div>}
      {one && <div class="frame-all"><Button icon="left" onClick={() => setParams({ ch: undefined })}>All channels</Button></div>}
    </TimeFrame>
  );
}
