// The keys, by what they are for.
import { useEffect, useRef } from "preact/hooks";
import { signal } from "./signals";
import { keys } from "./state";
import { Button } from "./ui/button";

export const helping = signal(false);

const names: Record<string, string> = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", Space: "space", Escape: "esc", PageUp: "page up", PageDown: "page down", Shift: "shift", Ctrl: "ctrl", Alt: "alt" };
const spell = (key: string) => (key === "+" ? ["+"] : key.split("+").map((k) => names[k] ?? k));

const fixed: [string, string, string[]][] = [
  ["Tree", "Move, open and close", ["↑", "↓", "←", "→"]],
  ["Tree", "Show the node; with shift, where its link leads", ["enter"]],
  ["Tree", "Filter: just type", ["a…z"]],
];

export function Help() {
  const dialog = useRef<HTMLDialogElement>(null);
  const on = helping.value;
  useEffect(() => {
    if (on) dialog.current?.showModal();
    else dialog.current?.close();
  }, [on]);
  const groups = new Map<string, [string, string[][]][]>();
  const add = (g: string, help: string, k: string[]) => {
    const list = groups.get(g) ?? [];
    const same = list.find((e) => e[0] === help);
    if (same) same[1].push(k);
    else list.push([help, [k]]);
    groups.set(g, list);
  };
  for (const k of keys.value) add(k.group, k.help, spell(k.key));
  for (const [g, help, k] of fixed) add(g, help, k);
  return (
    <dialog ref={dialog} class="help" aria-labelledby="help-title" onClose={() => (helping.value = false)} onClick={(e) => e.target === dialog.current && (helping.value = false)}>
      <div class="help-head"><h2 id="help-title">Keys</h2><Button quiet icon="close" label="Close" onClick={() => (helping.value = false)} /></div>
      <div class="help-body">
        {[...groups].map(([g, list]) => (
          <section key={g}>
            <h3>{g}</h3>
            <dl>{list.map(([help, all]) => (
              <div key={help}><dt>{help}</dt><dd>{all.map((k, i) => <span key={i}>{k.map((c) => <kbd key={c}>{c}</kbd>)}</span>)}</dd></div>
            ))}</dl>
          </section>
        ))}
      </div>
    </dialog>
  );
}
