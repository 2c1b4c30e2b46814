// The panel beside a table: which columns are shown, and what they hold.
import { useState } from "preact/hooks";
import type { Column, Node } from "../api";
import { group } from "../format";
import { formatRoute, route, setParams } from "../state";
import { Button } from "../ui/button";
import { go } from "../ui/link";
import { shownColumns, toggled } from "./columns";

const most = 300;

export function TableDisplay({ node }: { node: Node }) {
  const [find, setFind] = useState("");
  const info = node.table;
  if (!info) return null;
  const param = route.value.params["cols"];
  const on = new Set(shownColumns(info.columns, param).map((c) => c.name));
  const found = info.columns.filter((c) => c.name.toLowerCase().includes(find.toLowerCase()));
  return (
    <section class="section">
      <h3 class="row-between">Columns <span class="fact">{on.size} of {group(info.columns.length)}</span></h3>
      {info.columns.length > 12 && <input class="field wide" type="search" placeholder="Find a column" aria-label="Find a column" value={find} onInput={(e) => setFind(e.currentTarget.value)} />}
      {found.slice(0, most).map((c) => (
        <div class="pick-row" key={c.name}>
          <label class="pick">
            <input type="checkbox" checked={on.has(c.name)} onChange={() => setParams({ cols: toggled(info.columns, param, c.name) })} />
            <span class="grow" title={c.name}>{c.name}</span>
          </label>
          <ColumnType node={node} column={c} />
          {c.description && <p class="dim" title={c.description}>{c.description}</p>}
        </div>
      ))}
      {found.length > most && <p class="dim">and {group(found.length - most)} more: find them by name</p>}
      {param !== undefined && <Button onClick={() => setParams({ cols: undefined })}>The usual columns</Button>}
    </section>
  );
}

/** What a column holds; it leads to the array behind it, where there is one. */
function ColumnType({ node, column: c }: { node: Node; column: Column }) {
  const text = (c.ragged ? "lists" : c.reference ? "links" : c.type) + (c.unit ? " · " + c.unit : "");
  if (!c.path || c.path === node.path) return <span class="fact">{text}</span>;
  const to = { source: node.source, path: c.path };
  return <a class="fact" href={formatRoute(to)} onClick={go(to)} title={c.path + " as an array"}>{text}</a>;
}
