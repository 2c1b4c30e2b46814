// What is inside a cell that holds a list: its values, and how they go.
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import * as api from "../api";
import type { Cell, Node } from "../api";
import { group, value } from "../format";
import { copy } from "../state";
import { useAnswer } from "../ui/answer";
import { Button } from "../ui/button";
import { on } from "../ui/gestures";
import { ErrorState, Skeleton } from "../ui/states";
import { DataLink } from "../ui/link";
import { cellText } from "./cell";

const most = 2000;

type P = { node: Node; row: number; column: string; unit?: string; anchor: DOMRect; close: () => void };

export function CellPopover(p: P) {
  const box = useRef<HTMLDivElement>(null);
  const { value: cells, problem, retry } = useAnswer(p.row + p.column, async (signal): Promise<Cell[]> => {
    const cell = (await api.rows(p.node, { row: p.row, columns: p.column }, signal)).rows[0]?.[0];
    return cell !== null && typeof cell === "object" && "list" in cell ? cell.values : cell === undefined ? [] : [cell];
  });
  useLayoutEffect(() => {
    const el = box.current!, r = el.getBoundingClientRect(), a = p.anchor;
    const below = a.bottom + 4 + r.height <= innerHeight;
    el.style.left = Math.max(8, Math.min(innerWidth - r.width - 8, a.left)) + "px";
    el.style.top = Math.max(8, below ? a.bottom + 4 : Math.min(a.top - r.height - 4, innerHeight - r.height - 8)) + "px";
  });
  useEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    box.current!.focus();
    const away = (e: Event) => box.current?.contains(e.target as globalThis.Node) || p.close();
    const off = on(window, { pointerdown: away, wheel: away });
    return () => {
      off();
      before?.focus();
    };
  }, []);
  const numbers = cells?.map(api.number) ?? [];
  const plottable = numbers.length > 2 && numbers.some((n) => Number.isFinite(n));
  let low = Infinity, high = -Infinity;
  for (const n of numbers) {
    if (n < low) low = n;
    if (n > high) high = n;
  }
  return (
    <div
      class="popover" ref={box} role="dialog" aria-label={`${p.column} of row ${p.row}`} tabIndex={-1}
      onKeyDown={(e) => {
        e.stopPropagation();
        if (e.key === "Escape") p.close();
      }}
    >
      <div class="popover-head">
        <b class="grow">{p.column}</b>
        {cells && <span class="fact">{group(cells.length)} values</span>}
        {cells && <Button quiet icon="copy" label="Copy all" onClick={() => void copy(cells.map(cellText).join("\n"), "Values")} />}
        <Button quiet icon="close" label="Close" onClick={p.close} />
      </div>
      {problem && <div class="popover-state"><ErrorState problem={problem} retry={retry} /></div>}
      {!cells && !problem && <Skeleton rows={3} />}
      {plottable && <Spark values={numbers} low={low} high={high} />}
      {plottable && <div class="popover-range mono"><span>{value(low)}</span><span>{p.unit ?? ""}</span><span>{value(high)}</span></div>}
      {cells && (
        <ol class="popover-list mono" start={0} tabIndex={0} aria-label="Values">
          {cells.slice(0, most).map((c, i) => <li key={i} value={i}>{typeof c === "number" ? value(c, 9) : c !== null && typeof c === "object" && "link" in c ? <DataLink link={c.link} /> : cellText(c)}</li>)}
          {cells.length > most && <li class="none">and {group(cells.length - most)} more</li>}
        </ol>
      )}
    </div>
  );
}

/** All values in order, as one small line. */
function Spark({ values, low, high }: { values: number[]; low: number; high: number }) {
  const step = Math.max(1, Math.floor(values.length / 1000));
  const points = values.filter((v, i) => i % step === 0 && Number.isFinite(v)).map((v, i) => `${i},${(high - v) / (high - low || 1)}`);
  return <svg class="spark" viewBox={`0 -0.05 ${Math.max(1, points.length - 1)} 1.1`} preserveAspectRatio="none" aria-hidden="true"><polyline points={points.join(" ")} /></svg>;
}
