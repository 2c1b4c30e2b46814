// Lines that read just what is on screen, in the languages that people have.
import type { Node, Source } from "./api";
import type { OnScreen } from "./state";

export type Language = "Python" | "JavaScript" | "Go" | "shell";
export const languages: Language[] = ["Python", "JavaScript", "Go", "shell"];

/** quote writes a string as Python, JavaScript and Go all read it. */
const quote = (s: string) => JSON.stringify(s);
/** shellQuote writes a word for a POSIX shell. */
export const shellQuote = (s: string) => (/^[\w@%+=:,./-]+$/.test(s) ? s : "'" + s.replaceAll("'", "'\\''") + "'");

const spell = (path: string) => path.split("/").map(encodeURIComponent).join("/").replace(/%(3A|2C|40)/g, (c) => decodeURIComponent(c));

/** parts splits a slice at its commas. */
export const parts = (slice: string) => slice.split(",").map((s) => s.trim()).filter((s) => s !== "");

/** zarrAddress of a node below a server: where every Zarr client reads it. */
export function zarrAddress(server: string, source: Source | undefined, name: string, path: string, made: boolean): string {
  const base = made ? "/zarr/@pyramid/" + spell(name) : (source?.zarr ?? "/zarr/" + spell(name));
  return server + base + (path === "/" ? "" : spell(path));
}

const goTypes: Record<string, string> = { bool: "bool", float16: "float32", string: "string" };
const goType = (t: string) => (/^(u?int(8|16|32|64)|float(32|64)|complex(64|128))$/.test(t) ? t : (goTypes[t] ?? ""));

function zarritaPart(p: string): string {
  if (!p.includes(":")) return p;
  const [from, to, step] = p.split(":");
  if (!from && !to && !step) return "null";
  return `zarr.slice(${[from || "null", to || "null", ...(step ? [step] : [])].join(", ")})`;
}

/** snippet reads what is on screen of a node: the array that the view names, or the node itself. */
export function snippet(lang: Language, o: { server: string; node: Node; source?: Source; onScreen: OnScreen | null }): string {
  const { node } = o;
  const made = !!(o.onScreen?.level !== undefined && node.image?.levels[o.onScreen.level]?.made);
  const path = o.onScreen?.path ?? node.path;
  const url = zarrAddress(o.server, o.source, node.source, path, made);
  // A table is on screen as the group that it is.
  const array = node.node_type === "array" || path !== node.path;
  const slice = parts(o.onScreen?.slice ?? "");
  const whole = slice.every((p) => p === ":");
  if (!array) {
    switch (lang) {
      case "Python": return `import zarr\ng = zarr.open_group(${quote(url)}, mode="r")\nprint(g.tree())`;
      case "JavaScript": return `import * as zarr from "zarrita";\nconst store = new zarr.FetchStore(${quote(url)});\nconst g = await zarr.open(store, { kind: "group" });\nconsole.log(g.attrs);`;
      case "Go": return `g, err := zarr.OpenGroup(ctx, ${quote(url)})\nfmt.Println(g.Attributes())`;
      case "shell": return `omnizarr tree ${shellQuote(url)}`;
    }
  }
  switch (lang) {
    case "Python": return `import zarr\na = zarr.open_array(${quote(url)}, mode="r")\na[${whole ? "..." : slice.join(", ")}]`;
    case "JavaScript": return `import * as zarr from "zarrita";\nconst store = new zarr.FetchStore(${quote(url)});\nconst a = await zarr.open(store, { kind: "array" });\nawait zarr.get(a${whole ? "" : `, [${slice.map(zarritaPart).join(", ")}]`});`;
    case "Go": {
      const t = goType(node.array?.data_type ?? node.image?.data_type ?? "");
      const read = !t || node.array?.data_type === "float16" ? "ReadAs[float64]" : `Read[${t}]`;
      return `a, err := zarr.OpenArray(ctx, ${quote(url)})\nv, err := zarr.${read}(ctx, a,\n\t${whole ? "zarr.All()" : `zarr.Slice(${quote(slice.join(", "))})`})`;
    }
    case "shell": return `omnizarr cat ${whole ? "" : "--slice " + shellQuote(slice.join(",")) + " "}\\\n  ${shellQuote(url)}`;
  }
}
