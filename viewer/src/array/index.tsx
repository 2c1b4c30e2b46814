import type { Node } from "../api";
import { EmptyState } from "../ui/states";

export function ArrayView({ node }: { node: Node }) {
  return <EmptyState title={node.label ?? node.name} text={node.fact} />;
}
export function ArrayDisplay(_: { node: Node }) {
  return null;
}
