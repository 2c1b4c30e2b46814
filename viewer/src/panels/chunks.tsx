// How an array is stored: which chunks there are, how large, and the one under the cursor.
import { useEffect, useRef, useState } from "preact/hooks";
import * as api from "../api";
import type { Chunks as Answer, Node } from "../api";
import { cursorIndex, onScreen, theme } from "../state";
import { bytes, group, shape } from "../format";
import { parts } from "../snippets";
import { useAnswer } from "../ui/answer";
import { ErrorState, Skeleton } from "../ui/states";
import { Codecs, Facts, useArray } from "./info";

/** planeOf says which chunks are drawn: by the axes of the picture, at the place that is looked at. */
export function planeOf(n: Node, rank: number, chunks: number[], slice: string): api.ChunksQuery {
  if (rank < 1) return {};
  const x = n.image && n.image.axes.length === rank ? n.image.x : rank - 1;
  const y = n.image && n.image.axes.length === rank ? n.image.y : rank - 2;
  const at = parts(slice).flatMap((p, i) => (/^\d+$/.test(p) && i !== x && i !== y && chunks[i] ? [`${i}:${Math.floor(Number(p) / chunks[i]!)}`] : []));
  return { x, ...(y >= 0 && { y }), ...(at.length && { at: at.join() }) };
}

export function Chunks({ node: n }: { node: Node }) {
  const level = n.image?.levels[onScreen.value?.level ?? 0];
  const made = !!level?.made;
  const path = made || !onScreen.value ? (n.node_type === "array" ? n.path : (n.series?.path ?? n.image?.levels.find((l) => !l.made)?.path ?? n.path)) : onScreen.value.path;
  const at = { source: n.source, path };
  const stored = useArray(n);
  const shapes = level && !made ? { rank: level.shape.length, chunks: level.chunks } : { rank: stored?.shape.length ?? 0, chunks: stored?.chunks ?? [] };
  const q = planeOf(n, shapes.rank, shapes.chunks, made ? "" : (onScreen.value?.slice ?? ""));
  const { value: a, problem, retry } = useAnswer(path + JSON.stringify(q), (signal) => api.chunks(at, q, signal));
  if (problem) return problem.kind === "unsupported" || problem.kind === "wrong_request" ? <div class="section dim">{n.node_type === "group" ? "A group has no chunks; its arrays do." : problem.error}</div> : <div class="panel-state"><ErrorState problem={problem} retry={retry} /></div>;
  if (!a) return <Skeleton rows={5} />;
  const total = a.grid.reduce((x, y) => x * y, 1);
  return (
    <>
      <div class="section">
        {path !== n.path && <p class="mono wrap dim sub-path">{path}</p>}
        <Facts list={[
          ["Grid", shape(a.grid)], ["Chunk", shape(a.chunks)], a.shards && ["Shard", shape(a.shards)],
          ["Stored", a.stored === null ? "not counted" : `${group(a.stored)} of ${group(total)}${a.complete ? "" : " so far"}`],
          !!a.missing && ["Empty", group(a.missing) + ", read as the fill value"],
          a.bytes !== null && ["Bytes", bytes(a.bytes) + (a.stored ? `, ${bytes(a.bytes / a.stored)} each` : "")],
        ]} />
        {stored && <div class="codecs"><Codecs list={stored.codecs} /></div>}
      </div>
      {a.plane && a.plane.sizes.length > 0 && <Heat at={at} answer={a} query={q} />}
    </>
  );
}

/** Heat draws a chunk of the plane as a square by its size. */
function Heat({ at, answer, query }: { at: api.At; answer: Answer; query: api.ChunksQuery }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [chosen, setChosen] = useState<number[] | null>(null);
  const { shape: [h, w], sizes } = answer.plane!;
  const known = sizes.filter((s): s is number => s !== null && s >= 0);
  const most = known.reduce((a, b) => Math.max(a, b), 0), least = known.reduce((a, b) => Math.min(a, b), Infinity);
  const x = query.x ?? answer.grid.length - 1, y = query.y;
  const fixed = new Map((query.at ?? "").split(",").filter(Boolean).map((p) => p.split(":").map(Number) as [number, number]));
  const index = (i: number, j: number) => answer.grid.map((_, k) => (k === x ? i : k === y ? j : (fixed.get(k) ?? 0)));
  // The chunk under the cursor of the view, else the one that was chosen here.
  const c = cursorIndex.value;
  const under = c && c.length === answer.chunks.length ? c.map((v, k) => Math.floor(v / answer.chunks[k]!)) : chosen;
  const square = Math.max(1, Math.min(14, Math.floor(270 / Math.max(w, 1)), Math.floor(270 / Math.max(h, 1))));

  useEffect(() => {
    const el = canvas.current;
    const g = el?.getContext("2d");
    if (!el || !g) return;
    const css = getComputedStyle(el);
    const of = (name: string) => css.getPropertyValue(name);
    const gap = square > 3 ? 1 : 0;
    g.clearRect(0, 0, el.width, el.height);
    for (let j = 0; j < h; j++) for (let i = 0; i < w; i++) {
      const s = sizes[j * w + i];
      if (s === -1) {
        // Nothing stored: an outline, not a colour.
        g.globalAlpha = 1;
        g.strokeStyle = of("--faint");
        if (square > 3) g.strokeRect(i * square + 0.5, j * square + 0.5, square - gap - 1, square - gap - 1);
        continue;
      }
      const known = typeof s === "number";
      g.fillStyle = of(known ? "--accent" : "--faint");
      g.globalAlpha = known && most > least ? 0.22 + (0.78 * (s - least)) / (most - least) : 1;
      g.fillRect(i * square, j * square, square - gap, square - gap);
    }
    g.globalAlpha = 1;
    if (under && [...under.keys()].every((k) => k === x || k === y || under[k] === (fixed.get(k) ?? 0))) {
      g.strokeStyle = of("--ink");
      g.lineWidth = 2;
      g.strokeRect(under[x]! * square, (y === undefined ? 0 : under[y]!) * square, square - gap, square - gap);
      g.lineWidth = 1;
    }
  }, [answer, under?.join(), theme.value, square]);

  const pick = (e: PointerEvent) => {
    const r = canvas.current!.getBoundingClientRect();
    const i = Math.floor(((e.clientX - r.left) / r.width) * w), j = Math.floor(((e.clientY - r.top) / r.height) * h);
    if (i >= 0 && j >= 0 && i < w && j < h) setChosen(index(i, j));
  };
  const step = (e: KeyboardEvent) => {
    const d = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[e.key];
    if (!d) return;
    e.preventDefault();
    const now = chosen ?? index(0, 0);
    setChosen(index(Math.max(0, Math.min(w - 1, now[x]! + d[0]!)), y === undefined ? 0 : Math.max(0, Math.min(h - 1, now[y]! + d[1]!))));
  };
  return (
    <>
      <div class="section">
        <div class="section-head"><h3>Sizes</h3>{known.length > 0 && <span class="fact">{bytes(least)} – {bytes(most)}</span>}</div>
        <div class="heat-box">
          <canvas
            ref={canvas} class="heat" width={w * square} height={h * square} tabIndex={0} role="application"
            aria-label={`Sizes of ${w} by ${h} chunks; arrows choose one`} onPointerMove={pick} onPointerDown={pick} onKeyDown={step}
          />
        </div>
        <p class="legend"><span class="swatch low" /> small <span class="swatch high" /> large <span class="swatch none" /> not stored</p>
      </div>
      {under && <One at={at} index={under} />}
    </>
  );
}

function One({ at, index }: { at: api.At; index: number[] }) {
  const { value: got, problem } = useAnswer(at.path + index, (signal) => api.chunk(at, index, signal), 80);
  return (
    <div class="section" aria-live="polite">
      <h3>Chunk {index.join(", ")}</h3>
      {problem && <p class="dim">{problem.error}</p>}
      {got && <Facts list={[
        ["Key", got.key], ["Size", got.stored ? bytes(got.size) : "not stored"], got.shard && ["Shard", got.shard.join(", ")],
        got.offset !== undefined && ["Offset", group(got.offset)], ["Place", got.place],
      ]} />}
    </div>
  );
}
