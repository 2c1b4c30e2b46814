// Icons are strokes of 1.4 in a square of 16, in the colour of the text around them.
import type { Child, Node } from "../api";

const paths = {
  image: "M3.5 2.5h9a2 2 0 012 2v7a2 2 0 01-2 2h-9a2 2 0 01-2-2v-7a2 2 0 012-2zM2 12l4-4 3 3 2-2 3 3",
  volume: "M8 1.5l6 3.2v6.6l-6 3.2-6-3.2V4.7zM2 4.7l6 3.3 6-3.3M8 8v6.5",
  series: "M1 9l3-5 3 8 3-6 2 3h3",
  spikes: "M2 3v3M5 3v3M11 3v3M3.5 7v3M8 7v3M13 7v3M2 11v3M6 11v3M10 11v3M14 3v3",
  table: "M2.5 2.5h11a1 1 0 011 1v9a1 1 0 01-1 1h-11a1 1 0 01-1-1v-9a1 1 0 011-1zM1.5 6.5h13M6 2.5v11",
  map: "M1.5 4l4-1.5 5 1.5 4-1.5v9.5l-4 1.5-5-1.5-4 1.5zM5.5 2.5V12M10.5 4v9.5",
  array: "M2 2.5h3v3H2zM6.5 2.5h3v3h-3zM11 2.5h3v3h-3zM2 7h3v3H2zM6.5 7h3v3h-3zM11 7h3v3h-3zM2 11.5h3v2H2zM6.5 11.5h3v2h-3zM11 11.5h3v2h-3z",
  group: "M1.5 12.5v-9a1 1 0 011-1h3.6l1.6 2h5.8a1 1 0 011 1v7a1 1 0 01-1 1h-11a1 1 0 01-1-1z",
  link: "M6 10l4-4M7 4l2-2a3 3 0 014.2 4.2l-2 2M9 12l-2 2a3 3 0 01-4.2-4.2l2-2",
  source: "M2 4c0-1.4 2.7-2.5 6-2.5s6 1.1 6 2.5-2.7 2.5-6 2.5-6-1.1-6-2.5zM2 4v8c0 1.4 2.7 2.5 6 2.5s6-1.1 6-2.5V4M2 8c0 1.4 2.7 2.5 6 2.5s6-1.1 6-2.5",
  right: "M6 3l5 5-5 5",
  down: "M3 6l5 5 5-5",
  left: "M10 3L5 8l5 5",
  search: "M7 2.5a4.5 4.5 0 100 9 4.5 4.5 0 000-9zM10.4 10.4L14 14",
  close: "M3.5 3.5l9 9M12.5 3.5l-9 9",
  copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
  theme: "M8 1.5a6.5 6.5 0 100 13 6.5 6.5 0 000-13z",
  warning: "M8 2l6.5 11.5h-13zM8 6.5v3.5M8 11.6v.6",
  lock: "M3.5 7.5h9v6h-9zM5.5 7.5V5a2.5 2.5 0 015 0v2.5",
  menu: "M2 4h12M2 8h12M2 12h12",
  sliders: "M2 4.5h7M12.5 4.5H14M2 11.5h1.5M7 11.5h7M10.7 2.7v3.6M5.2 9.7v3.6",
  retry: "M13.5 8a5.5 5.5 0 11-1.7-4M13.5 1.5v3h-3",
  plus: "M8 2.5v11M2.5 8h11",
  minus: "M2.5 8h11",
  fit: "M9.5 2.5h4v4M6.5 13.5h-4v-4M13.5 2.5l-5 5M2.5 13.5l5-5",
  grid: "M2.5 2.5h11v11h-11zM2.5 6.2h11M2.5 9.8h11M6.2 2.5v11M9.8 2.5v11",
  labels: "M3 3.5h5.5L13 8l-5 5-5-4.5zM5.5 6v.1",
  measure: "M2 11L11 2l3 3-9 9zM4.7 8.3l1.5 1.5M7 6l1.5 1.5M9.3 3.7l1.5 1.5",
  play: "M4.5 2.5l9 5.5-9 5.5z",
  pause: "M5 2.5v11M11 2.5v11",
  download: "M8 2v8.5M4.5 7.5L8 11l3.5-3.5M2.5 14h11",
} as const;

export type IconName = keyof typeof paths;

/** Icon is decoration: what it says must be said in words beside it, or by its button's label. */
export function Icon({ name, class: c }: { name: IconName; class?: string }) {
  return (
    <svg class={"icon" + (c ? " " + c : "")} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
      {name === "theme" && <path class="solid" d="M8 1.5v13a6.5 6.5 0 000-13z" />}
    </svg>
  );
}

/** iconOf says what a node is to its user. */
export function iconOf(n: Pick<Child, "kind" | "link" | "fact"> | Node): IconName {
  if (n.link) return "link";
  if (n.kind === "image" && "image" in n && n.image?.map) return "map";
  return n.kind;
}
