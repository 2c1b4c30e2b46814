import type { ComponentChildren } from "preact";

type P<T extends string> = { tabs: { id: T; label: string }[]; on: T; onSelect: (id: T) => void; label: string; children: ComponentChildren };

/** Tabs as the pattern of ARIA has them: arrows move, one is in the order of tabbing. */
export function Tabs<T extends string>({ tabs, on, onSelect, label, children }: P<T>) {
  const move = (e: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
    const i = tabs.findIndex((t) => t.id === on);
    const to = by ? tabs[(i + by + tabs.length) % tabs.length] : e.key === "Home" ? tabs[0] : e.key === "End" ? tabs[tabs.length - 1] : undefined;
    if (!to) return;
    e.preventDefault();
    onSelect(to.id);
    (e.currentTarget as HTMLElement).querySelector<HTMLElement>(`[data-tab=${to.id}]`)?.focus();
  };
  return (
    <>
      <div class="tabs" role="tablist" aria-label={label} onKeyDown={move}>
        {tabs.map((t) => (
          <button
            key={t.id} type="button" role="tab" data-tab={t.id} id={"tab-" + t.id} aria-controls="tabpanel"
            aria-selected={t.id === on} tabIndex={t.id === on ? 0 : -1} onClick={() => onSelect(t.id)}
          >{t.label}</button>
        ))}
      </div>
      <div role="tabpanel" id="tabpanel" aria-labelledby={"tab-" + on} class="tabpanel">{children}</div>
    </>
  );
}
