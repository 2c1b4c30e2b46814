// A group: what is inside, as cards.
import type { Node } from "./api";
import { EmptyState } from "./ui/states";

export function GroupView({ node }: { node: Node }) {
  return <EmptyState icon="group" title={node.label ?? node.name} text={node.fact} />;
}
