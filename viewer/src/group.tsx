// A group: what is inside as cards, what it is about, and its attributes.
import { useEffect, useRef, useState } from "preact/hooks";
import * as api from "./api";
import type { Child, Node, Problem } from "./api";
import { status } from "./state";
import { group as digits } from "./format";
import { ChildCard, sort } from "./cards";
import { entries } from "./json";
import { Json } from "./panels/json";
import { Button } from "./ui/button";
import { ErrorState, Skeleton } from "./ui/states";
import { DataLink } from "./ui/link";

const step = 60;

function useChildren(n: Node) {
  const [list, setList] = useState<Child[]>([]);
  const [total, setTotal] = useState<number | null>(n.children ?? null);
  const [next, setNext] = useState<number | null>(0);
  const [problem, setProblem] = useState<Problem | null>(null);
  const busy = useRef(false);
  const stop = useRef<AbortController>(null);
  const more = async () => {
    if (busy.current || next === null) return;
    busy.current = true;
    stop.current = new AbortController();
    try {
      const got = await api.children(n, next, step, "", stop.current.signal);
      setList((l) => [...l, ...got.children]);
      setTotal(got.total);
      setNext(got.next);
      setProblem(null);
    } catch (e) {
      if (!api.aborted(e)) setProblem(api.problemOf(e));
    } finally {
      busy.current = false;
    }
  };
  useEffect(() => {
    void more();
    return () => stop.current?.abort();
  }, []);
  return { list, total, more: next === null ? null : more, problem, loading: next === 0 };
}

export function GroupView({ node: n }: { node: Node }) {
  const { list, total, more, problem, loading } = useChildren(n);
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    status.work.value = total === null ? [] : [{ value: digits(total) + (total === 1 ? " node" : " nodes") }];
  }, [total]);
  // The next cards come when the end of these is near.
  useEffect(() => {
    if (!more || loading || !end.current) return;
    const watch = new IntersectionObserver((e) => e[0]?.isIntersecting && void more(), { rootMargin: "600px" });
    watch.observe(end.current);
    return () => watch.disconnect();
  }, [list.length, loading]);
  const attributes = entries(n.attributes);
  return (
    <div class="group" tabIndex={0} role="region" aria-label={"Contents of " + n.name}>
      <div class="group-head">
        <h1>{n.label ?? n.name}</h1>
        <p class="dim">{[n.type ?? n.title, n.type && n.title, total !== null && (total === 1 ? "1 node" : digits(total) + " nodes")].filter(Boolean).join(" · ")}{n.link && <> · <DataLink link={n.link} /></>}</p>
        {n.description && <p class="words">{n.description}</p>}
        {n.about.length > 0 && <dl class="facts about">{n.about.map((a) => [<dt key={a.name}>{a.name}</dt>, <dd>{a.value}</dd>])}</dl>}
      </div>
      {loading && !problem && <Skeleton rows={4} />}
      {problem && !list.length && <div class="group-note"><ErrorState problem={problem} {...(more && { retry: () => void more() })} /></div>}
      {!loading && !list.length && !problem && <p class="group-note dim">There is nothing in this group{attributes.length ? " but its attributes" : ""}.</p>}
      {[[0, 1], [2, 3]].map((kinds) => {
        const some = kinds.flatMap((k) => list.filter((c) => sort(c) === k));
        return some.length > 0 && <ul class="cards">{some.map((c) => <ChildCard key={c.path} source={n.source} child={c} />)}</ul>;
      })}
      {more && list.length > 0 && <div ref={end} class="group-note"><Button onClick={() => void more()}>{problem ? "Try again" : "More"}</Button></div>}
      {attributes.length > 0 && !more && <section class="group-attributes"><h2>Attributes</h2><Json value={n.attributes} links={n.links} /></section>}
    </div>
  );
}
