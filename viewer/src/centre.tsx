// The centre: one view of the node.
import type { ComponentType } from "preact";
import type { Kind, Node } from "./api";
// The order of these is that of the built page: so it compresses best (1 kB), the drawing of images beside that of plots.
import { ImageDisplay, ImageView } from "./image";
import { SeriesDisplay, SeriesView, SpikesDisplay, SpikesView } from "./series";
import { TableDisplay, TableView } from "./table";
import { ArrayDisplay, ArrayView } from "./array";
import { GroupView } from "./group";
import { Start } from "./start";
import { node, nodeError, route, retry, view } from "./state";
import { Boundary } from "./ui/boundary";
import { ErrorState, Skeleton } from "./ui/states";

type View = ComponentType<{ node: Node }>;

/** The views, and the panel beside each. All are in one file: it is smaller than one for each, which repeat each other. */
export const views: Record<Kind, [View, View]> = {
  group: [GroupView, () => null], image: [ImageView, ImageDisplay], series: [SeriesView, SeriesDisplay],
  spikes: [SpikesView, SpikesDisplay], table: [TableView, TableDisplay], array: [ArrayView, ArrayDisplay],
};

export function Centre() {
  const n = node.value;
  const problem = nodeError.value;
  const r = route.value;
  if (!r.source) return <Start />;
  if (problem) return <ErrorState problem={problem} retry={retry} />;
  if (!n || n.source !== r.source || n.path !== r.path) return <Skeleton />;
  const [View] = views[view.value];
  return <Boundary name="view" key={n.source + n.path + view.value}><View node={n} /></Boundary>;
}
