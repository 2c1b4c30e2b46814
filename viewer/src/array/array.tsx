// The view of any array: numbers in a grid, sliders for the axes that have no room, a line where there is one axis only.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import * as api from "../api";
import type { Node } from "../api";
import { group, shape as shapeText } from "../format";
import { cursorIndex, goTo, onScreen, route, setParams, setView, status } from "../state";
import { axisText } from "../image/place";
import { SeriesView } from "../series/series";
import { uniform } from "../table/extent";
import { type At, Grid, rowHeight, type Shown } from "../table/grid";
import { Pieces } from "../table/pieces";
import { useAnswer } from "../ui/answer";
import { Button } from "../ui/button";
import { Slider } from "../ui/slider";
import { EmptyState, ErrorState, Skeleton } from "../ui/states";
import { cells, indexOf, type Layout, layout, sliceText } from "./slices";
import { elementText, elementWidth, isNumeric } from "./value";

export function ArrayView({ node }: { node: Node }) {
  const array = node.array;
  if (!array) return <EmptyState icon="array" title="No array" text="There are no elements here to show." />;
  const empty = array.shape.indexOf(0);
  if (empty >= 0) {
    return <EmptyState icon="array" title="Zero-length" text={`Its shape is ${shapeText(array.shape)}: axis ${array.dimension_names?.[empty] ?? empty} has no elements.`} />;
  }
  if (array.shape.length === 0) return <Scalar node={node} />;
  return <Numbers node={node} />;
}

/** A single value, as large as it deserves. */
function Scalar({ node }: { node: Node }) {
  const state = useAnswer("", (signal) => api.sliceJSON(node, "", signal));
  useEffect(() => void (onScreen.value = { path: node.path, slice: "" }), []);
  if (state.problem) return <ErrorState problem={state.problem} retry={state.retry} />;
  if (!("value" in state)) return <Skeleton rows={2} />;
  const text = elementText(state.value, node.array!.data_type, 12);
  return (
    <div class="state scalar">
      <p class={text.length > 24 ? "scalar-text" : "scalar-value"}>{text === "" ? "(empty text)" : text}</p>
      <p class="dim">a single value of {node.array!.data_type}</p>
    </div>
  );
}

/** Long axes alone are wrapped: ten to a row. */
const wrapped = (node: Node) => (node.array!.shape.length === 1 ? (isNumeric(node.array!.data_type) ? 10 : 1) : 0);

export function useLayoutParams(node: Node): Layout {
  return layout(node.array!.shape, route.value.params["axes"], route.value.params["at"]);
}

export const axisName = (node: Node, i: number) => node.array?.dimension_names?.[i] || node.image?.axes[i]?.name || "axis " + i;

/** What an index means, where the axis has coordinates: 4.25 µm, 2025-06-30, 77.5° N. */
export function coordinate(node: Node, axis: number, i: number): string {
  const a = node.image?.axes[axis];
  return a && a.size === node.array!.shape[axis] ? axisText(a, i) : "";
}

function Numbers({ node }: { node: Node }) {
  const { shape, data_type: type } = node.array!, q = route.value.params;
  const l = useLayoutParams(node), wrap = wrapped(node);
  // The line of an array with one axis is a series that counts samples.
  const line = shape.length === 1 && isNumeric(type) && !type.startsWith("complex");
  const as = q["as"] ?? (line && shape[0]! > 12 ? "line" : "numbers");
  const others = shape.map((_, i) => i).filter((i) => i !== l.rows && i !== l.columns);
  return (
    <div class="table">
      <div class="table-bar array-bar">
        <span class="mono">{shapeText(shape, node.array!.dimension_names)}</span>
        <span class="fact">{type}</span>
        <span class="array-gap" />
        {line && (
          <div class="choice" role="group" aria-label="Show as">
            <button type="button" aria-pressed={as === "line"} onClick={() => setParams({ as: "line" })}>Line</button>
            <button type="button" aria-pressed={as !== "line"} onClick={() => setParams({ as: "numbers" })}>Numbers</button>
          </div>
        )}
        {node.views.includes("image") && <Button icon="image" onClick={() => setView("image")}>Picture</Button>}
        {node.views.includes("table") && <Button icon="table" onClick={() => setView("table")}>Table</Button>}
      </div>
      <div class="table-body">{line && as === "line" ? <SeriesView node={node} /> : <NumberGrid key={`${l.rows} ${l.columns}`} node={node} l={l} wrap={wrap} />}</div>
      {others.length > 0 && (
        <div class="array-axes">
          {others.map((i) => (
            <label key={i}>
              <span class="mono">{axisName(node, i)}</span>
              <Slider value={l.at[i]!} min={0} max={shape[i]! - 1} label={axisName(node, i)} onInput={(v) => setParams({ at: l.at.map((a, k) => (k === i ? v : a)).join(",") })} />
              <span class="mono fact">{group(l.at[i]!)} / {group(shape[i]!)}{coordinate(node, i, l.at[i]!) && " · " + coordinate(node, i, l.at[i]!)}</span>
            </label>
          ))}
        </div>
      )}
    </div>
  );
}

const high = 64, wide = 32; // elements of a block

function NumberGrid({ node, l, wrap }: { node: Node; l: Layout; wrap: number }) {
  const { shape, data_type: type } = node.array!, q = route.value.params, n = shape.length;
  const rows = wrap ? Math.ceil(shape[0]! / wrap) : shape[l.rows]!, columns = wrap || shape[l.columns]!;
  const [, redraw] = useState(0);
  const place = l.at.filter((_, i) => i !== l.rows && i !== l.columns).join();
  const cut = (r: number, c: number): [string, number, number] => {
    const r0 = r * high, r1 = Math.min(rows, r0 + high), c0 = c * wide, c1 = Math.min(columns, c0 + wide);
    return [wrap ? `${r0 * wrap}:${Math.min(shape[0]!, r1 * wrap)}` : sliceText(l, n, [r0, r1], [c0, c1]), r1 - r0, c1 - c0];
  };
  const before = useRef<Pieces<unknown[][]> | null>(null);
  const pieces = useMemo(() => new Pieces<unknown[][]>(async (key, signal) => {
    const [r, c] = key.split(",").map(Number) as [number, number];
    const [slice, height, width] = cut(r, c), began = performance.now();
    const got = await api.sliceJSON(node, slice, signal);
    status.work.value = [{ value: `${group(height * width)} elements` }, { value: `${Math.round(performance.now() - began)} ms` }];
    if (!wrap) return cells(got, l, height, width);
    const list = got as unknown[];
    return Array.from({ length: height }, (_, i) => list.slice(i * wrap, (i + 1) * wrap));
  }, () => redraw((k) => k + 1)), [place]);
  useEffect(() => {
    // The numbers of the place before stand, dimmed, until the new ones come.
    return () => {
      pieces.stop();
      before.current = pieces;
    };
  }, [pieces]);
  const problem = pieces.problem ? api.problemOf(pieces.problem) : null;
  useEffect(() => {
    status.errors.value = problem ? [{ problem, retry: () => pieces.retry() }] : [];
  }, [problem?.error]);
  const element = (from: Pieces<unknown[][]> | null, r: number, c: number): unknown => from?.get(`${Math.floor(r / high)},${wrap ? 0 : Math.floor(c / wide)}`)?.[r % high]?.[wrap ? c : c % wide];
  const numeric = isNumeric(type);
  const cell = (r: number, c: number): Shown | null => {
    if (wrap && r * wrap + c >= shape[0]!) return { content: "", class: "void" };
    const now = element(pieces, r, c), v = now === undefined ? element(before.current, r, c) : now;
    if (v === undefined) return null;
    const text = elementText(v, type);
    const missing = v === null || v === "NaN";
    return { content: text, title: text.length > 12 ? elementText(v, type, 17) : undefined, class: (numeric ? "number" : "") + (missing ? " none" : "") + (now === undefined ? " old" : "") };
  };
  const indexAt = (a: At) => (wrap ? [a.row * wrap + a.column] : indexOf(l, a.row, a.column));
  const sight = useRef("");
  const onSight = (r: [number, number], c: [number, number]) => {
    const keys: string[] = [];
    for (let i = Math.floor(r[0] / high); i * high < r[1]; i++) for (let k = wrap ? 0 : Math.floor(c[0] / wide); wrap ? k < 1 : k * wide < c[1]; k++) keys.push(`${i},${k}`);
    pieces.want(keys);
    const slice = wrap ? `${r[0] * wrap}:${Math.min(shape[0]!, r[1] * wrap)}` : sliceText(l, n, r, c);
    if (slice === sight.current) return;
    sight.current = slice;
    onScreen.value = { path: node.path, slice };
  };
  useEffect(() => {
    goTo.value = (p) => setParams(wrap ? { row: String(Math.floor((p[0] ?? 0) / wrap)), col: String((p[0] ?? 0) % wrap) } : { at: l.at.map((a, i) => p[i] ?? a).join(","), row: String(p[l.rows] ?? 0), col: String(p[l.columns] ?? 0) });
    return () => {
      goTo.value = cursorIndex.value = null;
      status.cursor.value = [];
    };
  }, [place]);
  const hover = (a: At | null) => {
    const v = a ? element(pieces, a.row, a.column) : undefined;
    if (!a || v === undefined) return void (status.cursor.value = []);
    const index = indexAt(a);
    cursorIndex.value = index;
    const where = index.map((k, i) => coordinate(node, i, k) && `${axisName(node, i)} ${coordinate(node, i, k)}`).filter(Boolean).join("  ");
    status.cursor.value = [{ value: `[${index.join(", ")}]` }, { value: elementText(v, type, 12) }, ...(where ? [{ value: where }] : [])];
  };
  const at: At | null = q["row"] === undefined ? null : { row: Math.max(0, Math.min(rows - 1, Number(q["row"]) || 0)), column: Math.max(0, Math.min(columns - 1, Number(q["col"]) || 0)) };
  const across = useMemo(() => uniform(columns, elementWidth(type)), [columns, type]), down = useMemo(() => uniform(rows, rowHeight), [rows]);
  if (problem && !pieces.get("0,0") && !before.current) return <ErrorState problem={problem} retry={() => pieces.retry()} />;
  const corner = wrap ? "" : `${axisName(node, l.rows)} ↓ ${axisName(node, l.columns)} →`;
  return (
    <Grid
      label={`${node.label ?? node.name}, ${shapeText(shape)} of ${type}`} rows={down} columns={across} gutter={Math.max(52, String(shape[Math.max(0, l.rows)]).length * 8 + 20, Math.min(160, corner.length * 6 + 14))} head={28} goto={at?.row}
      header={(c) => <span class="array-head" title={wrap ? "" : coordinate(node, l.columns, c)}>{wrap ? (wrap > 1 ? "+" + c : "") : group(c)}</span>}
      corner={<span class="array-corner" aria-label="rows and columns">{corner}</span>}
      name={(r) => String(wrap ? r * wrap : r)} cell={cell} at={at} onAt={(a) => setParams({ row: String(a.row), col: String(a.column) })} onHover={hover} onSight={onSight}
    />
  );
}
