// What goes on by itself for a while: a flick, and steps of zoom.

import { type Camera, clampZoom, panBy, zoomAt } from "./camera";

export class Motion {
  #vx = 0;
  #vy = 0;
  #zoom = 0; // where to; 0: nowhere
  #sx = 0;
  #sy = 0;
  #last = 0;

  stop(): void {
    this.#vx = this.#vy = this.#zoom = 0;
  }

  flick(vx: number, vy: number): void {
    this.#vx = vx;
    this.#vy = vy;
    this.#last = performance.now();
  }

  zoom(c: Camera, factor: number, sx: number, sy: number): void {
    this.#zoom = clampZoom(c, (this.#zoom || c.zoom) * factor);
    this.#sx = sx;
    this.#sy = sy;
    this.#last = performance.now();
  }

  /** Moves the camera by what has to be done until now; false when nothing moves. */
  step(c: Camera, now: number): boolean {
    const moves = this.#zoom > 0 || this.#vx !== 0 || this.#vy !== 0;
    if (!moves) return false;
    const dt = Math.min(50, Math.max(1, now - this.#last));
    this.#last = now;
    if (this.#zoom > 0) {
      const left = this.#zoom / c.zoom;
      const end = Math.abs(Math.log(left)) < 0.004;
      zoomAt(c, end ? left : left ** (1 - Math.exp(-dt / 55)), this.#sx, this.#sy);
      if (end) this.#zoom = 0;
    }
    panBy(c, this.#vx * dt, this.#vy * dt);
    const slow = Math.hypot(this.#vx, this.#vy) < 0.02 ? 0 : Math.exp(-dt / 180);
    this.#vx *= slow;
    this.#vy *= slow;
    return true;
  }
}
