// The top: where you are, where you may go, the address to send, the theme.
import * as api from "./api";
import { parentPath, ancestors, formatRoute, root } from "./route";
import { copy, here, narrow, navigate, node, panels, route, setView, sources, theme, toggleTheme, view } from "./state";
import { Search } from "./search";
import { Button } from "./ui/button";
import { Icon, iconOf } from "./ui/icon";
import { Menu, type Item } from "./ui/menu";
import { go } from "./ui/link";

async function siblings(source: string, path: string): Promise<Item[]> {
  if (path === "/") {
    return (sources.peek() ?? []).map((s) => ({ label: s.name, detail: s.title ?? "", on: s.name === source, icon: <Icon name="source" />, run: () => navigate({ source: s.name }) }));
  }
  const limit = 200;
  const got = await api.children({ source, path: parentPath(path) }, 0, limit);
  const items: Item[] = got.children.map((c) => ({
    label: c.name, detail: c.link ? "→ " + c.link.text : c.fact, on: c.path === path, icon: <Icon name={c.icon ?? iconOf(c)} />, run: () => navigate({ source, path: c.path }),
  }));
  if (got.next !== null) items.push({ label: "All of them in the tree…", run: () => navigate({ source, path: parentPath(path) }) });
  return items;
}

function Crumbs() {
  const { source, path } = route.value;
  if (!source) return <nav class="crumbs" aria-label="Where you are" />;
  const all = ancestors(path);
  // A long way shows its ends.
  const cut = all.length > (narrow.value ? 1 : 5);
  const shown = narrow.value ? all.slice(-1) : cut ? [all[0]!, ...all.slice(-3)] : all;
  return (
    <nav class="crumbs" aria-label="Where you are">
      {shown.map((p, i) => {
        const name = p === "/" ? source : p.slice(p.lastIndexOf("/") + 1);
        const last = p === path;
        return (
          <span key={p} class="crumb">
            {i > 0 && <i aria-hidden="true">{cut && i === 1 && !narrow.value ? "/ … /" : "/"}</i>}
            {last
              ? <b aria-current="page">{name}</b>
              : <a href={formatRoute({ source, path: p })} onClick={go({ source, path: p })}>{name}</a>}
            <Menu label={`Beside ${name}`} title={`Beside ${name}`} class="beside" items={() => siblings(source, p)}><Icon name="down" /></Menu>
          </span>
        );
      })}
    </nav>
  );
}

const words: Record<api.Kind, string> = { image: "Image", series: "Series", spikes: "Raster", table: "Table", array: "Numbers", group: "Contents" };

/** Views are the other ways to look at a node. */
export function Views() {
  const n = node.value;
  if (!n || n.views.length < 2) return null;
  return (
    <div class="views" role="group" aria-label="Look at it as">
      {n.views.map((k) => <button key={k} type="button" aria-pressed={view.value === k} onClick={() => setView(k)}>{words[k]}</button>)}
    </div>
  );
}

export function Top() {
  const small = narrow.value;
  return (
    <header class="top">
      {small
        ? <Button quiet icon="menu" label="Tree" onClick={() => (panels.sheet.value = "left")} />
        : <a class="logo" href={root} onClick={go({ source: "" })} aria-label="omnizarr, all sources">
            <svg viewBox="0 0 18 18" aria-hidden="true"><rect x="1" y="1" width="7" height="7" rx="1.5" /><rect x="10" y="1" width="7" height="7" rx="1.5" /><rect x="1" y="10" width="7" height="7" rx="1.5" /><rect x="10" y="10" width="7" height="7" rx="1.5" class="full" /></svg>
            omnizarr
          </a>}
      <Crumbs />
      {!small && <Views />}
      <Search />
      {!small && <Button class="copylink" label="Copy the address of what is on screen" hotkey="L" onClick={() => copy(here(), "Link")}>Copy link</Button>}
      {!small && <Button icon="theme" label={theme.value === "dark" ? "Light theme" : "Dark theme"} hotkey="T" onClick={toggleTheme} />}
      {small && route.value.source !== "" && <Button quiet icon="sliders" label="Details" onClick={() => (panels.sheet.value = "right")} />}
    </header>
  );
}
