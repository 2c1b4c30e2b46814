// The centre: one view of the node, loaded when it is first wanted.
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Kind, Node } from "./api";
import { node, nodeError, route, retry, view } from "./state";
import { Boundary } from "./ui/boundary";
import { ErrorState, Skeleton } from "./ui/states";
import { GroupView } from "./group";
import { Start } from "./start";

type View = ComponentType<{ node: Node }>;
type Module = { view: View; display: View };

const loaders: Record<Exclude<Kind, "group">, () => Promise<Module>> = {
  image: () => import("./image").then((m) => ({ view: m.ImageView, display: m.ImageDisplay })),
  series: () => import("./data").then((m) => ({ view: m.SeriesView, display: m.SeriesDisplay })),
  spikes: () => import("./data").then((m) => ({ view: m.SpikesView, display: m.SpikesDisplay })),
  table: () => import("./data").then((m) => ({ view: m.TableView, display: m.TableDisplay })),
  array: () => import("./data").then((m) => ({ view: m.ArrayView, display: m.ArrayDisplay })),
};
const loaded: Partial<Record<Kind, Module>> = { group: { view: GroupView, display: () => null } };

/** useView gives the module of a view, null until it is there; an error while loading is thrown to the boundary. */
export function useView(kind: Kind): Module | null {
  const [, again] = useState(0);
  const [error, fail] = useState<unknown>(null);
  useEffect(() => {
    if (loaded[kind]) return;
    let gone = false;
    loaders[kind as Exclude<Kind, "group">]().then(
      (m) => {
        loaded[kind] = m;
        if (!gone) again((n) => n + 1);
      },
      (e) => gone || fail(e),
    );
    return () => {
      gone = true;
    };
  }, [kind]);
  if (error) throw error;
  return loaded[kind] ?? null;
}

export function Centre() {
  const n = node.value;
  const problem = nodeError.value;
  const r = route.value;
  if (!r.source) return <Start />;
  if (problem) return <ErrorState problem={problem} retry={retry} />;
  if (!n || n.source !== r.source || n.path !== r.path) return <Skeleton />;
  return (
    <Boundary name="view" key={n.source + n.path + view.value}>
      <Shown node={n} />
    </Boundary>
  );
}

function Shown({ node: n }: { node: Node }) {
  const m = useView(view.value);
  return m ? <m.view node={n} /> : <Skeleton />;
}
