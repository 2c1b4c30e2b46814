// One box for nodes, coordinates, dates, numbers of rows and units.
import { useEffect, useRef, useState } from "preact/hooks";
import * as api from "./api";
import { parentPath } from "./route";
import { goTo, narrow, navigate, node, registerKey, route, setParams, toast } from "./state";
import { places, type Place } from "./places";
import { Icon, iconOf, type IconName } from "./ui/icon";

type Option = { icon: IconName; label: string; detail: string; run: () => void };

async function visit(p: Place): Promise<void> {
  const n = node.peek();
  if (!n) return;
  if (p.row !== undefined) {
    if (n.kind === "spikes" || n.kind === "table") setParams({ row: String(p.row) }, { replace: false });
    else navigate({ ...route.peek(), view: "table", params: { row: String(p.row) } });
    return;
  }
  try {
    const positions = p.positions ?? (await api.position(n, p.select!)).positions;
    const move = goTo.peek();
    if (move) move(positions);
    else toast("This view has no place to go to");
  } catch (e) {
    toast(api.problemOf(e).error);
  }
}

function placeOptions(text: string): Option[] {
  const n = node.peek();
  const out: Option[] = places(text, n)
    .filter((p) => p.row !== undefined || goTo.peek())
    .map((p) => ({ icon: p.row === undefined ? "fit" : "table", label: p.label, detail: n?.name ?? "", run: () => void visit(p) }));
  const source = route.peek().source;
  if (text.startsWith("/") && source) out.push({ icon: "right", label: "Open " + text, detail: source, run: () => navigate({ source, path: text.replace(/\/+$/, "") || "/" }) });
  return out;
}

export function Search() {
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState("");
  const [options, setOptions] = useState<Option[]>([]);
  const [state, setState] = useState<"" | "looking" | "done" | "part" | "failed">("");
  const [at, setAt] = useState(0);
  const [open, setOpen] = useState(false);
  const small = narrow.value;
  const [wide, setWide] = useState(false);

  useEffect(() => registerKey("/", "Search nodes, coordinates, dates, units", () => {
    setWide(true);
    // At once where the box is there, so that nothing that is typed gets lost.
    if (input.current) input.current.focus();
    else requestAnimationFrame(() => input.current?.focus());
  }, "Page"), []);
  useEffect(() => {
    const want = text.trim();
    setAt(0);
    if (!want) {
      setOptions([]);
      setState("");
      return;
    }
    const near = placeOptions(want);
    setOptions(near);
    setState("looking");
    const stop = new AbortController();
    const timer = setTimeout(() => {
      api.search(want.replace(/^\/+/, ""), undefined, 30, stop.signal).then(
        (m) => {
          setOptions([...near, ...m.matches.map((c): Option => ({
            icon: c.icon ?? iconOf(c), label: c.label ?? c.name, detail: c.source + (c.path === "/" ? "" : parentPath(c.path)), run: () => navigate({ source: c.source, path: c.path }),
          }))]);
          setState(m.complete ? "done" : "part");
        },
        (e) => api.aborted(e) || setState("failed"),
      );
    }, 140);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
    // What a number means depends on the node, which may come after it was typed.
  }, [text, node.value]);

  const leave = () => {
    setOpen(false);
    setWide(false);
    input.current?.blur();
  };
  const pick = (o: Option | undefined) => {
    if (!o) return;
    setText("");
    leave();
    o.run();
  };
  const onKey = (e: KeyboardEvent) => {
    if (e.key === "ArrowDown" || e.key === "ArrowUp") setAt((at + (e.key === "ArrowDown" ? 1 : -1) + options.length) % (options.length || 1));
    else if (e.key === "Enter") pick(options[at]);
    else if (e.key === "Escape") {
      if (text) setText("");
      else leave();
    } else return;
    e.preventDefault();
    e.stopPropagation();
  };
  useEffect(() => document.getElementById("option-" + at)?.scrollIntoView({ block: "nearest" }), [at]);

  if (small && !wide) {
    return <button type="button" class="btn square quiet push" aria-label="Search" onClick={() => {
      setWide(true);
      requestAnimationFrame(() => input.current?.focus());
    }}><Icon name="search" /></button>;
  }
  const shown = open && text.trim() !== "";
  return (
    <div class={"search" + (small ? " wide" : "")} role="search" onFocusOut={(e) => {
      if (e.currentTarget.contains(e.relatedTarget as globalThis.Node | null)) return;
      setOpen(false);
      setWide(false);
    }}>
      <input
        ref={input} class="field" type="text" placeholder="Go to a node, a coordinate, a unit…" value={text} autocomplete="off" spellcheck={false}
        role="combobox" aria-label="Go to a node, a coordinate, a date or a unit" aria-expanded={shown} aria-controls="search-list" aria-autocomplete="list"
        aria-activedescendant={shown && options.length ? "option-" + at : undefined} aria-keyshortcuts="/"
        onFocus={() => setOpen(true)} onInput={(e) => {
          setText(e.currentTarget.value);
          setOpen(true);
        }} onKeyDown={onKey}
      />
      {!small && <kbd aria-hidden="true">/</kbd>}
      {small && <button type="button" class="btn square quiet" aria-label="Close the search" onClick={leave}><Icon name="close" /></button>}
      <div class="search-list" hidden={!shown}>
        <div id="search-list" role="listbox" aria-label="Places">
          {options.map((o, i) => (
            <div key={i} id={"option-" + i} role="option" aria-selected={i === at} onPointerDown={(e) => {
              e.preventDefault();
              pick(o);
            }} onPointerMove={() => setAt(i)}>
              <Icon name={o.icon} /><span class="grow">{o.label}</span><span class="fact">{o.detail}</span>
            </div>
          ))}
        </div>
        <div class="menu-note" role="status">
          {state === "looking" && !options.length && "Searching…"}
          {state === "done" && !options.length && "Nothing found. Coordinates are x, y; axes by name, z=4; dates as 2025-06-30."}
          {state === "part" && "There may be more: only a part was searched."}
          {state === "failed" && "The search failed."}
        </div>
      </div>
    </div>
  );
}
