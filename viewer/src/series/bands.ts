// Epochs and events of a table, drawn behind what was recorded.
import { useEffect, useState } from "preact/hooks";
import * as api from "../api";
import type { IntervalsInfo } from "../api";
import { Latest } from "../latest";
import type { Colors } from "./colors";
import { type Limits, margin, type Span } from "./window";

export type Band = { start: number; stop: number; label: string; row: number };
export type Bands = { name: string; path: string; list: Band[]; complete: boolean };

/** The table that is shown: the one the address names, else the first that is not too long to be read; "none" is none. */
export function chosenBands(tables: IntervalsInfo[], param: string | undefined): IntervalsInfo | null {
  if (param === "none") return null;
  return tables.find((t) => t.path === param) ?? tables.find((t) => t.rows > 0 && t.rows <= 100_000) ?? null;
}

/** The bands at a moment; events that have no length count when they are near. */
export function bandsAt(list: Band[], t: number, near: number): Band[] {
  return list.filter((b) => (b.stop > b.start ? b.start <= t && t < b.stop : Math.abs(b.start - t) <= near)).slice(0, 3);
}

/** Asks for the bands around the window, and again when it leaves them. */
export function useBands(source: string, table: IntervalsInfo | null, span: Span, limits: Limits): Bands | null {
  const [bands, setBands] = useState<(Bands & Span) | null>(null);
  const [latest] = useState(() => new Latest(120));
  useEffect(() => () => latest.stop(), []);
  useEffect(() => {
    if (!table) {
      latest.stop();
      setBands(null);
      return;
    }
    const have = bands && bands.path === table.path && bands.from <= span.from && bands.to >= span.to;
    // A list that was cut is asked for again when a smaller part might be whole.
    if (have && (bands.complete || bands.to - bands.from < (span.to - span.from) * 2.5)) return;
    const ask = margin(span, limits, 1);
    latest.run(`${table.path} ${ask.from} ${ask.to}`, (signal) => {
      api.intervals({ source, path: table.path }, ask.from, ask.to, 2000, signal).then(
        (r) => setBands({ name: table.name, path: table.path, list: r.intervals, complete: r.complete, ...ask }),
        () => {}, // bands are beside the point: a series without them is still shown
      );
    });
  }, [table?.path, span.from, span.to]);
  return table ? (bands?.path === table.path ? bands : { name: table.name, path: table.path, list: [], complete: true }) : null;
}

/** Draws bands and, where there is room in the lane above, their labels. */
export function drawBands(g: CanvasRenderingContext2D, list: Band[], x: (t: number) => number, left: number, right: number, lane: number, height: number, c: Colors): void {
  g.save();
  g.beginPath();
  g.rect(left, 0, right - left, lane + height);
  g.clip();
  g.textAlign = "left";
  let free = left;
  list.forEach((b, i) => {
    const x0 = x(b.start), x1 = x(b.stop);
    if (x1 < left || x0 > right) return;
    const from = Math.max(left, x0), to = Math.min(right, x1);
    g.fillStyle = c.traces[(b.row % 2) + 1]!;
    if (to - from >= 1.5) {
      g.globalAlpha = b.row % 2 ? 0.1 : 0.05;
      g.fillRect(from, lane, to - from, height);
      g.globalAlpha = 0.55;
      g.fillRect(from, lane - 3, Math.max(1, to - from - 1), 3);
    } else {
      g.globalAlpha = 0.4;
      g.fillRect(Math.round(from), lane - 3, 1, height + 3);
    }
    g.globalAlpha = 1;
    const next = list[i + 1];
    const room = Math.min(right, to - from > 24 ? to : next ? x(next.start) : right) - Math.max(from, free);
    if (b.label && lane > 0 && room > 22) {
      g.fillStyle = c.dim;
      const text = fitted(g, b.label, room - 6);
      g.fillText(text, Math.max(from, free) + 2, 7);
      free = Math.max(from, free) + 2 + g.measureText(text).width + 6;
    }
  });
  g.restore();
}

/** Text cut to a width, with a sign that it was; at the front where the end tells names apart. */
export function fitted(g: CanvasRenderingContext2D, text: string, width: number, front = false): string {
  let n = text.length, shown = text;
  while (n > 1 && g.measureText(shown).width > width) shown = front ? "…" + text.slice(-(--n)) : text.slice(0, --n) + "…";
  return shown;
}
