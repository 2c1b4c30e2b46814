import type { Node } from "../api";
import { EmptyState } from "../ui/states";

export function SeriesView({ node }: { node: Node }) {
  return <EmptyState title={node.label ?? node.name} text={node.fact} />;
}
export function SeriesDisplay(_: { node: Node }) {
  return null;
}
export const SpikesView = SeriesView;
export const SpikesDisplay = SeriesDisplay;
