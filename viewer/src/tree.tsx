// The tree: sources and what is below them, a page of children at a time, only visible rows drawn.
import { signal, batch, computed, effect } from "./signals";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import * as api from "./api";
import type { Child } from "./api";
import { ancestors, formatRoute, parentPath } from "./route";
import { navigate, panels, place, route, sources, sourcesError, narrow, node, registerKey, retry } from "./state";
import { childAt, layout, pageSize, rows as countRows, runAt, type Branch, type Run } from "./treelist";
import { Icon, iconOf } from "./ui/icon";
import { Skeleton } from "./ui/states";

const keyOf = (source: string, path: string) => source + "\0" + path;
const top = "";
const branches = signal<ReadonlyMap<string, Branch>>(new Map());
const opened = signal<ReadonlySet<string>>(new Set());
const filter = signal("");
const found = signal<{ text: string; branch: Branch; complete: boolean } | null>(null);

const sourceOf = (key: string, c: Child) => (key === top ? c.name : key === "?" ? (c as api.Match).source : key.slice(0, key.indexOf("\0")));
const branchOf = (key: string, c: Child) => keyOf(sourceOf(key, c), c.path);

const runs = computed<Run[]>(() => {
  const f = found.value;
  if (filter.value) return f ? layout("?", new Map([["?", f.branch]]), () => "") : [];
  const open = opened.value;
  return layout(top, branches.value, (c, of) => {
    const k = branchOf(of, c);
    return open.has(k) ? k : "";
  });
});

function put(key: string, b: Branch): void {
  branches.value = new Map(branches.peek()).set(key, b);
}

effect(() => {
  const list = sources.value;
  if (!list) return;
  const children: Child[] = list.map((s) => ({
    name: s.name, path: "/", node_type: "group", kind: "group", fact: s.title ?? s.format ?? "", more: true, ...(s.problem && { problem: s.problem }),
  }));
  const anew = branches.peek().has(top);
  put(top, { count: children.length, pages: new Map(chunked(children)), asked: new Set() });
  // The list comes anew when the server is back.
  if (anew) for (const [key, b] of branches.peek()) if (b.error) again(key);
});

function chunked(list: Child[]): [number, Child[]][] {
  return Array.from({ length: Math.ceil(list.length / pageSize) }, (_, i) => [i, list.slice(i * pageSize, (i + 1) * pageSize)]);
}

/** load fetches a page of a branch, once. */
async function load(key: string, page: number): Promise<void> {
  const old = branches.peek().get(key);
  if (key === top || key === "?" || old?.asked.has(page)) return;
  const b: Branch = old ?? { count: 1, pages: new Map(), asked: new Set() };
  b.asked.add(page);
  if (!old) put(key, b);
  const [source, path] = key.split("\0") as [string, string];
  try {
    const got = await api.children({ source, path }, page * pageSize, pageSize);
    const now = branches.peek().get(key) ?? b;
    const pages = new Map(now.pages).set(page, got.children);
    const seen = page * pageSize + got.children.length;
    const { error: _, ...rest } = now;
    put(key, { ...rest, pages, count: got.total ?? Math.max(now.pages.size ? now.count : 0, seen + (got.next === null ? 0 : 1)) });
  } catch (e) {
    // A source may be an array, which has nothing below it.
    if (path === "/" && e instanceof api.ApiError && e.problem.kind === "unsupported") return put(key, { ...b, count: 0 });
    // What failed is asked for again when somebody wants it, not by itself.
    put(key, { ...(branches.peek().get(key) ?? b), error: api.problemOf(e).error });
  }
}

/** again asks for the pages of a branch that did not come. */
function again(key: string): void {
  const { error: _, ...b } = branches.peek().get(key)!;
  put(key, { ...b, asked: new Set(b.pages.keys()) });
}

function setOpen(key: string, on: boolean): void {
  const next = new Set(opened.peek());
  if (on) next.add(key);
  else next.delete(key);
  opened.value = next;
  if (on) load(key, 0);
}

// The way to what is shown is open.
effect(() => {
  const [source, path] = place.value.split("\0") as [string, string];
  if (!source) return;
  const list = ancestors(path).slice(0, -1).map((p) => keyOf(source, p));
  if (path === "/") list.push(keyOf(source, "/"));
  batch(() => list.forEach((k) => opened.peek().has(k) || setOpen(k, true)));
});

let looking: AbortController | undefined;
effect(() => {
  const text = filter.value.trim();
  looking?.abort();
  if (!text) {
    found.value = null;
    return;
  }
  const stop = (looking = new AbortController());
  const { source, path } = route.peek();
  const timer = setTimeout(async () => {
    const n = node.peek();
    const near = n?.node_type === "group" ? path : parentPath(path);
    // Children of the group that is shown, however many there are, then whatever the search finds.
    const [here, all] = await Promise.allSettled([
      source ? api.children({ source, path: near }, 0, pageSize, text, stop.signal) : Promise.reject(new Error()),
      api.search(text, undefined, 100, stop.signal),
    ]);
    if (stop.signal.aborted) return;
    const list: api.Match[] = here.status === "fulfilled" ? here.value.children.map((c) => ({ ...c, source })) : [];
    const have = new Set(list.map((c) => keyOf(c.source, c.path)));
    if (all.status === "fulfilled") for (const m of all.value.matches) if (!have.has(keyOf(m.source, m.path))) list.push(m);
    found.value = { text, complete: all.status === "fulfilled" && all.value.complete, branch: { count: list.length, pages: new Map(chunked(list)), asked: new Set() } };
  }, 150);
  return () => clearTimeout(timer);
});

function go(of: string, c: Child): void {
  navigate({ source: sourceOf(of, c), path: c.path });
  if (narrow.peek()) panels.sheet.value = "";
}
function follow(of: string, c: Child): void {
  if (c.link?.path) navigate({ source: c.link.source || sourceOf(of, c), path: c.link.path, params: c.link.row === undefined ? {} : { row: String(c.link.row) } });
  else go(of, c);
}

export function Tree() {
  const box = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const [view, setView] = useState({ top: 0, height: 800 });
  const [at, setAt] = useState(0);
  const high = narrow.value ? 40 : 27;
  const list = runs.value;
  const total = countRows(list);
  const first = Math.max(0, Math.floor(view.top / high) - 6);
  const last = Math.min(total, Math.ceil((view.top + view.height) / high) + 6);

  useLayoutEffect(() => {
    const el = box.current;
    if (!el) return;
    const watch = new ResizeObserver(() => setView({ top: el.scrollTop, height: el.clientHeight }));
    watch.observe(el);
    return () => watch.disconnect();
  }, []);
  useEffect(() => registerKey("f", "Filter the tree", () => {
    if (narrow.peek()) panels.sheet.value = "left";
    else panels.left.value = true;
    requestAnimationFrame(() => input.current?.focus());
  }, "Page"), []);

  // Pages of the rows that are seen.
  useEffect(() => {
    for (const r of list) {
      const b = branches.peek().get(r.branch);
      const from = Math.max(first, r.row), to = Math.min(last, r.row + r.count);
      if (!b || to <= from) continue;
      for (let p = Math.floor((from - r.row + r.from) / pageSize); p <= Math.floor((to - 1 - r.row + r.from) / pageSize); p++) load(r.branch, p);
    }
  }, [list, first, last]);

  const show = (row: number) => {
    const el = box.current;
    if (!el) return;
    if (row * high < el.scrollTop) el.scrollTop = row * high;
    else if ((row + 1) * high > el.scrollTop + el.clientHeight) el.scrollTop = (row + 1) * high - el.clientHeight;
  };
  // Where the selection is, once its row is known.
  const { source, path } = route.value;
  const here = filter.value ? -1 : find(list, source, path);
  // Before the next key: an effect that comes later would undo its move.
  useLayoutEffect(() => {
    if (here < 0) return;
    setAt(here);
    show(here);
  }, [here, source, path]);

  const active = Math.min(at, Math.max(0, total - 1));
  const move = (row: number) => {
    const to = Math.max(0, Math.min(total - 1, row));
    setAt(to);
    show(to);
  };
  const onKey = (e: KeyboardEvent) => {
    const r = runAt(list, active);
    const c = r && get(r, active);
    const key = r && c ? branchOf(r.branch, c) : "";
    const isOpen = opened.peek().has(key) && !filter.peek();
    const page = Math.max(1, Math.floor(view.height / high) - 1);
    switch (e.key) {
      case "ArrowDown": move(active + 1); break;
      case "ArrowUp": move(active - 1); break;
      case "PageDown": move(active + page); break;
      case "PageUp": move(active - page); break;
      case "Home": move(0); break;
      case "End": move(total - 1); break;
      case "ArrowRight":
        if (c?.more && !isOpen) setOpen(key, true);
        else if (isOpen) move(active + 1);
        break;
      case "ArrowLeft":
        if (isOpen) setOpen(key, false);
        else if (r && r.depth > 0) {
          for (let i = list.indexOf(r); i >= 0; i--) if (list[i]!.depth < r.depth) { move(list[i]!.row + list[i]!.count - 1); break; }
        }
        break;
      case "Enter":
      case " ":
        if (r && c) (e.shiftKey ? follow : go)(r.branch, c);
        break;
      case "Escape":
        if (!filter.peek()) return;
        filter.value = "";
        break;
      default:
        if (e.key.length !== 1 || e.ctrlKey || e.metaKey || e.altKey || "/?[]".includes(e.key)) return;
        filter.value += e.key;
        input.current?.focus();
    }
    e.preventDefault();
    e.stopPropagation();
  };

  const visible = [];
  for (let row = first; row < last; row++) {
    const r = runAt(list, row);
    if (r) visible.push(<Row key={row} run={r} row={row} high={high} active={row === active} selected={row === here} onActive={() => setAt(row)} />);
  }
  const note = filter.value && found.value && (!total ? "Nothing has this name" : found.value.complete ? "" : "Only a part was searched");
  return (
    <>
      <div class="tree-filter">
        <Icon name="search" />
        <input
          ref={input} class="plain" type="search" placeholder="Filter" aria-label="Filter the tree" value={filter.value} autocomplete="off" spellcheck={false}
          onInput={(e) => (filter.value = e.currentTarget.value)}
          onKeyDown={(e) => {
            if (e.key === "Escape") {
              filter.value = "";
              box.current?.focus();
            } else if (e.key === "ArrowDown" || e.key === "Enter") {
              e.preventDefault();
              setAt(0);
              box.current?.focus();
              const r = e.key === "Enter" ? runAt(list, 0) : undefined;
              const c = r && get(r, 0);
              if (r && c) go(r.branch, c);
            }
          }}
        />
      </div>
      <h2 class="tree-head" id="tree-head">{filter.value ? "Found" : "Sources"}{note && <span class="fact" role="status">{note}</span>}</h2>
      {sourcesError.value && !sources.value && (
        <div class="tree-note" role="alert">{sourcesError.value.error} <button type="button" class="plain-link" onClick={retry}>Try again</button></div>
      )}
      {!sources.value && !sourcesError.value && <Skeleton rows={5} />}
      {sources.value && !sources.value.length && <p class="tree-note">Nothing is served. Start the server with the address of some data.</p>}
      <div
        class="tree" ref={box} role="tree" aria-labelledby="tree-head" tabIndex={0} aria-activedescendant={total ? "row-" + active : undefined}
        onKeyDown={onKey} onScroll={(e) => setView({ top: e.currentTarget.scrollTop, height: e.currentTarget.clientHeight })}
      >
        <div role="none" class="tree-space" style={{ height: total * high + "px" }}>{visible}</div>
      </div>
    </>
  );
}

function get(r: Run, row: number): Child | undefined {
  const b = r.branch === "?" ? found.peek()?.branch : branches.peek().get(r.branch);
  return b && childAt(b, r.from + row - r.row);
}

function find(list: Run[], source: string, path: string): number {
  if (!source) return -1;
  const want = path === "/" ? top : keyOf(source, parentPath(path));
  for (const r of list) {
    const b = r.branch === want ? branches.peek().get(want) : undefined;
    if (!b) continue;
    for (const [p, page] of b.pages) {
      const i = page.findIndex((c) => (want === top ? c.name === source : c.path === path));
      const n = p * pageSize + i;
      if (i >= 0 && n >= r.from && n < r.from + r.count) return r.row + n - r.from;
    }
  }
  return -1;
}

type RowProps = { run: Run; row: number; high: number; active: boolean; selected: boolean; onActive: () => void };

function Row({ run, row, high, active, selected, onActive }: RowProps) {
  const c = get(run, row);
  const b = branches.value.get(run.branch);
  const place = { top: row * high + "px", height: high + "px", paddingLeft: 10 + run.depth * 16 + "px" };
  if (!c) return <div class="row loading" role="treeitem" id={"row-" + row} aria-level={run.depth + 1} style={place} title={b?.error} onClick={() => b?.error && again(run.branch)}>{b?.error ? <><Icon name="warning" /><span class="name">{b.error}</span><span class="fact jump">Retry</span></> : <span class="bar" />}</div>;
  const key = branchOf(run.branch, c);
  const flat = run.branch === "?";
  const below = branches.value.get(key);
  const more = !flat && c.more && !(below && below.count === 0);
  const open = more && opened.value.has(key);
  const source = sourceOf(run.branch, c);
  const fact = flat ? source + (c.path === "/" ? "" : parentPath(c.path)) : c.link ? "→ " + (c.link.broken ?? c.link.text) : c.fact;
  const bad = c.link?.broken ?? c.problem?.error;
  return (
    <div
      class={"row" + (selected ? " on" : "") + (active ? " active" : "") + (bad ? " bad" : "")} id={"row-" + row} role="treeitem" style={place}
      aria-level={run.depth + 1} aria-expanded={more ? open : undefined} aria-selected={selected}
      aria-setsize={b?.count} aria-posinset={run.from + row - run.row + 1}
      title={bad ?? (c.label && c.label !== c.name ? c.label + " (" + c.name + ")" : flat ? c.path : undefined)}
      onClick={(e) => {
        onActive();
        if (e.ctrlKey || e.metaKey) open_(formatRoute({ source, path: c.path }));
        else go(run.branch, c);
      }}
    >
      {more ? (
        <span class="twist" onClick={(e) => {
          e.stopPropagation();
          onActive();
          setOpen(key, !open);
        }}><Icon name={open ? "down" : "right"} /></span>
      ) : <span class="twist" />}
      {run.branch !== top && <Icon name={c.problem ? "warning" : (c.icon ?? iconOf(c))} class="kind" />}
      <span class="name">{c.name}</span><span class="sr">, {c.kind}{bad && ", " + bad}, </span>
      {c.link?.path ? <span class="fact jump" title={"Go to " + c.link.text} onClick={(e) => {
        e.stopPropagation();
        follow(run.branch, c);
      }}>{fact}</span> : <span class="fact">{fact}</span>}
    </div>
  );
}

const open_ = (url: string) => window.open(url, "_blank", "noopener");
