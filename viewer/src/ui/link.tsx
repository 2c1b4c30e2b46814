import type { ComponentChildren } from "preact";
import type { Link } from "../api";
import { formatRoute, navigate, node, type Route } from "../state";
import { Icon } from "./icon";

/** go makes a click on a link stay in the page, unless another tab is wanted. */
export function go(to: Partial<Route> & { source: string }) {
  return (e: MouseEvent) => {
    if (e.ctrlKey || e.metaKey || e.shiftKey || e.button) return;
    e.preventDefault();
    navigate(to);
  };
}

/** routeOf says where a link of the data leads in this page. */
export function routeOf(l: Link): Partial<Route> & { source: string } {
  return { source: l.source || (node.peek()?.source ?? ""), path: l.path, params: l.row === undefined ? {} : { row: String(l.row) } };
}

/** DataLink is a link or reference as data have it: one that leads somewhere, or words that say why not. */
export function DataLink({ link, children }: { link: Link; children?: ComponentChildren }) {
  if (!link.path) return <span class="broken" title={link.broken}><Icon name="warning" />{children ?? link.text}{link.broken && <span class="sr">: {link.broken}</span>}</span>;
  const to = routeOf(link);
  return <a class="datalink" href={formatRoute(to)} onClick={go(to)}><Icon name="link" />{children ?? link.text}</a>;
}
