// Wheel, mouse, pen and fingers over a plot, as what they mean: scroll, drag, pinch, press.
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";

export interface Moves<S> {
  gutter: () => number; // left of the plot; x is counted from there
  begin: () => S; // what a drag or pinch starts from
  wheel: (x: number, e: WheelEvent) => void;
  drag: (from: S, dx: number, dy: number) => void;
  pinch: (from: S, x: number, factor: number) => void;
  move: (x: number | null, y: number) => void;
  press: (x: number, y: number) => void;
  twice: (x: number) => void;
}

export function usePointer<S>(box: RefObject<HTMLElement | null>, moves: Moves<S>): void {
  const now = useRef({ m: moves }).current;
  now.m = moves;
  useEffect(() => {
    const el = box.current!;
    const down = new Map<number, { x: number; y: number }>();
    let from: { state: S; x: number; y: number; apart: number } | null = null, far = false;
    const place = (e: MouseEvent) => {
      const r = el.getBoundingClientRect();
      return { x: e.clientX - r.left - now.m.gutter(), y: e.clientY - r.top };
    };
    const centre = () => {
      const all = [...down.values()];
      const [a, b] = [all[0]!, all[1] ?? all[0]!];
      return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, apart: Math.hypot(a.x - b.x, a.y - b.y) };
    };
    const restart = () => {
      from = down.size ? { state: now.m.begin(), ...centre() } : null;
    };
    const on: { [K in keyof HTMLElementEventMap]?: (e: HTMLElementEventMap[K]) => void } = {
      wheel(e) {
        e.preventDefault();
        now.m.wheel(place(e).x, e);
      },
      pointerdown(e) {
        if (e.button !== 0 || (e.target as HTMLElement).closest("button,a,input,select")) return;
        el.setPointerCapture(e.pointerId);
        down.set(e.pointerId, place(e));
        far = down.size > 1;
        restart();
      },
      pointermove(e) {
        const at = place(e);
        if (e.pointerType !== "touch" || down.size) now.m.move(at.x, at.y);
        if (!down.has(e.pointerId) || !from) return;
        down.set(e.pointerId, at);
        const c = centre();
        if (down.size > 1) now.m.pinch(from.state, from.x, c.apart / Math.max(1, from.apart));
        else if (far || Math.hypot(c.x - from.x, c.y - from.y) > 4) {
          far = true;
          el.classList.add("dragging");
          now.m.drag(from.state, c.x - from.x, c.y - from.y);
        }
      },
      pointerup(e) {
        if (!down.delete(e.pointerId)) return;
        el.classList.remove("dragging");
        if (!far && !down.size) now.m.press(place(e).x, place(e).y);
        restart();
      },
      pointercancel(e) {
        down.delete(e.pointerId);
        restart();
      },
      pointerleave: () => now.m.move(null, 0),
      dblclick: (e) => now.m.twice(place(e).x),
    };
    for (const [name, fn] of Object.entries(on)) el.addEventListener(name, fn as EventListener, { passive: false });
    return () => {
      for (const [name, fn] of Object.entries(on)) el.removeEventListener(name, fn as EventListener);
    };
  }, []);
}
