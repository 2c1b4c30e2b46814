// Mouse, touch and pen: drag to pan, wheel and pinch to zoom at the cursor, a flick goes on for a while.

export type Gestures = {
  pan(dx: number, dy: number): void;
  zoom(factor: number, sx: number, sy: number, animated: boolean): void;
  hover(sx: number, sy: number, inside: boolean): void;
  /** A press and release in one place. */
  tap(sx: number, sy: number): void;
  /** Takes a press for itself (a handle that is dragged) by giving a function for its moves. */
  grab(sx: number, sy: number): ((sx: number, sy: number) => void) | null;
  flick(vx: number, vy: number): void;
  /** Anything pressed: what still moves stops. */
  press(): void;
  doubleTap: () => boolean;
};

export function listen(el: HTMLElement, g: Gestures): () => void {
  const points = new Map<number, { x: number; y: number }>();
  let grabbed: ((sx: number, sy: number) => void) | null = null;
  let moved = 0;
  let lastTap = 0;
  let lastX = 0;
  let lastY = 0;
  // The speed of the last moves, in pixels per millisecond.
  let vx = 0;
  let vy = 0;
  let time = 0;

  const place = (e: PointerEvent | WheelEvent | MouseEvent) => {
    const r = el.getBoundingClientRect();
    return { x: e.clientX - r.left, y: e.clientY - r.top };
  };

  const down = (e: PointerEvent) => {
    if (e.pointerType === "mouse" && e.button !== 0 && e.button !== 1) return;
    const p = place(e);
    g.press();
    el.setPointerCapture(e.pointerId);
    points.set(e.pointerId, p);
    if (points.size === 1) {
      moved = 0;
      vx = vy = 0;
      time = e.timeStamp;
      grabbed = g.grab(p.x, p.y);
    } else {
      grabbed = null;
      moved = 99;
    }
    if (e.pointerType === "mouse") el.focus({ preventScroll: true });
  };

  const move = (e: PointerEvent) => {
    const p = place(e);
    const old = points.get(e.pointerId);
    if (!old) {
      if (e.pointerType !== "touch") g.hover(p.x, p.y, true);
      return;
    }
    if (grabbed) {
      grabbed(p.x, p.y);
      g.hover(p.x, p.y, true);
    } else if (points.size === 1) {
      const dx = p.x - old.x;
      const dy = p.y - old.y;
      moved += Math.abs(dx) + Math.abs(dy);
      // A tap may tremble.
      if (moved > 4) {
        g.pan(dx, dy);
        const dt = Math.max(1, e.timeStamp - time);
        vx = 0.7 * (dx / dt) + 0.3 * vx;
        vy = 0.7 * (dy / dt) + 0.3 * vy;
      }
      time = e.timeStamp;
      if (e.pointerType === "mouse") g.hover(p.x, p.y, true);
    } else if (points.size === 2) {
      let other = p;
      for (const [id, q] of points) if (id !== e.pointerId) other = q;
      const before = Math.hypot(old.x - other.x, old.y - other.y);
      const after = Math.hypot(p.x - other.x, p.y - other.y);
      g.pan((p.x - old.x) / 2, (p.y - old.y) / 2);
      if (before > 8 && after > 8) g.zoom(after / before, (p.x + other.x) / 2, (p.y + other.y) / 2, false);
    }
    old.x = p.x;
    old.y = p.y;
  };

  const up = (e: PointerEvent) => {
    if (!points.delete(e.pointerId)) return;
    const p = place(e);
    if (grabbed) {
      grabbed = null;
      return;
    }
    if (points.size > 0 || e.type === "pointercancel") return;
    if (moved <= 4) {
      const twice = e.timeStamp - lastTap < 320 && Math.hypot(p.x - lastX, p.y - lastY) < 24;
      lastTap = twice ? 0 : e.timeStamp;
      lastX = p.x;
      lastY = p.y;
      if (twice && g.doubleTap()) g.zoom(e.shiftKey ? 0.5 : 2, p.x, p.y, true);
      else {
        g.tap(p.x, p.y);
        if (e.pointerType === "touch") g.hover(p.x, p.y, true);
      }
    } else if (e.timeStamp - time < 60) g.flick(vx, vy);
  };

  const wheel = (e: WheelEvent) => {
    e.preventDefault();
    g.press();
    const p = place(e);
    const lines = e.deltaMode === 1 ? 16 : e.deltaMode === 2 ? 400 : 1;
    // Pinching on a touchpad comes as a wheel with Ctrl and small steps.
    const speed = e.ctrlKey ? 0.01 : 0.0016;
    const d = Math.max(-240, Math.min(240, e.deltaY * lines));
    g.zoom(Math.exp(-d * speed), p.x, p.y, false);
    g.hover(p.x, p.y, true);
  };

  const leave = (e: PointerEvent) => {
    if (points.size === 0 && e.pointerType !== "touch") g.hover(0, 0, false);
  };

  el.addEventListener("pointerdown", down);
  el.addEventListener("pointermove", move);
  el.addEventListener("pointerup", up);
  el.addEventListener("pointercancel", up);
  el.addEventListener("pointerleave", leave);
  el.addEventListener("wheel", wheel, { passive: false });
  return () => {
    el.removeEventListener("pointerdown", down);
    el.removeEventListener("pointermove", move);
    el.removeEventListener("pointerup", up);
    el.removeEventListener("pointercancel", up);
    el.removeEventListener("pointerleave", leave);
    el.removeEventListener("wheel", wheel);
  };
}
