// The page: its rooms and what belongs to all of them.
import { Centre, useView } from "./centre";
import { Boundary } from "./ui/boundary";
import { Tabs } from "./ui/tabs";
import { node, panels, route, sources, status, view, formatRoute, type Tab } from "./state";
import type { Node } from "./api";

const tabs: { id: Tab; label: string }[] = [
  { id: "display", label: "Display" }, { id: "info", label: "Info" }, { id: "attributes", label: "Attributes" }, { id: "chunks", label: "Chunks" },
];

function Display({ node }: { node: Node }) {
  const m = useView(view.value);
  return m && <m.display node={node} />;
}

export function App() {
  const n = node.value;
  return (
    <div class="page">
      <header class="top">omnizarr {route.value.source}{route.value.path}</header>
      <nav class="left" aria-label="Sources">{sources.value?.map((s) => <a key={s.name} href={formatRoute({ source: s.name })}>{s.name}</a>)}</nav>
      <main class="centre"><div class="view"><Centre /></div></main>
      <aside class="right" aria-label="Details">
        <Tabs tabs={tabs} on={panels.tab.value} onSelect={(t) => (panels.tab.value = t)} label="Details">
          {n && panels.tab.value === "display" && <Boundary name="panel" key={n.path}><Display node={n} /></Boundary>}
        </Tabs>
      </aside>
      <footer class="bottom">{status.cursor.value.map((s) => <span key={s.label}>{s.label} <b>{s.value}</b></span>)}</footer>
    </div>
  );
}
