// The colours of the theme, for canvases, which know no variables.

const names = ["bg", "line", "ink", "dim", "faint", "mono"] as const;

export type Colors = Record<(typeof names)[number], string> & { traces: string[] };

const dark = ["#5cc8ff", "#7ee0a8", "#f2b872", "#c9a2ff", "#ff9aa8", "#8fd3d1"];
const light = ["#0a6fb0", "#12804a", "#a85b00", "#7040c0", "#b8324a", "#14716e"];

export function colors(theme: "dark" | "light"): Colors {
  const s = getComputedStyle(document.documentElement);
  const c = Object.fromEntries(names.map((n) => [n, s.getPropertyValue("--" + n)])) as unknown as Colors;
  c.mono = "11px " + c.mono;
  c.traces = theme === "dark" ? dark : light;
  return c;
}
