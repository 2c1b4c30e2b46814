// Signals in components: one that reads a signal while it is drawn is drawn anew when that changes.
import { Component, options, type VNode } from "preact";
import { useMemo } from "preact/hooks";
import { computed, effect, signal } from "./reactive";

export { batch, computed, effect, signal, type ReadonlySignal, type Signal } from "./reactive";

type Drawn = Component & { stop?: () => void };
type Hook = (v: VNode & { __c?: Drawn }) => void;
// What Preact calls before a component draws itself has this name for all that build upon it.
const hooks = options as { __r?: Hook; unmount?: Hook };
const { __r: before, unmount } = hooks;

hooks.__r = (v) => {
  before?.(v);
  const c = v.__c!;
  if ("stop" in c) return;
  const { render } = c;
  c.stop = undefined!;
  c.render = (...given) => {
    c.stop?.();
    let drawn: ReturnType<typeof render>, first = true;
    // It reads in an effect; when that runs once more, something of what was read has changed.
    c.stop = effect(() => {
      if (first) drawn = render.apply(c, given);
      else c.forceUpdate();
      first = false;
    });
    return drawn;
  };
};
hooks.unmount = (v) => {
  v.__c?.stop?.();
  unmount?.(v);
};

/** What neither its properties nor its state ask for is not drawn again. */
Component.prototype.shouldComponentUpdate = function (props: object, state: object) {
  for (const _ in state) return true; // functions have none
  const [a, b] = [Object.entries(props), this.props as Record<string, unknown>];
  return a.length !== Object.keys(b).length || a.some(([k, v]) => v !== b[k]);
};

export const useSignal = <T>(v: T) => useMemo(() => signal(v), []);
export const useComputed = <T>(f: () => T) => useMemo(() => computed(f), []);
