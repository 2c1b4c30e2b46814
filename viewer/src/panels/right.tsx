// The right: how it is shown, what it is, what it says of itself, how it is stored.
import { Boundary } from "../ui/boundary";
import { Tabs } from "../ui/tabs";
import { Button } from "../ui/button";
import { Skeleton } from "../ui/states";
import { node, nodeError, panels, view, copy, narrow, here, theme, toggleTheme, type Tab } from "../state";
import { views } from "../centre";
import { Views } from "../top";
import type { Node } from "../api";
import { Info, Essentials } from "./info";
import { Chunks } from "./chunks";
import { ViewIn } from "./viewin";
import { entries, stringify } from "../json";
import { Json } from "./json";

const tabs: { id: Tab; label: string }[] = [
  { id: "display", label: "Display" }, { id: "info", label: "Info" }, { id: "attributes", label: "Attributes" }, { id: "chunks", label: "Chunks" },
];

function Display({ node: n }: { node: Node }) {
  const [, Panel] = views[view.value];
  return (
    <>
      <div class="display"><Boundary name="panel" key={n.source + n.path + view.value}><Panel node={n} /></Boundary></div>
      <Essentials node={n} />
      <ViewIn node={n} />
    </>
  );
}

function Attributes({ node: n }: { node: Node }) {
  const count = entries(n.attributes).length;
  if (!count) return <div class="section dim">This node has no attributes.</div>;
  return (
    <div class="section attributes">
      <div class="section-head"><h3>{count === 1 ? "1 attribute" : count + " attributes"}</h3><Button quiet icon="copy" label="Copy as JSON" onClick={() => copy(stringify(n.attributes), "Attributes")} /></div>
      <Json value={n.attributes} links={n.links} />
    </div>
  );
}

export function Right() {
  const n = node.value;
  const tab = panels.tab.value;
  return (
    <Tabs tabs={tabs} on={tab} onSelect={(t) => (panels.tab.value = t)} label="Details">
      {narrow.value && (
        <div class="section sheet-tools"><Views /><Button onClick={() => copy(here(), "Link")}>Copy link</Button><Button icon="theme" label={theme.value === "dark" ? "Light theme" : "Dark theme"} onClick={toggleTheme} /></div>
      )}
      {!n && (nodeError.value ? <div class="section dim">{nodeError.value.error}</div> : <Skeleton rows={5} />)}
      {n && (
        <Boundary name="panel" key={tab + n.source + n.path}>
          {tab === "display" && <Display node={n} />}
          {tab === "info" && <><Info node={n} /><ViewIn node={n} /></>}
          {tab === "attributes" && <Attributes node={n} />}
          {tab === "chunks" && <Chunks node={n} />}
        </Boundary>
      )}
    </Tabs>
  );
}
