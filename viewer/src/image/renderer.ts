import type { Look } from "./look";
import type { Scene } from "./scene";
import type { Tile } from "./tiles";

/** A way of drawing. Sizes are in CSS pixels, dpr says how many device pixels one is. */
export interface Renderer {
  readonly name: string;
  /** Makes ready for values of a type while the first tiles are on their way. Throws where it cannot draw at all. */
  warm(type: string, look: Look): void;
  /** Hands a tile's values over, once. */
  prepare(t: Tile): void;
  free(t: Tile): void;
  begin(width: number, height: number, dpr: number): void;
  /** Crisp: pixels of the level that is meant are squares, not mixed. */
  image(scene: Scene, look: Look, crisp: boolean): void;
  labels(scene: Scene, opacity: number, edges: boolean): void;
  /** True when there is more to draw than one frame had time for. */
  end(): boolean | void;
  dispose(): void;
}
