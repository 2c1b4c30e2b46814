// The interface of the server: its types, and a function for each request.
// Every function takes an AbortSignal, since a view that was left wants nothing.

import { root } from "./route";

export type Kind = "image" | "series" | "spikes" | "table" | "array" | "group";
export type Problem = { error: string; kind: string; source?: string; path?: string; chunk?: string; codec?: string; hint?: string };
export type Source = { name: string; url: string; zarr: string; zarr2: string; files: string; format?: string; title?: string; picture?: boolean; problem?: Problem };
export type Link = { source: string; path: string; row?: number; text: string; broken?: string };

export type Codec = { name: string; words: string; configuration?: unknown; inner?: Codec[] };
export type ArrayInfo = {
  shape: number[]; chunks: number[]; shards?: number[]; data_type: string; fill_value: unknown;
  dimension_names?: (string | null)[]; codecs: Codec[]; bytes: number; stored?: number;
};
export type Axis = {
  name: string; size: number; type: "space" | "time" | "channel" | ""; unit?: string; scale: number; offset: number;
  coordinates?: (number | string)[]; values?: string; calendar?: string;
};
export type Level = { path: string; shape: number[]; chunks: number[]; shards?: number[]; scale: number[]; made?: boolean };
export type Channel = { label: string; color: string; active: boolean; window?: [number, number]; range?: [number, number] };
export type ImageInfo = {
  axes: Axis[]; x: number; y: number; channel: number; levels: Level[]; channels: Channel[]; rgb: boolean; data_type: string;
  missing?: boolean; labels: { path: string; name: string; colors?: [number, string][] }[]; up: boolean;
  map?: { crs: string; epsg?: number; affine: number[]; north: number }; position: number[];
};
export type IntervalsInfo = { path: string; name: string; rows: number };
export type SeriesInfo = {
  samples: number; channels: number; names?: string[]; rate?: number; start: number; end: number; unit?: string; zero?: string;
  axis: number; /** of the array of samples, if it is not the node itself */ path?: string; intervals: IntervalsInfo[]; explicit: boolean;
};
export type SpikesInfo = { units: number; spikes: number; start: number; end: number; zero?: string; order: string[]; intervals: IntervalsInfo[] };
export type Column = { name: string; type: string; unit?: string; description?: string; ragged?: boolean; reference?: boolean; sortable: boolean; path?: string };
export type TableInfo = { rows: number; columns: Column[] };

export type Node = {
  source: string; path: string; name: string; node_type: "group" | "array"; format: string; title: string;
  kind: Kind; views: Kind[]; type?: string; label?: string; description?: string; fact: string; link?: Link;
  array?: ArrayInfo; image?: ImageInfo; series?: SeriesInfo; table?: TableInfo; spikes?: SpikesInfo;
  attributes: unknown; links: { at: string; target: Link }[]; about: { name: string; value: string }[];
  problems: Problem[]; children?: number | null;
};

export type Child = {
  name: string; path: string; node_type: "group" | "array"; kind: Kind; fact: string; more: boolean;
  link?: Link; problem?: Problem; label?: string; icon?: "volume" | "map"; /** it has a thumbnail; a group may have one */ picture?: boolean;
};
export type Children = { total: number | null; next: number | null; children: Child[] };
export type Match = Child & { source: string };
export type Matches = { matches: Match[]; complete: boolean };
export type Stats = {
  level: number; exact: boolean; count: number; missing: number; min: number | null; max: number | null;
  percentiles: Record<string, number>; histogram: { from: number; to: number; counts: number[] };
};
export type Tile = { shape: number[]; dataType: string; /** false: in between values were guessed, ask again without `quick` */ exact: boolean; bytes: ArrayBuffer };
export type SeriesHead = {
  mode: "envelope" | "samples"; first: number; step: number; bins: number; channels: number[]; t0: number; dt: number; times: boolean;
  /** false: only `covered` of it was read so far, the rest is NaN; ask again */ exact?: boolean; covered?: number;
};
export type SeriesData = SeriesHead & { at?: Float64Array; values: Float32Array; bytes: number };
export type Spikes = { units: { row: number; label: string; count: number; times?: number[]; bins?: number[] }[]; total: number };
export type Intervals = { intervals: { start: number; stop: number; label: string; row: number }[]; complete: boolean };
export type Cell = null | boolean | number | bigint | string | { list: number; values: Cell[] } | { link: Link } | { time: string };
export type Rows = { total: number; matched: number | null; offset: number; columns: string[]; rows: Cell[][]; index: number[] };
export type Chunks = {
  grid: number[]; chunks: number[]; shards?: number[]; stored: number | null; missing: number | null; bytes: number | null; complete: boolean;
  plane?: { shape: [number, number]; sizes: (number | null)[] };
};
export type Chunk = { chunk: number[]; key: string; stored: boolean; size: number; offset?: number; place?: string; shard?: number[] };

/** ApiError is an answer that is a problem: what the server said, in its words. Status 0: there was no answer. */
export class ApiError extends Error {
  constructor(readonly status: number, readonly problem: Problem) {
    super(problem.error);
  }
}

/** problemOf turns whatever was thrown into a problem that can be shown. */
export function problemOf(e: unknown): Problem {
  if (e instanceof ApiError) return e.problem;
  return { error: e instanceof Error ? e.message : String(e), kind: "page" };
}

/** aborted tells an error that is none: nobody wants the answer any more. */
export function aborted(e: unknown): boolean {
  return e instanceof DOMException && e.name === "AbortError";
}

type Value = string | number | boolean | undefined | null;
export type Query = Record<string, Value>;

/** address of a request: members that are undefined, null or false are left out, true has no value. */
export function address(name: string, q: Query): string {
  const parts: string[] = [];
  for (const [k, v] of Object.entries(q)) {
    if (v === undefined || v === null || v === false) continue;
    parts.push(v === true ? k : k + "=" + encodeURIComponent(String(v)).replace(/%(2F|2C|3A)/g, (c) => decodeURIComponent(c)));
  }
  return root + "api/" + name + (parts.length ? "?" + parts.join("&") : "");
}

// Told about every request: whether the server is there. The banner of the page listens.
export const server = { answered: (_ok: boolean) => {} };

async function ask(name: string, q: Query, signal?: AbortSignal): Promise<Response> {
  let r: Response;
  try {
    r = await fetch(address(name, q), { signal: signal ?? null });
  } catch (e) {
    if (aborted(e)) throw e;
    server.answered(false);
    throw new ApiError(0, { error: "the server does not answer", kind: "stopped", hint: "Is omnizarr serve still running? The page tries again by itself." });
  }
  server.answered(true);
  if (r.ok) return r;
  let p: Problem = { error: `the server answers ${r.status} ${r.statusText}`.trim(), kind: r.status === 401 ? "unauthorized" : "upstream" };
  try {
    const told = (await r.json()) as Problem;
    if (told && told.error) p = told;
  } catch (e) {
    if (aborted(e)) throw e;
  }
  throw new ApiError(r.status, p);
}

/** parse reads JSON and keeps integers that a double would round, as bigint. */
export function parse(text: string): unknown {
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  // Such integers are marked as text, strings stepped over, and made again while parsing.
  const mark = "\ue0ff";
  const marked = text.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (token) =>
    /^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token)) ? `"${mark}${token}"` : token);
  return JSON.parse(marked, (_k, v: unknown) => (typeof v === "string" && v[0] === mark && /^-?\d+$/.test(v.slice(1)) ? BigInt(v.slice(1)) : v));
}

/** counts makes numbers of the integers in an answer that a double would round, since who only wants to know how much can do with
 * about as much. What files say themselves stays exact. */
export function counts(v: unknown): unknown {
  if (typeof v === "bigint") return Number(v);
  if (Array.isArray(v)) return v.map(counts);
  if (!v || typeof v !== "object") return v;
  return Object.fromEntries(Object.entries(v).map(([k, e]) => [k, ["attributes", "fill_value", "configuration"].includes(k) ? e : counts(e)]));
}

/** exact asks for the elements of an array or a table. */
async function exact<T>(name: string, q: Query, signal?: AbortSignal): Promise<T> {
  const r = await ask(name, q, signal);
  return parse(await r.text()) as T;
}

async function json<T>(name: string, q: Query, signal?: AbortSignal): Promise<T> {
  return counts(await exact(name, q, signal)) as T;
}

/** number of a JSON value that may be "NaN", "Infinity" or "-Infinity". */
export function number(v: unknown): number {
  return typeof v === "number" ? v : typeof v === "bigint" ? Number(v) : typeof v === "string" && v !== "" ? Number(v) : NaN;
}

export type At = { source: string; path: string };
const of = (n: At) => ({ source: n.source, path: n.path });

export const sources = (signal?: AbortSignal) => json<Source[]>("sources", {}, signal);
export const node = (n: At, signal?: AbortSignal) => json<Node>("node", of(n), signal);
export const children = (n: At, offset = 0, limit = 200, filter = "", signal?: AbortSignal) =>
  json<Children>("children", { ...of(n), offset, limit, filter: filter || undefined }, signal);
export const search = (q: string, source?: string, limit = 50, signal?: AbortSignal) => json<Matches>("search", { q, source, limit }, signal);
export const position = (n: At, select: string, signal?: AbortSignal) =>
  json<{ positions: (number | null)[] }>("position", { ...of(n), select }, signal);
/** sliceJSON has the values of a part of an array, as nested lists. */
export const sliceJSON = (n: At, slice: string, signal?: AbortSignal) => exact<unknown>("slice", { ...of(n), slice, as: "json" }, signal);
export const sliceAddress = (n: At, slice: string, as: "json" | "csv" | "npy" | "raw") => address("slice", { ...of(n), slice, as });
export const thumbnail = (n: At, size = 192) => address("thumbnail", { ...of(n), size });

export type TileQuery = { level: number; x: [number, number]; y: [number, number]; at?: string; channels?: number[]; labels?: boolean; quick?: boolean };
export async function tile(n: At, q: TileQuery, signal?: AbortSignal): Promise<Tile> {
  const r = await ask("tile", { ...of(n), level: q.level, x: q.x.join(), y: q.y.join(), at: q.at || undefined, channels: q.channels?.join(), labels: q.labels, quick: q.quick ? 1 : undefined }, signal);
  const shape = (r.headers.get("X-Shape") ?? "").split(",").map(Number);
  return { shape, dataType: r.headers.get("X-Data-Type") ?? "", exact: r.headers.get("X-Exact") !== "false", bytes: await r.arrayBuffer() };
}

export const stats = (n: At, channel: number, at?: string, all?: boolean, signal?: AbortSignal) =>
  json<Stats>("stats", { ...of(n), channel, at: at || undefined, all: all ? 1 : undefined }, signal);

export type SeriesQuery = { from?: number; to?: number; width: number; channels?: string };
export async function series(n: At, q: SeriesQuery, signal?: AbortSignal): Promise<SeriesData> {
  const r = await ask("series", { ...of(n), ...q }, signal);
  const head = JSON.parse(r.headers.get("X-Series") ?? "{}") as SeriesHead;
  const body = await r.arrayBuffer();
  const skip = head.times ? head.bins * 8 : 0;
  const out: SeriesData = { ...head, values: new Float32Array(body, skip), bytes: body.byteLength };
  if (head.times) out.at = new Float64Array(body, 0, head.bins);
  return out;
}

export type SpikesQuery = { from?: number; to?: number; width: number; offset?: number; limit?: number; sort?: string };
export const spikes = (n: At, q: SpikesQuery, signal?: AbortSignal) => json<Spikes>("spikes", { ...of(n), ...q }, signal);
export const intervals = (n: At, from: number, to: number, limit = 2000, signal?: AbortSignal) =>
  json<Intervals>("intervals", { ...of(n), from, to, limit }, signal);

export type RowsQuery = { offset?: number; limit?: number; columns?: string; sort?: string; filter?: string; row?: number };
export const rows = (n: At, q: RowsQuery, signal?: AbortSignal) => exact<Rows>("rows", { ...of(n), ...q }, signal);
export const rowsAddress = (n: At, q: RowsQuery) => address("rows", { ...of(n), ...q, as: "csv" });

export type ChunksQuery = { x?: number; y?: number; at?: string };
export const chunks = (n: At, q: ChunksQuery = {}, signal?: AbortSignal) => json<Chunks>("chunks", { ...of(n), ...q }, signal);
export const chunk = (n: At, index: number[], signal?: AbortSignal) => json<Chunk>("chunks", { ...of(n), chunk: index.join() }, signal);
