// What the page shows, as signals: the address is the view, so the route decides, and all else follows.
import { signal, effect, batch, computed, type Signal } from "./signals";
import * as api from "./api";
import type { Node, Problem, Source, Kind } from "./api";
import { parseRoute, formatRoute, root, type Route } from "./route";

export type { Route } from "./route";
export { formatRoute } from "./route";

// --- the address ---

export const route = signal<Route>(parseRoute(location.pathname, location.search));

addEventListener("popstate", () => {
  route.value = parseRoute(location.pathname, location.search);
});

/** navigate shows another view; with replace it takes the place of this one in the history. */
export function navigate(to: Partial<Route> & { source: string }, o: { replace?: boolean } = {}): void {
  flush();
  const next: Route = { source: to.source, path: to.path || "/", view: to.view ?? "", params: to.params ?? {} };
  write(next, o.replace ?? false);
  batch(() => {
    if (onScreen.peek()) onScreen.value = null;
    route.value = next;
  });
}

let waiting: ReturnType<typeof setTimeout> | undefined;

/**
 * setParams changes parameters of this view ("" or undefined removes one). Replacing is the
 * default: panning is no history. Browsers allow few changes of the address in a second, so
 * that those of a drag are gathered; the route itself changes at once.
 */
export function setParams(patch: Record<string, string | undefined>, o: { replace?: boolean } = { replace: true }): void {
  const params = { ...route.peek().params };
  let changed = false;
  for (const [k, v] of Object.entries(patch)) {
    if ((v || undefined) === params[k]) continue;
    changed = true;
    if (v) params[k] = v;
    else delete params[k];
  }
  if (!changed) return;
  const next = { ...route.peek(), params };
  if (o.replace ?? true) {
    clearTimeout(waiting);
    waiting = setTimeout(flush, 250);
  } else {
    flush();
    write(next, false);
  }
  route.value = next;
}

/** setView chooses another view of the same node. */
export function setView(view: Kind | ""): void {
  navigate({ ...route.peek(), view: view === node.peek()?.kind ? "" : view, params: {} });
}

function flush(): void {
  if (waiting === undefined) return;
  clearTimeout(waiting);
  waiting = undefined;
  write(route.peek(), true);
}

function write(r: Route, replace: boolean): void {
  const url = formatRoute(r);
  if (url === location.pathname + location.search) return;
  if (replace) history.replaceState(null, "", url);
  else history.pushState(null, "", url);
}

/** server is where this one is, for addresses that are used elsewhere. */
export const server = location.origin + root.slice(0, -1);

/** here is the whole address of what is on screen, for a colleague. */
export function here(): string {
  return location.origin + formatRoute(route.peek());
}

// --- sources and the node ---

export const sources = signal<Source[] | null>(null);
export const sourcesError = signal<Problem | null>(null);
/** node is what the route names; null while it is fetched. Its members fit the route only if source and path do. */
export const node = signal<Node | null>(null);
export const nodeError = signal<Problem | null>(null);

/** view is the kind of view that is shown of the node. */
export const view = computed<Kind>(() => {
  const n = node.value;
  const want = route.value.view;
  return want && n?.views.includes(want) ? want : (n?.kind ?? "group");
});

/** place is the node that the route names, without what is changed by looking around in it. */
export const place = computed(() => route.value.source + "\0" + route.value.path);
const again = signal(0);

/** retry asks for the node, or the list of sources, once more. */
export function retry(): void {
  again.value++;
}

/** start begins to follow the route. */
export function start(): void {
  effect(() => {
    again.value;
    const stop = new AbortController();
    api.sources(stop.signal).then(
      (list) => batch(() => {
        sources.value = list;
        sourcesError.value = null;
        // Where there is one source, it is what the page is about.
        if (!route.peek().source && list.length === 1 && location.pathname === root) navigate({ source: list[0]!.name }, { replace: true });
      }),
      (e) => {
        if (!api.aborted(e)) sourcesError.value = api.problemOf(e);
      },
    );
    return () => stop.abort();
  });
  effect(() => {
    again.value;
    const [source, path] = place.value.split("\0") as [string, string];
    const shown = node.peek();
    batch(() => {
      if (shown && (shown.source !== source || shown.path !== path)) node.value = null;
      nodeError.value = null;
      status.cursor.value = [];
      status.work.value = [];
      status.errors.value = [];
    });
    if (!source) return;
    const stop = new AbortController();
    api.node({ source, path }, stop.signal).then(
      (n) => batch(() => {
        // The answer may name the node by where its links lead; the page stays where it was sent.
        node.value = { ...n, source, path };
      }),
      (e) => {
        if (!api.aborted(e)) nodeError.value = api.problemOf(e);
      },
    );
    return () => stop.abort();
  });
}

// --- what is on screen, for "View in" and for the search box ---

export type OnScreen = { path: string; slice: string; level?: number };
/** onScreen is set by views: the array, and the part of it, that is looked at. */
export const onScreen = signal<OnScreen | null>(null);

/** chunkUnderCursor is set by views: the index of the element that the cursor is at, by axis of the array. */
export const cursorIndex = signal<number[] | null>(null);

/**
 * goTo is set by a view that understands places: the search box hands it positions by axis (null: stay),
 * found among the coordinates by the server.
 */
export const goTo = signal<((positions: (number | null)[]) => void) | null>(null);

// --- the bottom line ---

export type Status = { label?: string; value: string };
export type StatusError = { problem: Problem; retry?: () => void };
export const status = {
  cursor: signal<Status[]>([]),
  work: signal<Status[]>([]),
  errors: signal<StatusError[]>([]),
};

// --- keys ---

export type Key = { key: string; help: string; fn: (e: KeyboardEvent) => void; group: string };
export const keys = signal<Key[]>([]);

/**
 * registerKey makes a key do something while the page has the focus and no text is being typed.
 * A key is as KeyboardEvent has it ("a", "?", "ArrowLeft"), with "Shift+" and so on before names
 * of more than one letter. The function that it gives undoes it.
 */
export function registerKey(k: string, help: string, fn: (e: KeyboardEvent) => void, group = "View"): () => void {
  const entry: Key = { key: k, help, fn, group };
  keys.value = [...keys.peek(), entry];
  return () => {
    keys.value = keys.peek().filter((e) => e !== entry);
  };
}

/** spellKey says what an event is in the words of registerKey. */
export function spellKey(e: KeyboardEvent): string {
  const mod = (e.ctrlKey || e.metaKey ? "Ctrl+" : "") + (e.altKey ? "Alt+" : "");
  return mod + (e.shiftKey && (e.key.length > 1 || e.ctrlKey) ? "Shift+" : "") + (e.key === " " ? "Space" : e.key);
}

addEventListener("keydown", (e) => {
  if (e.defaultPrevented) return;
  const at = e.target as HTMLElement;
  const typing = at.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(at.tagName) && (at as HTMLInputElement).type !== "range" && (at as HTMLInputElement).type !== "checkbox";
  if (typing || document.querySelector("dialog[open]")) return;
  const want = spellKey(e);
  // A widget that has the focus keeps the keys that move within it.
  if (/^(Arrow|Home|End|Page|Enter|Space)/.test(e.key === " " ? "Space" : e.key) && at.closest("[role=tree],[role=menu],[role=tablist],[role=slider],button,a,input,summary")) return;
  const entry = keys.peek().findLast((k) => k.key === want);
  if (!entry) return;
  e.preventDefault();
  entry.fn(e);
});

// --- theme and panels, remembered ---

function remembered(name: string, otherwise: string): string {
  try {
    return localStorage.getItem("omnizarr." + name) ?? otherwise;
  } catch {
    return otherwise;
  }
}
function remember(name: string, value: string): void {
  try {
    localStorage.setItem("omnizarr." + name, value);
  } catch {
    // A browser that keeps nothing shows the page all the same.
  }
}

export type Theme = "dark" | "light";
const light = matches("(prefers-color-scheme: light)");
const system = () => (light.value ? "light" : "dark");
const chosen = signal(remembered("theme", ""));
export const theme = computed<Theme>(() => (chosen.value === "dark" || chosen.value === "light" ? chosen.value : system()));
export function toggleTheme(): void {
  const next = theme.peek() === "dark" ? "light" : "dark";
  chosen.value = next === system() ? "" : next;
  remember("theme", chosen.peek());
}

/** matches follows a media query. */
function matches(query: string): Signal<boolean> {
  const m = matchMedia(query);
  const s = signal(m.matches);
  m.addEventListener("change", () => (s.value = m.matches));
  return s;
}

/** narrow is a phone: the canvas is everything, panels are sheets. */
export const narrow = matches("(max-width: 760px)");

/** reducedMotion asks that nothing moves by itself but what was told to. */
export const reducedMotion = matches("(prefers-reduced-motion: reduce)");

export type Tab = "display" | "info" | "attributes" | "chunks";
export const panels = {
  left: signal(remembered("left", "true") === "true"),
  right: signal(remembered("right", "true") === "true"),
  leftWidth: signal(clampWidth(Number(remembered("leftWidth", "264")), 264)),
  rightWidth: signal(clampWidth(Number(remembered("rightWidth", "304")), 304)),
  tab: signal<Tab>(remembered("tab", "display") as Tab),
  /** which of the panels is open as a sheet on a phone */
  sheet: signal<"" | "left" | "right">(""),
};
export function clampWidth(w: number, otherwise: number): number {
  return Number.isFinite(w) ? Math.round(Math.min(560, Math.max(180, w))) : otherwise;
}
for (const name of ["left", "right", "leftWidth", "rightWidth", "tab"] as const) effect(() => remember(name, String(panels[name].value)));

// --- toasts: short words that go away ---

export type Toast = { id: number; text: string };
export const toasts = signal<Toast[]>([]);
let toastId = 0;
export function toast(text: string): void {
  const id = ++toastId;
  toasts.value = [...toasts.peek().slice(-2), { id, text }];
  setTimeout(() => (toasts.value = toasts.peek().filter((t) => t.id !== id)), 2600);
}

/** copy puts text on the clipboard, also where the page is not served over TLS. */
export async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  toast(what + " copied");
}

// --- is the server there ---

export const stopped = signal(false);
let asking: ReturnType<typeof setTimeout> | undefined;
api.server.answered = (ok) => {
  if (ok) {
    if (stopped.peek()) {
      stopped.value = false;
      retry();
    }
    return;
  }
  stopped.value = true;
  if (asking === undefined) asking = setTimeout(askAgain, 1000);
};
function askAgain(): void {
  asking = undefined;
  api.sources().catch(() => {});
}
