type P = {
  value: number; min: number; max: number; step?: number | "any"; label: string; /** what a screen reader says in place of the number */ text?: string;
  onInput: (v: number) => void; onChange?: (v: number) => void; class?: string;
};

/** Slider is the browser's own, so that keys, touch and screen readers work; theme.css draws it. */
export function Slider(p: P) {
  const part = p.max > p.min ? (p.value - p.min) / (p.max - p.min) : 0;
  return (
    <input
      type="range"
      class={"slider" + (p.class ? " " + p.class : "")}
      min={p.min} max={p.max} step={p.step ?? 1} value={p.value}
      aria-label={p.label} aria-valuetext={p.text}
      style={{ "--part": part * 100 + "%" }}
      onInput={(e) => p.onInput(Number(e.currentTarget.value))}
      onChange={p.onChange && ((e) => p.onChange!(Number(e.currentTarget.value)))}
    />
  );
}
