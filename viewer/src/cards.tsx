// Cards: what a node is, with a picture of it where there is one.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import * as api from "./api";
import type { Child } from "./api";
import { stringify } from "./json";
import { formatRoute } from "./route";
import { useAnswer } from "./ui/answer";
import { Icon, iconOf, type IconName } from "./ui/icon";
import { titleOf } from "./ui/states";
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

type P = { source: string; path: string; title: string; fact: string; icon: IconName; picture: boolean; /** what is wrong, and in few words */ bad?: string | undefined; said?: string | undefined; children?: ComponentChildren };

export function Card(p: P) {
  const to = { source: p.source, path: p.path };
  return (
    <li>
      <a class={"card" + (p.bad ? " bad" : "")} href={formatRoute(to)} onClick={go(to)} title={p.bad}>
        {p.picture && <Picture source={p.source} path={p.path} icon={p.bad ? "warning" : p.icon} wanted={!p.bad} />}
        <span class="card-words"><Icon name={p.icon} /><span class="grow">{p.title}</span></span>
        <span class="card-fact fact">{p.said ?? p.bad ?? p.children ?? p.fact}</span>
      </a>
    </li>
  );
}

/** sorts of children, in the order of their cards: pictures, groups, what is looked at, single values. */
export function sort(c: Child): number {
  return c.kind === "group" ? 1 : c.picture ? 0 : c.fact === "scalar" ? 3 : 2;
}

/** Value is what a single value is, in place of the fact that it is one. */
function Value({ source, path }: { source: string; path: string }) {
  const got = useAnswer(path, (signal) => api.sliceJSON({ source, path }, "", signal));
  const text = got.problem ? "a single value" : !("value" in got) ? "…" : typeof got.value === "string" ? got.value : stringify(got.value);
  return <span class="card-value">{text.slice(0, 200)}</span>;
}

export function ChildCard({ source, child: c }: { source: string; child: Child }) {
  const k = sort(c);
  return (
    <Card source={source} path={c.path} title={c.label ?? c.name} fact={c.link ? "→ " + (c.link.broken ?? c.link.text) : c.fact} icon={c.problem ? "warning" : (c.icon ?? iconOf(c))} picture={!!c.picture} bad={c.problem?.error ?? c.link?.broken} said={c.problem && titleOf(c.problem)}>
      {k === 3 && !c.link ? <Value source={source} path={c.path} /> : undefined}
    </Card>
  );
}
