import type { Node } from "../api";
import { EmptyState } from "../ui/states";

export function TableView({ node }: { node: Node }) {
  return <EmptyState title={node.label ?? node.name} text={node.fact} />;
}
export function TableDisplay(_: { node: Node }) {
  return null;
}
