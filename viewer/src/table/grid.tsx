// A grid of any size: only what is on screen exists, and the keyboard moves a cell through all of it.
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { on, turned } from "../ui/gestures";
import { useSize } from "../ui/size";
import { type Extent, Scroll } from "./extent";

export const rowHeight = 26;

export type Shown = { content: ComponentChildren; title?: string; class?: string };
export type At = { row: number; column: number };

type P = {
  label: string;
  rows: Extent;
  columns: Extent;
  gutter: number; // width of the row numbers
  head: number; // height of the header
  header: (column: number) => ComponentChildren;
  headerProps?: (column: number) => Record<string, unknown>;
  corner?: ComponentChildren;
  name: (row: number) => string; // what stands at the left of a row
  cell: (row: number, column: number) => Shown | null; // null: not there yet
  at: At | null;
  onAt: (at: At) => void;
  onOpen?: (at: At, cell: HTMLElement) => void;
  onHover?: (at: At | null) => void;
  onSight: (rows: [number, number], columns: [number, number]) => void;
  goto?: number; // a row to begin at
};

export function Grid(p: P) {
  const box = useRef<HTMLDivElement>(null);
  const size = useSize(box);
  const [, redraw] = useState(0);
  const y = useRef(new Scroll(p.rows, 0)).current, x = useRef(new Scroll(p.columns, 0)).current;
  y.extent = p.rows;
  x.extent = p.columns;
  y.viewport = Math.max(0, size.height - p.head);
  x.viewport = Math.max(0, size.width - p.gutter);
  const begun = useRef(false);

  const go = (row: number, column: number) => {
    const el = box.current!;
    el.scrollTop = y.go(row);
    el.scrollLeft = x.go(column);
    redraw((n) => n + 1);
  };
  // Fewer rows than before may leave the place behind the end.
  useLayoutEffect(() => {
    if (size.height && (y.place > y.most || x.place > x.most)) go(Math.min(y.place, y.most), Math.min(x.place, x.most));
  });
  useLayoutEffect(() => {
    if (begun.current || !size.height || !p.rows.count) return;
    begun.current = true;
    if (p.goto) go(p.rows.start(p.goto) - y.viewport / 3, 0);
  }, [size.height, p.rows.count]);

  // Where the bar is a map, the wheel must not be: it would jump over thousands of rows.
  useEffect(() => on(box.current!, { wheel: (e) => {
    if (y.exact || e.ctrlKey || e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) return;
    e.preventDefault();
    go(y.place + turned(e).dy, x.place);
  } }), []);

  const rows = y.visible(2), columns = x.visible(1);
  useEffect(() => {
    if (size.height) p.onSight(y.visible(8), columns);
  });

  const move = (row: number, column: number) => {
    const at = { row: Math.max(0, Math.min(p.rows.count - 1, row)), column: Math.max(0, Math.min(p.columns.count - 1, column)) };
    go(y.reveal(at.row), x.reveal(at.column));
    p.onAt(at);
  };
  const key = (e: KeyboardEvent) => {
    if (e.target !== box.current || e.altKey) return;
    const a = p.at ?? { row: rows[0], column: 0 }, page = Math.max(1, Math.floor(y.viewport / rowHeight) - 1), all = e.ctrlKey || e.metaKey;
    const to: Record<string, [number, number]> = {
      ArrowUp: [all ? 0 : a.row - 1, a.column], ArrowDown: [all ? Infinity : a.row + 1, a.column], ArrowLeft: [a.row, all ? 0 : a.column - 1], ArrowRight: [a.row, all ? Infinity : a.column + 1],
      PageUp: [a.row - page, a.column], PageDown: [a.row + page, a.column], Home: [all ? 0 : a.row, 0], End: [all ? Infinity : a.row, Infinity],
    };
    const where = to[e.key];
    if (where) move(p.at ? where[0] : a.row, p.at ? where[1] : a.column);
    else if ((e.key === "Enter" || e.key === " ") && p.at) {
      const el = box.current!.querySelector<HTMLElement>(".grid-at");
      if (el) p.onOpen?.(p.at, el);
    } else if (e.key === "c" && all && p.at && !String(getSelection())) void navigator.clipboard?.writeText(box.current!.querySelector(".grid-at")?.textContent ?? "");
    else return;
    e.preventDefault();
    e.stopPropagation();
  };

  const indices = (r: [number, number]) => Array.from({ length: r[1] - r[0] }, (_, i) => r[0] + i);
  const left = (c: number) => p.gutter + p.columns.start(c) - x.place + "px";
  const active = p.at && p.at.row >= rows[0] && p.at.row < rows[1] && p.at.column >= columns[0] && p.at.column < columns[1];
  const hover = (e: PointerEvent) => {
    const r = box.current!.getBoundingClientRect();
    const px = e.clientX - r.left - p.gutter, py = e.clientY - r.top - p.head;
    if (px < 0 || py < 0 || py + y.place >= p.rows.total || px + x.place >= p.columns.total) return p.onHover?.(null);
    p.onHover?.({ row: p.rows.at(py + y.place), column: p.columns.at(px + x.place) });
  };
  return (
    <div
      class="grid" ref={box} role="grid" tabIndex={0} aria-label={p.label} aria-rowcount={p.rows.count + 1} aria-colcount={p.columns.count + 1} aria-readonly="true"
      aria-activedescendant={active ? `cell-${p.at!.row}-${p.at!.column}` : undefined}
      onScroll={() => {
        y.moved(box.current!.scrollTop);
        x.moved(box.current!.scrollLeft);
        redraw((n) => n + 1);
      }}
      onKeyDown={key} onPointerMove={hover} onPointerLeave={() => p.onHover?.(null)}
    >
      <div class="grid-view" style={{ width: size.width + "px", height: size.height + "px", marginBottom: -size.height + "px" }}>
        <div class="grid-rows" style={{ top: p.head + "px" }} role="presentation">
          {indices(rows).map((r) => (
            <div
              key={r} class={"grid-row" + (r % 2 ? " odd" : "") + (p.at?.row === r ? " on" : "")} role="row" aria-rowindex={r + 2}
              style={{ transform: `translateY(${p.rows.start(r) - y.place}px)`, width: Math.min(size.width, p.gutter + p.columns.total - x.place) + "px" }}
            >
              {indices(columns).map((c) => {
                const cell = p.cell(r, c), on = p.at?.row === r && p.at.column === c;
                return (
                  <div
                    key={c} id={`cell-${r}-${c}`} role="gridcell" aria-colindex={c + 2} aria-selected={on} title={cell?.title}
                    class={"grid-cell" + (cell?.class ? " " + cell.class : "") + (on ? " grid-at" : "") + (cell ? "" : " wait")}
                    style={{ left: left(c), width: p.columns.size(c) + "px" }}
                    onClick={(e) => {
                      p.onAt({ row: r, column: c });
                      if ((e.target as HTMLElement).closest("button")) p.onOpen?.({ row: r, column: c }, e.currentTarget);
                    }}
                  >{cell?.content}</div>
                );
              })}
              <div class="grid-name" role="rowheader" aria-colindex={1} style={{ width: p.gutter + "px" }}>{p.name(r)}</div>
            </div>
          ))}
        </div>
        <div class="grid-head" role="row" aria-rowindex={1} style={{ height: p.head + "px", width: size.width + "px" }}>
          {indices(columns).map((c) => (
            <div key={c} role="columnheader" aria-colindex={c + 2} class="grid-column" style={{ left: left(c), width: p.columns.size(c) + "px" }} {...p.headerProps?.(c)}>{p.header(c)}</div>
          ))}
          <div class="grid-corner" role="columnheader" aria-colindex={1} style={{ width: p.gutter + "px" }}>{p.corner ?? <span class="sr">row</span>}</div>
        </div>
      </div>
      <div class="grid-space" style={{ width: p.gutter + x.space + "px", height: p.head + y.space + "px" }} />
    </div>
  );
}
