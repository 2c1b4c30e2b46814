// The page: its rooms and what belongs to all of them.
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Centre } from "./centre";
import { Tree } from "./tree";
import { Top } from "./top";
import { Bottom } from "./bottom";
import { Right } from "./panels/right";
import { Help, helping } from "./help";
import { Boundary } from "./ui/boundary";
import { Button } from "./ui/button";
import { drag } from "./ui/gestures";
import { Icon } from "./ui/icon";
import { parentPath } from "./route";
import { clampWidth, copy, here, narrow, navigate, node, panels, registerKey, route, setView, status, stopped, toasts, toggleTheme, view } from "./state";

type Side = "left" | "right";

/** Edge is the line between a panel and the centre: drag it, move it with arrows, double-click to close. */
function Edge({ side }: { side: Side }) {
  const width = side === "left" ? panels.leftWidth : panels.rightWidth;
  const sign = side === "left" ? 1 : -1;
  const take = (e: PointerEvent) => {
    const from = e.clientX - sign * width.peek();
    drag(e, (m) => (width.value = clampWidth(sign * (m.clientX - from), width.peek())));
  };
  return (
    <div
      class={"edge " + side} role="separator" aria-orientation="vertical" tabIndex={0} aria-label={`Width of the ${side} panel`}
      aria-valuenow={width.value} aria-valuemin={180} aria-valuemax={560} onPointerDown={take} onDblClick={() => (panels[side].value = false)}
      onKeyDown={(e) => {
        const by = { ArrowLeft: -16, ArrowRight: 16 }[e.key];
        if (by) width.value = clampWidth(width.peek() + sign * by, width.peek());
        else if (e.key === "Enter") panels[side].value = false;
        else return;
        e.preventDefault();
        e.stopPropagation();
      }}
    />
  );
}

/** Panel is a room at the side, on a phone a sheet. */
function Panel({ side, children }: { side: Side; children: ComponentChildren }) {
  const box = useRef<HTMLElement>(null);
  const sheet = narrow.value;
  const open = sheet ? panels.sheet.value === side : panels[side].value;
  useEffect(() => {
    if (!sheet || !open) return;
    const before = document.activeElement as HTMLElement | null;
    box.current?.focus();
    return () => before?.focus?.();
  }, [sheet, open]);
  if (!open) return null;
  const close = () => (panels.sheet.value = "");
  const Tag = (sheet ? "div" : side === "left" ? "nav" : "aside") as "div";
  return (
    <>
      {sheet && <div class="backdrop" onClick={close} />}
      <Tag
        ref={box as { current: HTMLDivElement | null }} class={side + (sheet ? " sheet" : "")} aria-label={side === "left" ? "Tree" : "Details"} {...(sheet && { role: "dialog", "aria-modal": true, tabIndex: -1 })}
        onKeyDown={(e) => {
          if (sheet && e.key === "Escape" && !e.defaultPrevented) close();
        }}
      >
        {sheet && <div class="sheet-head"><span class="grip" /><Button quiet icon="close" label="Close" onClick={close} /></div>}
        {children}
        {!sheet && <Edge side={side} />}
      </Tag>
    </>
  );
}

/** Opener stands at the edge of the centre while a panel is closed. */
function Opener({ side }: { side: Side }) {
  if (narrow.value || panels[side].value) return null;
  return <button type="button" class={"opener " + side} aria-label={side === "left" ? "Show the tree" : "Show the details"} title={side === "left" ? "Show the tree ([)" : "Show the details (])"} onClick={() => (panels[side].value = true)}><Icon name={side === "left" ? "right" : "left"} /></button>;
}

function Notices() {
  const n = node.value;
  return (
    <>
      {stopped.value && <div class="notice bad" role="alert"><Icon name="source" /><span class="grow">The server does not answer. Trying again until it does…</span></div>}
      {n?.problems.map((p, i) => (
        <div key={n.path + i} class="notice" role="status"><Icon name="warning" /><span class="grow wrap">{p.error}{p.hint && <span class="dim"> {p.hint}</span>}</span></div>
      ))}
    </>
  );
}

function nextView(): void {
  const n = node.peek();
  if (n && n.views.length > 1) setView(n.views[(n.views.indexOf(view.peek()) + 1) % n.views.length]!);
}

export function App() {
  useEffect(() => {
    const list: [string, string, () => void][] = [
      ["?", "These keys", () => (helping.value = true)],
      ["[", "Show or hide the tree", () => (panels.left.value = !panels.left.peek())],
      ["]", "Show or hide the details", () => (panels.right.value = !panels.right.peek())],
      ["v", "Look at it another way", nextView],
      ["u", "Up to the group above", () => navigate({ source: route.peek().path === "/" ? "" : route.peek().source, path: parentPath(route.peek().path) })],
      ["L", "Copy the address", () => void copy(here(), "Link")],
      ["T", "Light or dark", toggleTheme],
    ];
    const undo = list.map(([k, help, fn]) => registerKey(k, help, fn, "Page"));
    return () => undo.forEach((f) => f());
  }, []);
  const { source, path } = route.value;
  useEffect(() => {
    document.title = (source ? (path === "/" ? source : path.slice(path.lastIndexOf("/") + 1) + " – " + source) + " – " : "") + "omnizarr";
  }, [source, path]);
  const left = !narrow.value && panels.left.value, right = !narrow.value && panels.right.value && source !== "";
  const shut = narrow.value && panels.sheet.value !== "";
  return (
    <div class="page" style={{ "--left": left ? panels.leftWidth.value + "px" : "0px", "--right": right ? panels.rightWidth.value + "px" : "0px" }}>
      <a class="skip" href="#centre" onClick={(e) => {
        e.preventDefault();
        document.getElementById("centre")?.focus();
      }}>Skip to the data</a>
      <Top />
      <Panel side="left"><Boundary name="tree"><Tree /></Boundary></Panel>
      <main class="centre" id="centre" tabIndex={-1} inert={shut}>
        <Notices />
        <div class="view"><Centre /></div>
        <Opener side="left" />
        {source !== "" && <Opener side="right" />}
      </main>
      {source !== "" && <Panel side="right"><Right /></Panel>}
      <Bottom />
      <Help />
      <div class="toasts" role="status" aria-live="polite">{toasts.value.map((t) => <div key={t.id}>{t.text}</div>)}</div>
      <div class="sr" role="status" aria-live="polite">{status.errors.value.at(-1)?.problem.error}</div>
    </div>
  );
}
