// Mouse, touch and pen: drag to pan, wheel and pinch to zoom at the cursor, a flick goes on for a while.

type Events = HTMLElementEventMap & { webglcontextlost: Event; webglcontextrestored: Event };
type Handlers = { [K in keyof Events]?: (e: Events[K]) => void };

/** Listens to events of an element, or of the page before anything on it; the function that it gives ends that. */
export function on(el: HTMLElement | Window, handlers: Handlers): () => void {
  const each = (f: typeof el.addEventListener) => {
    for (const [name, fn] of Object.entries(handlers)) f.call(el, name, fn as EventListener, el === window ? true : { passive: false });
  };
  each(el.addEventListener);
  return () => each(el.removeEventListener as typeof el.addEventListener);
}

/** Follows a pointer that was pressed until it is let go. */
export function drag(e: PointerEvent, move: (e: PointerEvent) => void): void {
  const el = e.currentTarget as HTMLElement;
  el.setPointerCapture(e.pointerId);
  const off = on(el, { pointermove: move, pointerup: () => off(), pointercancel: () => off() });
}

/** What a wheel was turned by, in pixels. */
export function turned(e: WheelEvent): { dx: number; dy: number } {
  const step = e.deltaMode === 1 ? 16 : e.deltaMode === 2 ? 400 : 1;
  return { dx: e.deltaX * step, dy: e.deltaY * step };
}

/** What a view does with them. Places are pixels from the corner of its element. */
export type Gestures = {
  pan(dx: number, dy: number): void;
  /** Two fingers have come closer, or gone apart. */
  pinch(factor: number, x: number, y: number): void;
  wheel(e: WheelEvent, x: number, y: number): void;
  hover(x: number, y: number, inside: boolean): void;
  /** A press and release in one place. */
  tap(x: number, y: number): void;
  /** Two of them; false: they are taps. */
  twice(x: number, y: number, shift: boolean): boolean;
  /** Takes a press for itself (a handle that is dragged) by giving a function for its moves. */
  grab?(x: number, y: number): ((x: number, y: number) => void) | null;
  flick?(vx: number, vy: number): void;
  /** Anything pressed: what still moves stops. */
  press?(): void;
};

export function listen(el: HTMLElement, gestures: () => Gestures): () => void {
  const points = new Map<number, { x: number; y: number }>();
  let grabbed: ((x: number, y: number) => void) | null | undefined;
  let moved = 0;
  let last = { x: 0, y: 0, time: 0 }; // tap
  // The speed of the last moves, in pixels per millisecond.
  let vx = 0;
  let vy = 0;
  let time = 0;

  const place = (e: MouseEvent) => {
    const r = el.getBoundingClientRect();
    return { x: e.clientX - r.left, y: e.clientY - r.top };
  };

  const up = (e: PointerEvent) => {
    if (!points.delete(e.pointerId)) return;
    const p = place(e), g = gestures();
    el.classList.remove("dragging");
    if (grabbed) {
      grabbed = null;
      return;
    }
    if (points.size > 0 || e.type === "pointercancel") return;
    if (moved <= 4) {
      const twice = e.timeStamp - last.time < 320 && Math.hypot(p.x - last.x, p.y - last.y) < 24;
      last = { ...p, time: twice ? 0 : e.timeStamp };
      if (twice && g.twice(p.x, p.y, e.shiftKey)) return;
      g.tap(p.x, p.y);
      if (e.pointerType === "touch") g.hover(p.x, p.y, true);
    } else if (e.timeStamp - time < 60) g.flick?.(vx, vy);
  };

  return on(el, {
    pointerdown(e) {
      if ((e.pointerType === "mouse" && e.button > 1) || (e.target as HTMLElement).closest("button,a,input,select")) return;
      const p = place(e), g = gestures();
      g.press?.();
      el.setPointerCapture(e.pointerId);
      points.set(e.pointerId, p);
      if (points.size === 1) {
        moved = vx = vy = 0;
        time = e.timeStamp;
        grabbed = g.grab?.(p.x, p.y);
      } else {
        grabbed = null;
        moved = 99;
      }
      if (e.pointerType === "mouse") el.focus({ preventScroll: true });
    },
    pointermove(e) {
      const p = place(e), g = gestures();
      const old = points.get(e.pointerId);
      const dx = p.x - (old?.x ?? 0), dy = p.y - (old?.y ?? 0);
      if (!old || grabbed || e.pointerType === "mouse") {
        if (old || e.pointerType !== "touch") g.hover(p.x, p.y, true);
      }
      if (!old) return;
      points.set(e.pointerId, p);
      if (grabbed) grabbed(p.x, p.y);
      else if (points.size === 1) {
        moved += Math.abs(dx) + Math.abs(dy);
        // A tap may tremble.
        if (moved > 4) {
          el.classList.add("dragging");
          g.pan(dx, dy);
          const dt = Math.max(1, e.timeStamp - time);
          vx = 0.7 * (dx / dt) + 0.3 * vx;
          vy = 0.7 * (dy / dt) + 0.3 * vy;
        }
        time = e.timeStamp;
      } else {
        const other = [...points].find(([id]) => id !== e.pointerId)![1];
        const before = Math.hypot(old.x - other.x, old.y - other.y), after = Math.hypot(p.x - other.x, p.y - other.y);
        g.pan(dx / 2, dy / 2);
        if (before > 8 && after > 8) g.pinch(after / before, (p.x + other.x) / 2, (p.y + other.y) / 2);
      }
    },
    pointerup: up,
    pointercancel: up,
    pointerleave(e) {
      if (points.size === 0 && e.pointerType !== "touch") gestures().hover(0, 0, false);
    },
    wheel(e) {
      const p = place(e), g = gestures();
      e.preventDefault();
      g.press?.();
      g.wheel(e, p.x, p.y);
      g.hover(p.x, p.y, true);
    },
  });
}
