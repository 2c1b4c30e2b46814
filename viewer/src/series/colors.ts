// The colours of the theme, for canvases, which know no variables.

export interface Colors { bg: string; panel: string; line: string; ink: string; dim: string; faint: string; accent: string; mono: string; sans: string; traces: string[] }

const dark = ["#5cc8ff", "#7ee0a8", "#f2b872", "#c9a2ff", "#ff9aa8", "#8fd3d1"];
const light = ["#0a6fb0", "#12804a", "#a85b00", "#7040c0", "#b8324a", "#14716e"];

export function colors(theme: "dark" | "light"): Colors {
  const s = getComputedStyle(document.documentElement);
  const v = (name: string) => s.getPropertyValue("--" + name).trim();
  return {
    bg: v("bg"), panel: v("panel"), line: v("line"), ink: v("ink"), dim: v("dim"), faint: v("faint"), accent: v("accent"),
    mono: "11px " + (v("mono") || "monospace"), sans: "11px " + getComputedStyle(document.body).fontFamily, traces: theme === "dark" ? dark : light,
  };
}
