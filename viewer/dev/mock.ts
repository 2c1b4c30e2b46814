// A server that makes everything up, for looking at views while they are written:
// one node of every kind, and of every state that somebody has to design.
import type { Plugin } from "vite";
import type { Child, Children, Kind, Node, Problem, ImageInfo, Rows, Cell, Stats } from "../src/api";

type Made = Partial<Node> & { kind: Kind; fact: string; kids?: string[]; problem?: Problem; fail?: [number, Problem] };

const codecs = [{ name: "tiff-tile", words: "TIFF tile" }, { name: "lzw", words: "LZW" }, { name: "predictor", words: "predictor 2" }];
const zstd = [{ name: "bytes", words: "little-endian bytes", configuration: { endian: "little" } }, { name: "zstd", words: "Zstandard, level 3", configuration: { level: 3 } }];
const sharded = [{ name: "sharding_indexed", words: "shards of 4 × 4 chunks", inner: zstd }];

function levels(shape: number[], n: number, x: number, y: number, chunk = 512): ImageInfo["levels"] {
  return Array.from({ length: n }, (_, i) => ({
    path: "/tissue/" + i,
    shape: shape.map((s, k) => (k === x || k === y ? Math.ceil(s / 2 ** i) : s)),
    chunks: shape.map((_, k) => (k === x || k === y ? chunk : 1)),
    scale: shape.map((_, k) => (k === x || k === y ? 2 ** i : 1)),
  }));
}

const slide: ImageInfo = {
  axes: [
    { name: "t", size: 60, type: "time", unit: "s", scale: 30, offset: 0 },
    { name: "c", size: 3, type: "channel", scale: 1, offset: 0 },
    { name: "z", size: 41, type: "space", unit: "µm", scale: 0.25, offset: 0 },
    { name: "y", size: 9216, type: "space", unit: "µm", scale: 0.325, offset: 0 },
    { name: "x", size: 12288, type: "space", unit: "µm", scale: 0.325, offset: 0 },
  ],
  x: 4, y: 3, channel: 1, levels: levels([60, 3, 41, 9216, 12288], 5, 4, 3),
  channels: [
    { label: "DAPI", color: "#4aa8ff", active: true, window: [112, 3940], range: [0, 4095] },
    { label: "GFP", color: "#54e39b", active: true, window: [90, 1870], range: [0, 4095] },
    { label: "mCherry", color: "#ff6d8a", active: false },
  ],
  rgb: false, data_type: "uint16", labels: [{ path: "/tissue/labels/nuclei", name: "nuclei" }], up: false, position: [0, 0, 20, 4608, 6144],
};
const terrain: ImageInfo = {
  axes: [
    { name: "time", size: 365, type: "time", scale: 1, offset: 0, coordinates: Array.from({ length: 365 }, (_, i) => new Date(Date.UTC(2025, 0, 1 + i)).toISOString().slice(0, 10)) },
    { name: "latitude", size: 721, type: "space", unit: "°", scale: -0.25, offset: 90 },
    { name: "longitude", size: 1440, type: "space", unit: "°", scale: 0.25, offset: -180 },
  ],
  x: 2, y: 1, channel: -1, levels: levels([365, 721, 1440], 1, 2, 1, 256),
  channels: [{ label: "2 m temperature", color: "#ffffff", active: true }], rgb: false, data_type: "float32", missing: true, labels: [], up: false,
  map: { crs: "WGS 84", epsg: 4326, affine: [0.25, 0, -180, 0, -0.25, 90], north: 0 }, position: [180, 360, 720],
};
const photo: ImageInfo = {
  axes: [
    { name: "y", size: 412, type: "space", scale: 1, offset: 0 }, { name: "x", size: 580, type: "space", scale: 1, offset: 0 },
    { name: "c", size: 3, type: "channel", scale: 1, offset: 0 },
  ],
  x: 1, y: 0, channel: 2, levels: levels([412, 580, 3], 1, 1, 0, 256), channels: ["R", "G", "B"].map((label, i) => ({ label, color: ["#ff0000", "#00ff00", "#0000ff"][i]!, active: true })),
  rgb: true, data_type: "uint8", labels: [], up: false, position: [206, 290, 0],
};
const arrayOf = (shape: number[], chunks: number[], data_type: string, names?: string[], more = {}): Node["array"] =>
  ({ shape, chunks, data_type, fill_value: 0, codecs: zstd, bytes: shape.reduce((a, b) => a * b, 1) * 2, stored: Math.round(shape.reduce((a, b) => a * b, 1) * 0.65), ...(names && { dimension_names: names }), ...more });

const epochs = [{ path: "/intervals/trials", name: "trials", rows: 120 }];
const unitColumns = [
  { name: "id", type: "int64", sortable: true }, { name: "quality", type: "string", sortable: true, description: "as the sorter judged it" },
  { name: "firing_rate", type: "float64", unit: "Hz", sortable: true }, { name: "spike_times", type: "float64", unit: "s", ragged: true, sortable: false },
  { name: "electrodes", type: "reference", reference: true, ragged: true, sortable: false }, { name: "peak", type: "time", sortable: true },
];

const tree: Record<string, Record<string, Made>> = {
  "slide.ome.tif": {
    "/": { kind: "group", fact: "TIFF", kids: ["tissue", "label", "sharded"], attributes: { "ome": { version: "0.5", "bioformats2raw.layout": 3 }, "ImageDescription": "<OME xmlns=…> ".repeat(60) } },
    "/tissue": { kind: "image", fact: "5 levels", views: ["image", "group"], image: slide, kids: ["0", "1", "2", "3", "4"],
      array: arrayOf([60, 3, 41, 9216, 12288], [1, 1, 1, 512, 512], "uint16", ["t", "c", "z", "y", "x"], { codecs, bytes: 1.9e12, stored: 6.11e11 }),
      attributes: { ome: { version: "0.5", multiscales: [{ name: "tissue", axes: slide.axes.map(({ name, type, unit }) => ({ name, type, unit })), datasets: slide.levels.map((l) => ({ path: l.path })) }], omero: { channels: slide.channels } }, id: 9007199254740993 } },
    ...Object.fromEntries(slide.levels.map((l, i) => ["/tissue/" + i, { kind: "image" as Kind, views: ["image", "array"] as Kind[], fact: l.shape.slice(2).join(" × "), array: arrayOf(l.shape, l.chunks, "uint16", ["t", "c", "z", "y", "x"], { codecs }), image: { ...slide, axes: slide.axes.map((a, k) => ({ ...a, size: l.shape[k]!, scale: a.scale * l.scale[k]! })), levels: [{ ...l, scale: l.shape.map(() => 1) }] } }])),
    "/label": { kind: "image", fact: "412 × 580 × 3", views: ["image", "array"], image: photo, array: arrayOf([412, 580, 3], [256, 256, 3], "uint8", ["y", "x", "c"]) },
    "/sharded": { kind: "image", fact: "4096 × 4096", views: ["image", "array"], image: { ...slide, axes: slide.axes.slice(3).map((a) => ({ ...a, size: 4096 })), x: 1, y: 0, channel: -1, channels: [slide.channels[0]!], levels: levels([4096, 4096], 4, 1, 0, 256).map((l) => ({ ...l, shards: [1024, 1024], made: l.path !== "/tissue/0" })), labels: [], position: [2048, 2048] }, array: arrayOf([4096, 4096], [256, 256], "uint16", ["y", "x"], { shards: [1024, 1024], codecs: sharded }) },
  },
  "session.nwb.zarr": {
    "/": { kind: "group", fact: "NWB", type: "NWBFile", description: "Mouse in a virtual corridor, two probes", kids: ["acquisition", "units", "electrodes", "intervals"], about: [{ name: "session start", value: "2025-06-30 14:05:12 +02:00" }, { name: "subject", value: "M-118, mouse, 12 weeks" }, { name: "identifier", value: "b6e0…" }],
      attributes: { namespace: "core", neurodata_type: "NWBFile", ".specloc": "specifications", electrodes: { source: ".", path: "/general/electrodes" }, object_id: "f1c1ab…" }, links: [{ at: "/electrodes", target: { source: "session.nwb.zarr", path: "/electrodes", text: "/general/electrodes" } }] },
    "/acquisition": { kind: "group", fact: "2 series", kids: ["ephys", "wheel"] },
    "/acquisition/ephys": { kind: "series", fact: "30 kHz", type: "ElectricalSeries", views: ["series", "table", "group"], series: { samples: 1e8, channels: 64, names: Array.from({ length: 64 }, (_, i) => "imec" + i), rate: 30000, start: 0, end: 1e8 / 30000, unit: "µV", zero: "2025-06-30T14:05:12Z", axis: 0, intervals: epochs, explicit: false }, array: arrayOf([1e8, 64], [30000, 64], "int16", ["time", "channel"]), kids: ["data"] },
    "/acquisition/ephys/data": { kind: "array", fact: "10⁸ × 64", views: ["array", "series"], array: arrayOf([1e8, 64], [30000, 64], "int16", ["time", "channel"]) },
    "/acquisition/wheel": { kind: "series", fact: "~100 Hz", type: "TimeSeries", series: { samples: 20000, channels: 1, start: 2, end: 202, unit: "cm/s", axis: 0, intervals: [], explicit: true }, array: arrayOf([20000], [4096], "float32", ["time"]) },
    "/units": { kind: "spikes", fact: "214 units", type: "Units", views: ["spikes", "table", "group"], spikes: { units: 214, spikes: 3.1e6, start: 0, end: 3333, order: ["id", "firing_rate", "quality"], intervals: epochs }, table: { rows: 214, columns: unitColumns } },
    "/intervals": { kind: "group", fact: "1 table", kids: ["trials"] },
    "/intervals/trials": { kind: "table", fact: "10⁷ rows", type: "TimeIntervals", views: ["table", "group"], table: { rows: 1e7, columns: unitColumns } },
    "/electrodes": { kind: "table", fact: "→ /general", type: "DynamicTable", views: ["table"], link: { source: "session.nwb.zarr", path: "/intervals/trials", text: "/general/electrodes" }, table: { rows: 384, columns: unitColumns.slice(0, 3) } },
  },
  "era5.zarr": {
    "/": { kind: "group", fact: "Zarr v3", kids: ["t2m", "<b>x<\u2215b>", "latitude", "station", "one", "empty", "complex"] },
    "/t2m": { kind: "image", fact: "365 × 721 × 1440", views: ["image", "array"], image: terrain, array: arrayOf([365, 721, 1440], [1, 256, 256], "float32", ["time", "latitude", "longitude"], { fill_value: "NaN" }) },
    "/latitude": { kind: "array", fact: "721", views: ["array", "series"], array: arrayOf([721], [721], "float64", ["latitude"]) },
    "/<b>x<\u2215b>": { kind: "group", fact: "<i>no</i>", kids: [], attributes: { note: "<img src=x onerror=alert(1)>" } },
    "/station": { kind: "array", fact: "text, 40", views: ["array"], array: arrayOf([40], [40], "string") },
    "/one": { kind: "array", fact: "scalar", views: ["array"], array: arrayOf([], [], "float32") },
    "/empty": { kind: "array", fact: "0 × 512", views: ["array"], array: arrayOf([0, 512], [64, 64], "int16") },
    "/complex": { kind: "array", fact: "64 × 64 complex64", views: ["array", "image"], array: arrayOf([64, 64], [32, 32], "complex64") },
  },
  many: { "/": { kind: "group", fact: "100 000 groups", kids: [] } },
  "states.zarr": {
    "/": { kind: "group", fact: "Zarr v3", kids: ["forbidden", "unfinished", "codec", "damaged", "absent", "slow", "nothing"] },
    "/forbidden": { kind: "array", fact: "", problem: { error: "may not be opened", kind: "forbidden" }, fail: [403, { error: "/states.zarr/forbidden refers to file:///data/other.bin, which may not be opened", kind: "forbidden", hint: "Start the server with --allow /data" }] },
    "/unfinished": { kind: "image", fact: "5 levels", views: ["image", "array"], image: { ...photo }, array: arrayOf([412, 580, 3], [256, 256, 3], "uint8"), problems: [{ error: "a copy to this place has not finished: 312 of 900 blocks are there", kind: "unfinished", hint: "Run the copy again with --resume" }] },
    "/codec": { kind: "array", fact: "512 × 512", problem: { error: "unknown codec", kind: "unknown_codec" }, fail: [422, { error: "/states.zarr/codec: codec \"acme.wavelet\" is not known", kind: "unknown_codec", codec: "acme.wavelet" }] },
    "/damaged": { kind: "array", fact: "512 × 512", fail: [502, { error: "/states.zarr/damaged: chunk c/0/3: zstd: checksum differs", kind: "damaged", chunk: "0,3", codec: "zstd" }] },
    "/absent": { kind: "array", fact: "", fail: [404, { error: "no node at /absent", kind: "not_found" }] },
    "/slow": { kind: "array", fact: "slow", views: ["array"], array: arrayOf([4], [4], "int32") },
    "/nothing": { kind: "group", fact: "empty", kids: [] },
  },
};
const titles: Record<string, string> = { "slide.ome.tif": "TIFF", "session.nwb.zarr": "NWB", "era5.zarr": "Zarr v3", many: "Zarr v3", "states.zarr": "Zarr v3" };

const child = (source: string, path: string): Child => {
  const m = tree[source]![path] ?? { kind: "group" as Kind, fact: "3 arrays", kids: ["x"] };
  const node_type = m.array && !m.kids ? "array" : "group";
  return { name: path.slice(path.lastIndexOf("/") + 1), path, node_type, kind: m.kind, fact: m.fact, more: !!m.kids?.length, picture: m.kind === "group" ? !!m.kids?.length : m.kind === "image" || m.kind === "series" || (m.kind === "array" && m.fact.includes("×")), ...(m.link && { link: m.link }), ...(m.problem && { problem: m.problem }) };
};
const listing = (source: string, path: string): string[] => {
  if (source === "many") return path === "/" ? Array.from({ length: 100000 }, (_, i) => "group-" + String(i).padStart(5, "0")) : [];
  return tree[source]?.[path]?.kids ?? [];
};
const below = (path: string, name: string) => (path === "/" ? "" : path) + "/" + name;
const round = (x: number, y: number, z: number, c: number) => {
  // Cells on a jittered lattice: bright in the middle, some of them in two channels.
  const s = 180, i = Math.floor(x / s), j = Math.floor(y / s);
  let v = 0;
  for (let a = -1; a <= 1; a++) for (let b = -1; b <= 1; b++) {
    const h = Math.abs(Math.sin((i + a) * 127.1 + (j + b) * 311.7) * 43758.5453) % 1, k = (h * 91.7) % 1;
    if (c > 0 && k > 0.4) continue;
    const dx = x - (i + a + 0.2 + 0.6 * h) * s, dy = y - (j + b + 0.2 + 0.6 * k) * s, r = (40 + 50 * k) * (c > 0 ? 1.4 : 1) * (1 - Math.abs(z - 20) / 60);
    v += (0.5 + h / 2) * Math.exp(-((((dx * dx) / (1 + h) + dy * dy) / (r * r)) ** 2));
  }
  return v;
};
const typed: Record<string, (n: number) => Float32Array | Uint16Array | Uint8Array | Uint32Array> = { float32: (n) => new Float32Array(n), uint16: (n) => new Uint16Array(n), uint8: (n) => new Uint8Array(n), uint32: (n) => new Uint32Array(n) };

function sample(image: ImageInfo, x: number, y: number, at: number[], c: number): number {
  if (image.map) {
    const lat = 90 - y / 4, lon = x / 4 - 180;
    if (lat < -84) return NaN;
    return 300 - 50 * Math.abs(lat / 90) ** 1.5 + 6 * Math.sin(lon / 17 + at[0]! / 20) * Math.cos(lat / 11) + 3 * Math.sin(lon / 5) * Math.sin(lat / 7);
  }
  const z = image.axes.findIndex((a) => a.name === "z");
  return round(x, y, z < 0 ? 20 : at[z]!, c);
}

const notFound = (path: string): [number, Problem] => [404, { error: "no node at " + path, kind: "not_found" }];

function answer(name: string, q: URLSearchParams): { status?: number; json?: unknown; bytes?: ArrayBufferView; head?: Record<string, string>; svg?: string } {
  const source = q.get("source") ?? "", path = q.get("path") || "/";
  if (name === "sources") return { json: Object.keys(tree).map((n) => ({ name: n, url: "file:///data/" + n, zarr: "/zarr/" + n, zarr2: "/zarr2/" + n, files: "/files/" + n, format: "zarr3", title: titles[n], picture: true })) };
  if (name === "search") {
    const want = (q.get("q") ?? "").toLowerCase();
    const matches = Object.entries(tree).flatMap(([s, nodes]) => Object.keys(nodes).filter((p) => p.toLowerCase().includes(want)).map((p) => ({ ...child(s, p), source: s, name: p === "/" ? s : child(s, p).name })));
    return { json: { matches: matches.slice(0, 50), complete: true } };
  }
  const m = tree[source]?.[path] ?? (source === "many" && tree[source] ? { kind: "group" as Kind, fact: "3 arrays", kids: ["x"] } : undefined);
  if (!m) {
    const [status, json] = notFound(path);
    return { status, json };
  }
  if (m.fail && name !== "children") return { status: m.fail[0], json: { ...m.fail[1], source, path } };
  const num = (k: string, d: number) => (q.has(k) ? Number(q.get(k)) : d);
  switch (name) {
    case "node": {
      const { kids, problem, fail, ...rest } = m;
      const c = child(source, path);
      const n: Node = { source, path, name: path === "/" ? source : c.name, node_type: c.node_type, format: "zarr3", title: titles[source]!, views: [m.kind], attributes: {}, links: [], about: [], problems: [], ...rest, ...(kids && { children: listing(source, path).length }) };
      return { json: n };
    }
    case "children": {
      const f = (q.get("filter") ?? "").toLowerCase();
      const all = listing(source, path).filter((n) => n.toLowerCase().includes(f));
      const offset = num("offset", 0), limit = num("limit", 200);
      const out: Children = { total: all.length, next: offset + limit < all.length ? offset + limit : null, children: all.slice(offset, offset + limit).map((n) => child(source, below(path, n))) };
      return { json: out };
    }
    case "position": return { json: { positions: (m.image?.axes ?? []).map((a) => Math.floor(a.size / 3)) } };
    case "tile": {
      if (!m.image) return { status: 422, json: { error: "no picture of this", kind: "unsupported" } };
      const level = m.image.levels[num("level", 0)]!;
      const [x0, x1] = q.get("x")!.split(",").map(Number) as [number, number];
      const [y0, y1] = q.get("y")!.split(",").map(Number) as [number, number];
      const w = Math.min(x1, level.shape[m.image.x]!) - x0, h = Math.min(y1, level.shape[m.image.y]!) - y0, s = level.scale[m.image.x]!;
      const cs = (q.get("channels") ?? "0").split(",").map(Number);
      const at = [...m.image.position];
      for (const p of (q.get("at") ?? "").split(",").filter(Boolean)) at[Number(p.split(":")[0])] = Number(p.split(":")[1]);
      const type = q.has("labels") ? "uint32" : m.image.data_type;
      const out = typed[type]!(cs.length * w * h);
      const gain = type === "uint16" ? 3600 : type === "uint8" ? 255 : 1;
      let i = 0;
      for (const c of cs) for (let y = y0; y < y0 + h; y++) for (let x = x0; x < x0 + w; x++) {
        const v = sample(m.image, x * s, y * s, at, c);
        out[i++] = q.has("labels") ? (v > 0.4 ? 1 + ((Math.floor((x * s) / 180) * 31 + Math.floor((y * s) / 180) * 17) % 250) : 0) : m.image.map ? v : Math.min(gain, v * gain + 100 * (gain > 255 ? 1 + Math.random() : 0));
      }
      return { bytes: out, head: { "X-Shape": [cs.length, h, w].join(), "X-Data-Type": type } };
    }
    case "stats": {
      const [lo, hi] = m.image?.map ? [250, 306] : m.image?.data_type === "uint8" ? [0, 255] : [90, 3900];
      const counts = Array.from({ length: 256 }, (_, i) => Math.round(9000 * Math.exp(-(((i - 40) / 22) ** 2)) + 1500 * Math.exp(-(((i - 170) / 30) ** 2))));
      const at = (p: number) => lo + (hi - lo) * p;
      const out: Stats = { level: 4, exact: false, count: 442368, missing: 0, min: lo, max: hi, percentiles: { "0.1": at(0.01), "1": at(0.03), "5": at(0.06), "25": at(0.12), "50": at(0.18), "75": at(0.3), "95": at(0.7), "99": at(0.82), "99.9": at(0.94) }, histogram: { from: lo, to: hi, counts } };
      return { json: out };
    }
    case "thumbnail":
      if (!m.image && !m.series) return { status: 404, json: { error: "no picture of this", kind: "not_found" } };
      return { svg: `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 192 120"><rect width="192" height="120" fill="#07080a"/>${m.series ? `<path d="M0 60${Array.from({ length: 96 }, (_, i) => `L${i * 2} ${60 + 30 * Math.sin(i * 1.3) * Math.sin(i / 9)}`).join("")}" fill="none" stroke="#5cc8ff"/>` : Array.from({ length: 24 }, (_, i) => `<ellipse cx="${(i * 67) % 192}" cy="${(i * 41) % 120}" rx="9" ry="6" fill="${i % 3 ? "#3a8fe0" : "#45c98a"}"/>`).join("")}</svg>` };
    case "series": {
      const info = m.series ?? { samples: m.array!.shape[0]!, channels: m.array!.shape[1] ?? 1, start: 0, end: m.array!.shape[0]!, explicit: false };
      const from = num("from", info.start), to = num("to", info.end), width = num("width", 800);
      const rate = info.samples / (info.end - info.start || 1);
      const [c0, c1] = (q.get("channels") ?? `0:${Math.min(16, info.channels)}`).split(":").map(Number) as [number, number];
      const first = Math.max(0, Math.floor((from - info.start) * rate)), last = Math.min(info.samples, Math.ceil((to - info.start) * rate));
      const step = Math.max(1, Math.ceil((last - first) / width)), envelope = step > 1, bins = Math.max(0, Math.ceil((last - first) / step));
      const chans = Array.from({ length: Math.max(0, Math.min(c1, info.channels) - c0) }, (_, i) => c0 + i);
      const dt = step / rate, t0 = info.start + first / rate;
      const at = new Float64Array(info.explicit ? bins : 0).map((_, i) => t0 + i * dt);
      const v = new Float32Array(chans.length * bins * (envelope ? 2 : 1));
      const f = (c: number, t: number) => 60 * Math.sin(t * (0.9 + c / 40)) + 25 * Math.sin(t * 47 + c) + 10 * Math.sin(t * 997 + c * c) + (Math.sin(t * 13.7 + c * 3) > 0.995 ? -180 : 0);
      let i = 0;
      for (const c of chans) for (let b = 0; b < bins; b++) {
        const t = t0 + b * dt, y = f(c, t);
        if (!envelope) v[i++] = y;
        else {
          const r = Math.min(70, 8 + dt * 400);
          v[i++] = y - r * (0.6 + 0.4 * Math.sin(b * 12.9 + c));
          v[i++] = y + r * (0.6 + 0.4 * Math.cos(b * 7.7 + c));
        }
      }
      const body = new Uint8Array(at.byteLength + v.byteLength);
      body.set(new Uint8Array(at.buffer), 0);
      body.set(new Uint8Array(v.buffer), at.byteLength);
      return { bytes: body, head: { "X-Series": JSON.stringify({ mode: envelope ? "envelope" : "samples", first, step, bins, channels: chans, t0, dt, times: info.explicit }) } };
    }
    case "spikes": {
      const from = num("from", 0), to = num("to", 3333), offset = num("offset", 0), width = num("width", 800);
      const units = Array.from({ length: Math.max(0, Math.min(num("limit", 500), 214 - offset)) }, (_, k) => {
        const row = offset + k, rate = 0.5 + ((row * 7919) % 100) / 8, n = Math.round(rate * (to - from));
        if (n > 2000) return { row, label: String(row), count: n, bins: Array.from({ length: width }, (_, b) => Math.max(0, Math.round((n / width) * (1 + Math.sin(b / 30 + row))))) };
        const times: number[] = [];
        for (let i = 0; i < n; i++) times.push(from + ((i + ((i * 7919 + row * 104729) % 1000) / 1000) / n) * (to - from));
        return { row, label: String(row), count: n, times };
      });
      return { json: { units, total: 214 } };
    }
    case "intervals": {
      const from = num("from", 0), to = num("to", 3333);
      const all = Array.from({ length: 120 }, (_, i) => ({ start: i * 27, stop: i * 27 + 9, label: i % 2 ? "left" : "right", row: i }));
      return { json: { intervals: all.filter((e) => e.stop > from && e.start < to), complete: true } };
    }
    case "rows": {
      if (!m.table) return { status: 422, json: { error: "no rows here", kind: "unsupported" } };
      if (/firing_rate/.test(q.get("sort") ?? "") && m.table.rows > 1e6) return { status: 422, json: { error: "sorting by firing_rate would read 80 MB", kind: "unsupported", hint: "Filter to fewer rows first" } };
      const columns = q.get("columns")?.split(",") ?? m.table.columns.map((c) => c.name), offset = num("offset", 0), limit = num("limit", 100);
      const index = Array.from({ length: Math.max(0, Math.min(limit, m.table.rows - offset)) }, (_, i) => (q.get("sort")?.startsWith("-") ? m.table!.rows - 1 - offset - i : offset + i));
      const cell = (name: string, r: number): Cell => {
        switch (name) {
          case "id": return r;
          case "quality": return ["good", "multi", "noise"][r % 3]!;
          case "firing_rate": return Math.round(((r * 7919) % 10000) / 7) / 100;
          case "spike_times": return { list: 400 + (r % 97), values: [0.01, 0.24, 0.31, 0.77, 1.02, 1.31, 1.6, 1.9] };
          case "electrodes": return { link: { source, path: "/electrodes", row: r % 384, text: "electrodes " + (r % 384) } };
          default: return r % 11 ? { time: new Date(1.75e12 + r * 6e4).toISOString() } : null;
        }
      };
      const out: Rows = { total: m.table.rows, matched: null, offset, columns, rows: index.map((r) => columns.map((c) => cell(c, r))), index };
      return { json: out };
    }
    case "chunks": {
      const a = m.array;
      if (!a) return { status: 422, json: { error: "no chunks here", kind: "unsupported" } };
      const grid = a.shape.map((s, i) => Math.ceil(s / a.chunks[i]!));
      if (q.has("chunk")) {
        const chunk = q.get("chunk")!.split(",").map(Number);
        return { json: { chunk, key: "c/" + chunk.join("/"), stored: true, size: 90000 + (chunk.at(-1) ?? 0) * 1300, offset: 65536, place: "file:///data/" + source + path } };
      }
      const x = num("x", grid.length - 1), y = num("y", grid.length - 2);
      const w = Math.min(256, grid[x] ?? 1), h = Math.min(256, grid[y] ?? 1);
      return { json: { grid, chunks: a.chunks, ...(a.shards && { shards: a.shards }), stored: grid.reduce((p, g) => p * g, 1) - 7, missing: 7, bytes: a.stored ?? null, complete: true, plane: { shape: [h, w], sizes: Array.from({ length: w * h }, (_, i) => ((i * 7) % 41 === 0 ? -1 : Math.round(60000 + 50000 * Math.sin(i / 5) * Math.cos(i / w)))) } } };
    }
    case "slice": {
      const parts = (q.get("slice") ?? "").split(",").filter(Boolean);
      const a = m.array!;
      const dims = a.shape.map((s, i) => {
        const p = parts[i] ?? ":";
        if (!p.includes(":")) return [Number(p)];
        const [b, e, st] = p.split(":");
        const out: number[] = [];
        for (let k = b ? Number(b) : 0; k < Math.min(s, e ? Number(e) : s) && out.length < 512; k += st ? Number(st) : 1) out.push(k);
        return out;
      });
      const keep = a.shape.map((_, i) => (parts[i] ?? ":").includes(":"));
      const one = (ix: number[]) => (a.data_type === "string" ? "station " + ix.join("-") + (ix[0]! % 5 ? "" : " <b>not bold</b>") : a.data_type === "complex64" ? [Math.cos(ix[0]! / 3), Math.sin(ix[1]! / 3)] : Math.round(1000 * ix.reduce((s, k, i) => s + Math.sin(k / (5 + i)), 0)) / 10);
      const build = (k: number, ix: number[]): unknown => (k === dims.length ? one(ix) : keep[k] ? dims[k]!.map((v) => build(k + 1, [...ix, v])) : build(k + 1, [...ix, dims[k]![0]!]));
      return { json: build(0, []) };
    }
  }
  return { status: 404, json: { error: "no such request", kind: "not_found" } };
}

// What the server sends with every page: a view that needs more than this fails here too.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; font-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

function serve(message: unknown, res: ServerResponse, next: () => void, on: boolean): void {
  const req = message as { url?: string };
  const url = new URL(req.url ?? "/", "http://localhost");
  if (url.pathname.startsWith("/view/")) {
    req.url = "/index.html";
    return next();
  }
  if (!on || !url.pathname.startsWith("/api/")) return next();
  const a = answer(url.pathname.slice(5), url.searchParams);
  const send = () => {
    res.statusCode = a.status ?? 200;
    for (const [k, v] of Object.entries(a.head ?? {})) res.setHeader(k, v);
    if (a.svg) res.setHeader("Content-Type", "image/svg+xml").end(a.svg);
    else if (a.bytes) res.setHeader("Content-Type", "application/octet-stream").end(new Uint8Array(a.bytes.buffer as ArrayBuffer, a.bytes.byteOffset, a.bytes.byteLength));
    // An integer beyond 2⁵³ as stored, which JSON.stringify would round.
    else res.setHeader("Content-Type", "application/json").end(JSON.stringify(a.json).replace("9007199254740992", "9007199254740993"));
  };
  setTimeout(send, url.searchParams.get("path") === "/slow" ? 4000 : 20);
}
type ServerResponse = { statusCode: number; setHeader(k: string, v: string): ServerResponse; end(body: unknown): void };

/** mock answers /api itself, and gives the page for every address of it. */
export function mock(on: boolean): Plugin {
  return {
    name: "omnizarr-mock",
    configureServer(server) {
      server.middlewares.use((req, res, next) => serve(req, res as unknown as ServerResponse, next, on));
    },
    configurePreviewServer(server) {
      server.middlewares.use((req, res, next) => {
        (res as unknown as ServerResponse).setHeader("Content-Security-Policy", policy);
        serve(req, res as unknown as ServerResponse, next, on);
      });
    },
  };
}
