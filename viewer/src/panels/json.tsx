// A tree of JSON: folded where it is long, strings as text, links live, no integer rounded.
import { useState } from "preact/hooks";
import type { Link } from "../api";
import { entries, pointer, summary } from "../json";
import { DataLink } from "../ui/link";
import { Icon } from "../ui/icon";

type Links = { at: string; target: Link }[];

const long = 160;

function Text({ text }: { text: string }) {
  const [open, setOpen] = useState(false);
  if (text.length <= long && !text.includes("\n")) return <span class="j-string">{text || "“”"}</span>;
  return (
    <span class={"j-string" + (open ? " open" : "")}>
      {open ? text : text.slice(0, long).replace(/\s+/g, " ")}
      {" "}<button type="button" class="plain-link" aria-expanded={open} onClick={() => setOpen(!open)}>{open ? "less" : `… ${text.length} characters`}</button>
    </span>
  );
}

function Leaf({ value }: { value: unknown }) {
  if (typeof value === "string") return <Text text={value} />;
  return <span class={value === null ? "j-null" : typeof value === "boolean" ? "j-bool" : "j-number"}>{String(value)}</span>;
}

function Member({ name, value, at, links, depth }: { name: string; value: unknown; at: string; links: Links; depth: number }) {
  const list = entries(value);
  const link = links.find((l) => l.at === at);
  const simple = list.length === 0 || (Array.isArray(value) && summary(value)[0] === "[");
  const [open, setOpen] = useState(depth < 1 && list.length <= 12);
  if (link || simple) {
    return <li><span class="j-line"><span class="j-name">{name}</span>{link ? <DataLink link={link.target} /> : list.length ? <span class="j-number">{summary(value)}</span> : value !== null && typeof value === "object" ? <span class="j-null">{Array.isArray(value) ? "[ ]" : "{ }"}</span> : <Leaf value={value} />}</span></li>;
  }
  return (
    <li>
      <button type="button" class="j-fold" aria-expanded={open} onClick={() => setOpen(!open)}><Icon name={open ? "down" : "right"} /><span class="j-name">{name}</span>{!open && <span class="j-null">{summary(value)}</span>}</button>
      {open && <Members value={value} at={at} links={links} depth={depth + 1} />}
    </li>
  );
}

function Members({ value, at, links, depth }: { value: unknown; at: string; links: Links; depth: number }) {
  const [most, setMost] = useState(100);
  const list = entries(value);
  return (
    <ul class="json">
      {list.slice(0, most).map(([k, v]) => <Member key={k} name={k} value={v} at={pointer(at, k)} links={links} depth={depth} />)}
      {list.length > most && <li><button type="button" class="plain-link" onClick={() => setMost(most + 1000)}>{list.length - most} more</button></li>}
    </ul>
  );
}

export function Json({ value, links }: { value: unknown; links: Links }) {
  return <Members value={value} at="" links={links} depth={0} />;
}
