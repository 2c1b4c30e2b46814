// What is typed into the search box, as places of the node that is shown: coordinates, dates, rows.
import type { Axis, Node } from "./api";
import { value } from "./format";
import { inMetres } from "./image/scalebar";

export type Place = {
  label: string;
  /** positions by axis, where arithmetic finds them */
  positions?: (number | null)[];
  /** a selection that the server must look up among coordinates */
  select?: string;
  /** a row of a table, or a unit */
  row?: number;
};

/** factor converts a length in one unit into another, NaN where they do not fit; without a unit it is taken as it is. */
export function factor(from: string, to: string | undefined): number {
  return !from || from === to ? 1 : (inMetres(from.replace(/^[uμ]m$/, "µm")) ?? NaN) / (inMetres(to ?? "") ?? NaN);
}

function index(a: Axis, v: number, unit: string): number | null {
  const i = unit === "px" ? v : (v * factor(unit, a.unit) - a.offset) / a.scale;
  return Number.isFinite(i) && i > -1 && i < a.size ? Math.max(0, Math.min(a.size - 1, i)) : null;
}

const regular = (a: Axis) => !a.coordinates?.length && !a.values;

/** places understands `12.5, 88 µm` (x, y), `z=4, t=2`, dates, and numbers of rows and units. */
export function places(text: string, node: Node | null): Place[] {
  text = text.trim();
  if (!node || !text) return [];
  const out: Place[] = [];
  const axes = node.image?.axes;
  const row = /^(?:(?:row|unit|#)\s*)?(\d+)$/i.exec(text);
  const rows = node.table?.rows ?? node.spikes?.units ?? 0;
  if (row && Number(row[1]) < rows) out.push({ label: (node.spikes ? "Unit " : "Row ") + value(Number(row[1])), row: Number(row[1]) });
  if (!axes) return out;
  if (/^\w[\w ]*=/.test(text)) {
    const positions: (number | null)[] = axes.map(() => null);
    let local = true;
    for (const part of text.split(/[,;]/)) {
      const m = /^\s*([\w ]+?)\s*=\s*(@?)(-?[\d.]+(?:e[+-]?\d+)?)\s*(\S*)\s*$/i.exec(part);
      const k = m ? axes.findIndex((a) => a.name.toLowerCase() === m[1]!.toLowerCase()) : -1;
      if (!m || k < 0 || (!m[2] && !regular(axes[k]!))) {
        local = false;
        break;
      }
      positions[k] = index(axes[k]!, Number(m[3]), m[2] ? "px" : m[4]!);
      if (positions[k] === null) return out;
    }
    out.push(local ? { label: "Go to " + text, positions } : { label: "Go to " + text, select: text });
    return out;
  }
  const date = /^\d{4}-\d\d(-\d\d)?([T ][\d:]+)?$/.test(text);
  const time = axes.find((a) => a.type === "time");
  if (date && time) {
    out.push({ label: "Go to " + text, select: `${time.name}=${text.replace(" ", "T")}` });
    return out;
  }
  const pair = /^(-?[\d.]+)\s*([^\d\s,;.-]*)\s*[,;\s]\s*(-?[\d.]+)\s*([^\d\s,;.]*)$/.exec(text);
  if (pair) {
    const ax = axes[node.image!.x]!, ay = axes[node.image!.y]!;
    const ux = pair[2] || pair[4] || "", uy = pair[4] || pair[2] || "";
    const label = `Go to ${ax.name} ${pair[1]}, ${ay.name} ${pair[3]} ${uy || ax.unit || ""}`.trim();
    if (regular(ax) && regular(ay)) {
      const positions: (number | null)[] = axes.map(() => null);
      const px = index(ax, Number(pair[1]), ux), py = index(ay, Number(pair[3]), uy);
      if (px === null || py === null) return out;
      positions[node.image!.x] = px;
      positions[node.image!.y] = py;
      out.push({ label, positions });
    } else out.push({ label, select: `${ax.name}=${pair[1]},${ay.name}=${pair[3]}` });
  }
  return out;
}
