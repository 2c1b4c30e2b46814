import type { Node } from "../api";
import { EmptyState } from "../ui/states";

export function ImageView({ node }: { node: Node }) {
  return <EmptyState title={node.label ?? node.name} text={node.fact} />;
}
export function ImageDisplay(_: { node: Node }) {
  return null;
}
