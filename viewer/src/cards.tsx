// Cards: what a node is, with a picture of it where there is one.
import { useState } from "preact/hooks";
import * as api from "./api";
import type { Child } from "./api";
import { formatRoute } from "./route";
import { Icon, iconOf, type IconName } from "./ui/icon";
import { go } from "./ui/link";

function Picture({ source, path, icon, wanted }: { source: string; path: string; icon: IconName; wanted: boolean }) {
  const [failed, setFailed] = useState(false);
  const [there, setThere] = useState(false);
  return (
    <span class={"picture" + (there ? " there" : "")}>
      {(!there || failed) && <Icon name={icon} />}
      {wanted && !failed && <img src={api.thumbnail({ source, path }, 256)} alt="" loading="lazy" decoding="async" draggable={false} onLoad={() => setThere(true)} onError={() => setFailed(true)} />}
    </span>
  );
}

export function Card(p: { source: string; path: string; title: string; fact: string; detail?: string; icon: IconName; picture: boolean; bad?: string }) {
  const to = { source: p.source, path: p.path };
  return (
    <li>
      <a class={"card" + (p.bad ? " bad" : "") + (p.picture ? "" : " small")} href={formatRoute(to)} onClick={go(to)} title={p.bad}>
        {p.picture && <Picture source={p.source} path={p.path} icon={p.bad ? "warning" : p.icon} wanted={!p.bad} />}
        <span class="card-words"><Icon name={p.icon} /><span class="grow">{p.title}</span></span>
        <span class="card-fact fact">{p.bad ?? p.fact}{p.detail && !p.bad && <> · {p.detail}</>}</span>
      </a>
    </li>
  );
}

/** pictured nodes have a picture that tells something; the others get a card without a place for one. */
export const pictured = (c: Child) => c.kind === "image" || c.kind === "series" || (c.kind === "array" && c.fact.includes("×"));

export function ChildCard({ source, child: c }: { source: string; child: Child }) {
  const fact = c.link ? "→ " + (c.link.broken ?? c.link.text) : c.fact;
  return <Card source={source} path={c.path} title={c.label ?? c.name} fact={fact} icon={c.icon ?? iconOf(c)} picture={pictured(c)} {...((c.problem?.error ?? c.link?.broken) ? { bad: c.problem?.error ?? c.link!.broken! } : {})} />;
}
