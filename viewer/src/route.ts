// Addresses of the page: /view/SOURCE/path/in/it?view=…&… is one view of one node.
import type { Kind } from "./api";

export type Route = { source: string; path: string; view: Kind | ""; params: Record<string, string> };

/** root is the path of the server, "/" where nothing stands before it: the script lies in a folder below. */
export const root = new URL("..", import.meta.url).pathname.replace(/^\/+/, "/");

const kinds: readonly string[] = ["image", "series", "spikes", "table", "array", "group"];

/** parseRoute reads the address of the page. Whatever is wrong in it is left out. */
export function parseRoute(pathname: string, search: string): Route {
  const route: Route = { source: "", path: "/", view: "", params: {} };
  const m = /^view\/([^/]+)(\/.*)?$/.exec(pathname.slice(root.length));
  if (m && pathname.startsWith(root)) {
    route.source = plain(m[1]!);
    route.path = (m[2] ?? "/").split("/").map(plain).join("/").replace(/\/+$/, "") || "/";
  }
  for (const [k, v] of new URLSearchParams(search)) {
    if (k === "view") route.view = kinds.includes(v) ? (v as Kind) : "";
    else if (k !== "__proto__") route.params[k] = v;
  }
  return route;
}

/** plain is a part of an address as it was before it was spelt for that; one that is none stays as it is. */
export function plain(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const spell = (part: string) => encodeURIComponent(part).replace(/%(3A|2C|40|24|26|2B|3D|3B)/g, (c) => decodeURIComponent(c));

/** formatRoute is the inverse of parseRoute: the same view has the same address, parameters in alphabetical order. */
export function formatRoute(r: Partial<Route> & { source: string }): string {
  if (!r.source) return root;
  const path = r.path && r.path !== "/" ? r.path.split("/").map(spell).join("/") : "";
  const q: string[] = r.view ? ["view=" + r.view] : [];
  for (const k of Object.keys(r.params ?? {}).sort()) q.push(spell(k) + "=" + spellValue(r.params![k]!));
  return root + "view/" + spell(r.source) + path + (q.length ? "?" + q.join("&") : "");
}

const spellValue = (v: string) => encodeURIComponent(v).replace(/%(3A|2C|40|24|2F|3D|3B)/g, (c) => decodeURIComponent(c));

/** parentPath of "/a/b" is "/a", that of "/a" and of "/" is "/". */
export function parentPath(path: string): string {
  const i = path.lastIndexOf("/");
  return i <= 0 ? "/" : path.slice(0, i);
}

/** ancestors lists a path and all above it, the root first. */
export function ancestors(path: string): string[] {
  const out = ["/"];
  if (path === "/" || path === "") return out;
  for (let i = path.indexOf("/", 1); i > 0; i = path.indexOf("/", i + 1)) out.push(path.slice(0, i));
  out.push(path);
  return out;
}
