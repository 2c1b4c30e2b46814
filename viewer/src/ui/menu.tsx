import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { on } from "./gestures";

export type Item = { label: string; detail?: string; icon?: ComponentChildren; on?: boolean; disabled?: boolean; run: () => void };

type P = { label: string; items: Item[] | (() => Promise<Item[]>); children: ComponentChildren; class?: string; title?: string; align?: "left" | "right" };

/** Menu is a button that opens a list of things to do or places to go; a list may come from the server when it opens. */
export function Menu(p: P) {
  const [open, setOpen] = useState(false);
  const [items, setItems] = useState<Item[] | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);

  useEffect(() => {
    if (!open) return;
    let gone = false;
    setItems(typeof p.items === "function" ? null : p.items);
    if (typeof p.items === "function") p.items().then((l) => gone || setItems(l), () => gone || setItems([]));
    const off = on(window, { pointerdown: (e) => box.current?.contains(e.target as globalThis.Node) || setOpen(false) });
    return () => {
      gone = true;
      off();
    };
  }, [open]);
  useEffect(() => {
    if (!open || !items) return;
    const at = box.current?.querySelector<HTMLElement>("[role=menuitem][aria-current]") ?? box.current?.querySelector<HTMLElement>("[role=menuitem]");
    at?.focus();
    at?.scrollIntoView({ block: "nearest" });
  }, [open, items]);

  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  const onKey = (e: KeyboardEvent) => {
    if (!open) {
      if (e.key === "ArrowDown") {
        e.preventDefault();
        setOpen(true);
      }
      return;
    }
    const all = [...(box.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])];
    const i = all.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowDown: i + 1, ArrowUp: i - 1, Home: 0, End: all.length - 1 }[e.key];
    if (to !== undefined) all[(to + all.length) % all.length]?.focus();
    else if (e.key === "Escape") close();
    else if (e.key === "Tab") return setOpen(false);
    else if (e.key.length === 1 && e.key !== " ") {
      const letter = e.key.toLowerCase();
      [...all.slice(i + 1), ...all.slice(0, i + 1)].find((m) => m.textContent?.trim().toLowerCase().startsWith(letter))?.focus();
    } else return;
    e.preventDefault();
    e.stopPropagation();
  };

  return (
    <div class={"menu" + (p.class ? " " + p.class : "")} ref={box} onKeyDown={onKey}>
      <button type="button" ref={button} class="menu-button" aria-haspopup="menu" aria-expanded={open} aria-label={p.label} title={p.title} onClick={() => setOpen(!open)}>
        {p.children}
      </button>
      {open && (
        <div class={"menu-list " + (p.align ?? "left")} role="menu" aria-label={p.label}>
          {!items && <div class="menu-note" role="status">Loading…</div>}
          {items && !items.length && <div class="menu-note">Nothing here</div>}
          {items?.map((it, i) => (
            <button
              key={i} type="button" role="menuitem" tabIndex={-1} aria-current={it.on ? "true" : undefined} disabled={it.disabled}
              onClick={() => {
                close();
                it.run();
              }}
            >
              {it.icon}
              <span class="grow">{it.label}</span>
              {it.detail && <span class="fact">{it.detail}</span>}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
