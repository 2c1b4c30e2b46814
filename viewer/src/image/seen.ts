// What is on screen as a part of an array, for "View in" and for the chunk under the cursor.

import { onScreen } from "../state";
import type { ImageModel } from "./model";
import { levelIndex } from "./pyramid";

/** The level that is told: the one in view, the finest where levels are made on the fly and no array has them. */
export class Seen {
  readonly #level: number;

  constructor(
    private readonly model: ImageModel,
    level: number,
  ) {
    this.#level = model.info.levels[level]!.made ? 0 : level;
  }

  #scale(axis: number): number {
    return this.#level === 0 ? 1 : (this.model.info.levels[this.#level]!.scale[axis] ?? 1);
  }

  /** An index of level 0 as one of the array that is told. */
  index(axis: number, v: number): number {
    return levelIndex(v, this.#scale(axis), this.model.info.levels[this.#level]!.shape[axis] ?? 1);
  }

  tell(s: Float64Array): void {
    const { info } = this.model;
    const l = info.levels[this.#level]!;
    const span = (from: number, to: number, axis: number) => {
      const a = Math.max(0, Math.floor(from / this.#scale(axis)));
      const b = Math.min(l.shape[axis]!, Math.ceil(to / this.#scale(axis)));
      return a === 0 && b === l.shape[axis] ? ":" : `${a}:${b}`;
    };
    const shown = this.model.shown.peek();
    const slice = indexAt(this.model, 0, 0).map((v, i) => {
      if (i === info.x) return span(s[0]!, s[2]!, i);
      if (i === info.y) return span(s[1]!, s[3]!, i);
      return i === info.channel && shown.length !== 1 ? ":" : this.index(i, v);
    });
    const next = { path: l.path, slice: slice.join(), level: this.#level };
    const old = onScreen.peek();
    if (old?.path !== next.path || old.slice !== next.slice) onScreen.value = next;
  }
}

/** The index of a pixel on all axes of level 0, with the first channel in sight. */
export function indexAt(model: ImageModel, col: number, row: number): number[] {
  const { info } = model;
  return model.position.peek().map((v, i) => (i === info.x ? col : i === info.y ? row : i === info.channel ? (model.shown.peek()[0] ?? 0) : v));
}
