// What a node is, in facts.
import type { ComponentChildren } from "preact";
import * as api from "../api";
import type { ArrayInfo, Axis, Codec, Node } from "../api";
import { copy, server, sources } from "../state";
import { bytes, count, group, shape, value } from "../format";
import { useAnswer } from "../ui/answer";
import { DataLink } from "../ui/link";
import { Button } from "../ui/button";
import { Icon } from "../ui/icon";
import { zarrAddress } from "../snippets";

/** useArray is the array of a node, of an image that is a group that of its finest level. */
export function useArray(n: Node): ArrayInfo | undefined {
  const path = n.array ? n.path : (n.series?.path ?? n.image?.levels.find((l) => !l.made)?.path ?? n.path);
  const of = n.source + path;
  const { value } = useAnswer(of, async (signal) => ({ of, array: path === n.path ? undefined : (await api.node({ source: n.source, path }, signal)).array }));
  return n.array ?? (value?.of === of ? value.array : undefined);
}

type Fact = [string, ComponentChildren];

export function Facts({ list }: { list: (Fact | false | undefined | "" | null)[] }) {
  const shown = list.filter((f): f is Fact => !!f && f[1] !== undefined && f[1] !== null && f[1] !== "");
  if (!shown.length) return null;
  return <dl class="facts">{shown.map(([k, v]) => [<dt key={k}>{k}</dt>, <dd>{v}</dd>])}</dl>;
}

/** stored is the size in memory and on disk, with their ratio. */
export function stored(a: ArrayInfo): string {
  if (a.stored === undefined) return bytes(a.bytes);
  const ratio = a.stored > 0 ? a.bytes / a.stored : 0;
  return `${bytes(a.bytes)} as ${bytes(a.stored)}${ratio > 0 ? ` (${ratio >= 99.5 ? group(Math.round(ratio)) : ratio.toFixed(1)}×)` : ""}`;
}

function pixel(n: Node): string {
  const { axes = [], x = 0, y = 0 } = n.image ?? {};
  // Across, down, and the rest: formats differ in the order of axes.
  const space = [...new Set([axes[x], axes[y], ...axes])].filter((a) => a && a.type === "space" && a.unit && !a.coordinates) as Axis[];
  if (!space.length) return "";
  const same = space.every((a) => a.unit === space[0]!.unit);
  return space.map((a) => value(Math.abs(a.scale), 4) + (same ? "" : " " + a.unit)).join(" × ") + (same ? " " + space[0]!.unit : "");
}

/** chunkShape leaves out leading axes of one element, which say nothing. */
function chunkShape(c: number[]): string {
  const i = c.findIndex((s) => s !== 1);
  return shape(i > 0 ? c.slice(i) : c);
}

/** words of a codec, without those of the codecs within, which stand beside them. */
const words = (c: Codec) => (c.inner?.length ? c.words.replace(/ \(.*\)$/, "") : c.words) || c.name;

export function Codecs({ list }: { list: Codec[] }) {
  return (
    <>
      {list.map((c, i) => (
        <span key={i} class="codec">
          <span class="pill" title={c.name + (c.configuration ? " " + JSON.stringify(c.configuration, (_k, v: unknown) => (typeof v === "bigint" ? String(v) : v)) : "")}>{words(c)}</span>
          {c.inner && c.inner.length > 0 && <span class="inner"><Codecs list={c.inner} /></span>}
        </span>
      ))}
    </>
  );
}

/** Essentials are the few facts that stand below the display of a view. */
export function Essentials({ node: n }: { node: Node }) {
  const a = useArray(n);
  if (!a && !n.image) return null;
  const names = a?.dimension_names ?? n.image?.axes.map((x) => x.name);
  const sizes = a?.shape ?? n.image?.axes.map((x) => x.size);
  return (
    <div class="section">
      <Facts list={[
        n.type && ["Kind", n.type],
        sizes && ["Shape", shape(sizes, names)],
        ["Type", a?.data_type ?? n.image?.data_type],
        ["Pixel", pixel(n)],
        a && a.chunks.length > 0 && ["Chunks", chunkShape(a.chunks)],
        a?.shards && ["Shards", chunkShape(a.shards)],
        a && ["Stored", stored(a)],
      ]} />
      {a && a.codecs.length > 0 && <div class="codecs"><Codecs list={a.codecs} /></div>}
    </div>
  );
}

function fill(v: unknown): string {
  return typeof v === "number" || typeof v === "bigint" ? value(v) : v === null ? "none" : typeof v === "string" ? v || "“”" : JSON.stringify(v, (_k, e: unknown) => (typeof e === "bigint" ? String(e) : e));
}

export function Info({ node: n }: { node: Node }) {
  const a = useArray(n);
  const source = sources.value?.find((s) => s.name === n.source);
  const url = zarrAddress(server, source, n.source, n.path, false);
  const map = n.image?.map;
  return (
    <>
      <div class="section">
        <h3 class="wrap">{n.label ?? n.name}</h3>
        {n.description && <p class="words">{n.description}</p>}
        <Facts list={[
          ["Format", n.title], n.type && ["Kind", n.type], ["Path", n.path],
          n.link && ["Link to", <DataLink link={n.link} />],
          n.children !== undefined && n.children !== null && ["Children", group(n.children)],
          ...n.about.filter((x) => x.value !== n.description).map((x): Fact => [x.name, x.value]),
        ]} />
      </div>
      {n.problems.length > 0 && (
        <div class="section problems">{n.problems.map((p, i) => <p key={i}><Icon name="warning" /> {p.error}{p.hint && <span class="dim"> {p.hint}</span>}</p>)}</div>
      )}
      {a && (
        <div class="section">
          <h3>Array</h3>
          <Facts list={[
            ["Shape", shape(a.shape, a.dimension_names)], ["Type", a.data_type], ["Fill value", fill(a.fill_value)], ["Chunks", shape(a.chunks)],
            a.shards && ["Shards", shape(a.shards)], ["Stored", stored(a)], ["Elements", count(a.shape.reduce((x, y) => x * y, 1))],
          ]} />
          <h4 class="sub">How chunks are written</h4>
          <ol class="chain">{a.codecs.map((c, i) => (
            <li key={i}><span>{words(c)}</span> <span class="fact">{c.name}</span>{c.inner && <ol class="chain">{c.inner.map((d, k) => <li key={k}>{d.words || d.name} <span class="fact">{d.name}</span></li>)}</ol>}</li>
          ))}</ol>
        </div>
      )}
      {n.image && (
        <div class="section">
          <h3>Image</h3>
          <table class="small">
            <thead><tr><th scope="col">axis</th><th scope="col">size</th><th scope="col">step</th></tr></thead>
            <tbody>{n.image.axes.map((x) => <tr key={x.name}><th scope="row">{x.name}</th><td>{group(x.size)}</td><td>{x.coordinates?.length ? `${x.coordinates[0]} …` : value(x.scale, 4) + (x.unit ? " " + x.unit : "")}</td></tr>)}</tbody>
          </table>
          {map && <Facts list={[["Projection", map.crs], map.epsg !== undefined && ["EPSG", String(map.epsg)]]} />}
          <Facts list={[["Levels", n.image.levels.map((l) => shape([l.shape[n.image!.x]!, l.shape[n.image!.y]!]) + (l.made ? ", on the fly" : "")).join("\n")]]} />
        </div>
      )}
      <div class="section">
        <h3>Addresses</h3>
        <div class="address"><span class="mono wrap">{url}</span><Button quiet icon="copy" label="Copy the address as Zarr v3" onClick={() => copy(url, "Address")} /></div>
        {source && <p class="dim mono wrap">{source.url}</p>}
      </div>
    </>
  );
}
