// The words for what is under the cursor: where it is, and the values there.

import * as api from "../api";
import { value as numberText } from "../format";
import { cursorIndex, type Status, status } from "../state";
import type { LabelLayer } from "./layer";
import type { ImageModel } from "./model";
import { placeText } from "./place";
import { indexAt, type Seen } from "./seen";
import { type Plane, values } from "./tiles";

export class Cursor {
  #asked = "";
  #exact: { key: string; values: number[]; label: number | null } | null = null;
  #abort: AbortController | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly model: ImageModel,
    /** The true values have come. */
    private readonly came: () => void,
  ) {}

  clear(): void {
    clearTimeout(this.#timer);
    this.#abort?.abort();
    this.#asked = "";
    if (status.cursor.peek().length > 0) status.cursor.value = [];
    if (cursorIndex.peek()) cursorIndex.value = null;
  }

  /** Tells what is at a place of level 0. */
  tell(x: number, y: number, plane: Plane, layer: LabelLayer | null, seen: Seen): void {
    const { info, channels } = this.model;
    const [ax, ay] = [info.axes[info.x]!, info.axes[info.y]!];
    const col = Math.floor(x);
    const row = Math.floor(y);
    if (col < 0 || row < 0 || col >= ax.size || row >= ay.size) return this.clear();
    const centre = info.map ? 0.5 : 0;
    const words: Status[] = placeText(ax, ay, info.map, col + centre, row + centre);
    const at = indexAt(this.model, col, row);
    words.push({ value: `[${at.map((v, i) => (i === info.channel ? ":" : v)).join(", ")}]` });
    const labels = this.model.labels.peek();
    const key = `${at} ${labels?.index}`;
    const exact = this.#exact?.key === key ? this.#exact : null;
    for (const c of channels) {
      const label = info.rgb ? "RGBA"[c.index]! : channels.length === 1 ? info.channels[0]?.label || "value" : c.label;
      if (exact) {
        if (c.index in exact.values) words.push({ label, value: valueText(exact.values[c.index]!) });
        continue;
      }
      const t = plane.finest(0, x, y, c.index);
      if (!t?.data || !this.model.shown.peek().includes(c.index)) continue;
      const tx = Math.min(t.width - 1, Math.floor(x / t.grid.scaleX) - t.tx * t.grid.tileX);
      const ty = Math.min(t.height - 1, Math.floor(y / t.grid.scaleY) - t.ty * t.grid.tileY);
      words.push({ label, value: (t.grid.level > 0 ? "≈ " : "") + valueText(t.data[ty * t.width + tx]!) });
    }
    if (labels && typeof exact?.label === "number") words.push({ label: info.labels[labels.index]!.name, value: exact.label ? String(exact.label) : "none" });
    status.cursor.value = words;
    cursorIndex.value = at.map((v, i) => seen.index(i, v));
    if (!exact && key !== this.#asked && !this.model.playing.peek()) this.#ask(key, col, row, layer);
  }

  /** Where the cursor rests, the true values of all channels are asked for. */
  #ask(key: string, col: number, row: number, layer: LabelLayer | null): void {
    this.#asked = key;
    clearTimeout(this.#timer);
    this.#abort?.abort();
    const { model } = this;
    const { signal } = (this.#abort = new AbortController());
    this.#timer = setTimeout(async () => {
      const q: api.TileQuery = { level: 0, x: [col, col + 1], y: [row, row + 1], at: model.at.peek() };
      if (model.info.channel >= 0) q.channels = model.channels.slice(0, 16).map((c) => c.index);
      try {
        const t = await api.tile(model.node, q, signal);
        const label = layer ? await layer.at(model.position.peek(), col, row, signal) : null;
        this.#exact = { key, values: Array.from(values(t.dataType, t.bytes)), label };
        this.came();
      } catch {
        // The tile itself tells what is wrong here.
      }
    }, 90);
  }
}

function valueText(v: number): string {
  return Number.isNaN(v) ? "missing" : numberText(v);
}
