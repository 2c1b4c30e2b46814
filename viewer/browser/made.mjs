// A server with images whose every pixel is known, for tests of the page in a real browser. It serves the built page
// with the policy that the real server sends, and fails, waits and counts as it is told to.
import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const dist = fileURLToPath(new URL("../dist/", import.meta.url));
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; font-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const types = { ".js": "text/javascript", ".css": "text/css", ".html": "text/html", ".svg": "image/svg+xml" };

export const kinds = { uint8: Uint8Array, int8: Int8Array, uint16: Uint16Array, int16: Int16Array, uint32: Uint32Array, int32: Int32Array, float32: Float32Array };
const axis = (name, size, more = {}) => ({ name, size, type: "space", scale: 1, offset: 0, ...more });

/** An image of the given axes; levels by 2, values by a function of channel, position and indices of level 0. */
function image(axes, o) {
  const x = axes.findIndex((a) => a.name === "x");
  const y = axes.findIndex((a) => a.name === "y");
  const channel = axes.findIndex((a) => a.type === "channel");
  const levels = Array.from({ length: o.levels ?? 1 }, (_, i) => ({
    path: o.path + "/" + i,
    shape: axes.map((a, k) => (k === x || k === y ? Math.max(1, a.size >> i) : a.size)),
    chunks: axes.map((_, k) => (k === x || k === y ? (o.chunk ?? 256) : 1)),
    ...(o.shards && { shards: axes.map((_, k) => (k === x || k === y ? o.shards : 1)) }),
    scale: axes.map((_, k) => (k === x || k === y ? 2 ** i : 1)),
  }));
  if (axes.some((a) => a.size === 0)) levels[0].shape = axes.map((a) => a.size);
  const n = channel < 0 ? 1 : axes[channel].size;
  const colours = ["#ff0000", "#00ff00", "#0000ff", "#00ffff", "#ff00ff", "#ffff00"];
  const info = {
    axes, x, y, channel, levels, rgb: false, data_type: o.type ?? "uint16", labels: [], up: false,
    channels: Array.from({ length: n }, (_, i) => ({ label: "ch" + i, color: n === 1 ? "#ffffff" : colours[i % 6], active: true, window: o.window ?? [0, 1023] })),
    position: axes.map((a, k) => (k === x || k === y ? a.size >> 1 : 0)), ...o.more,
  };
  return { info, value: o.value };
}

const pattern = (c, p, x, y) => ((x ^ y) + 37 * c + 11 * p.reduce((a, b) => a + b, 0)) & 1023;
const plane = (w, h = w) => [axis("y", h), axis("x", w)];
const small = (type) => image(plane(64), { path: "/" + type, type, window: type.startsWith("u") ? [0, 126] : [-63, 63], value: (_c, _p, x, y) => (type.startsWith("u") ? x + y : (x + y) - 63) * (type === "float32" ? 0.5 : 1) });

export function nodes() {
  const um = { unit: "µm", scale: 0.5 };
  const all = {
    "/cells": image([axis("t", 5, { type: "time", unit: "s", scale: 30 }), axis("c", 6, { type: "channel" }), axis("z", 8, { unit: "µm", scale: 2 }), axis("y", 8192, um), axis("x", 8192, um)],
      { path: "/cells", levels: 6, shards: 1024, value: pattern, more: { labels: [{ path: "/labels", name: "nuclei", colors: [[1, "#ff8000"]] }] } }),
    "/labels": image(plane(8192), { path: "/labels", levels: 6, type: "uint32", value: (_c, _p, x, y) => ((x >> 6) + (y >> 6)) % 3 }),
    "/rgb": image([axis("y", 80), axis("x", 100), axis("c", 3, { type: "channel" })], { path: "/rgb", type: "uint8", value: (c, _p, x, y) => (c === 0 ? x : c === 1 ? y : 255 - x), more: { rgb: true } }),
    "/nan": image(plane(64), { path: "/nan", type: "float32", value: () => NaN, more: { missing: true } }),
    "/half": image(plane(64), { path: "/half", type: "float32", window: [0, 63], value: (_c, _p, x, y) => (y < 32 ? NaN : x), more: { missing: true } }),
    "/constant": image(plane(64), { path: "/constant", type: "uint8", value: () => 7, more: { channels: [{ label: "", color: "#ffffff", active: true }] } }),
    "/empty": image(plane(64, 0), { path: "/empty", value: () => 0 }),
    "/one": image(plane(1), { path: "/one", type: "uint8", window: [0, 255], value: () => 200 }),
    "/auto": image(plane(512), { path: "/auto", value: pattern, more: { channels: [{ label: "", color: "#ffffff", active: true }] } }),
    "/broken": image(plane(2048), { path: "/broken", levels: 4, value: pattern }),
    "/dead": image(plane(512), { path: "/dead", value: pattern }),
    "/map": image([axis("time", 3, { type: "time", coordinates: ["2025-06-29T00:00:00Z", "2025-06-30T00:00:00Z", "2025-06-30T12:00:00Z"] }), axis("y", 360, { unit: "°" }), axis("x", 720, { unit: "°" })],
      { path: "/map", type: "float32", value: (_c, _p, x, y) => x + y, window: [0, 1079], more: { up: true, map: { crs: "EPSG:4326", epsg: 4326, affine: [0.5, 0, -180, 0, 0.5, -90], north: 0 } } }),
    // 10 GiB of pixels below eight levels
    "/huge": image([axis("c", 2, { type: "channel" }), axis("y", 51200, um), axis("x", 51200, um)], { path: "/huge", levels: 8, chunk: 512, value: pattern }),
  };
  for (const type of Object.keys(kinds)) all["/" + type] = small(type);
  return all;
}

export function serve() {
  const all = nodes();
  const seen = { tiles: [], aborted: 0, broken: true, dead: true, delay: 0, stats: 0, pending: 0 };
  const json = (res, status, v) => {
    res.writeHead(status, { "content-type": "application/json", "content-security-policy": policy });
    res.end(JSON.stringify(v));
  };
  const tile = (res, path, n, q) => {
    const { info } = n;
    const level = info.levels[Number(q.get("level"))];
    const [x0, x1] = q.get("x").split(",").map(Number);
    const [y0, y1] = q.get("y").split(",").map(Number);
    seen.tiles.push(`${path} ${q.get("level")} ${x0},${y0}`);
    if (path === "/dead" && seen.dead) return json(res, 422, { error: "/dead: codec \"acme\" is not known", kind: "unknown_codec", codec: "acme" });
    if (path === "/broken" && seen.broken && level === info.levels[0] && x0 === 512 && y0 === 512 && x1 - x0 > 1) return json(res, 502, { error: "/broken: chunk c/1/1: zstd: checksum differs", kind: "damaged", chunk: "1,1", codec: "zstd" });
    const at = info.axes.map(() => 0);
    for (const p of (q.get("at") ?? "").split(",").filter(Boolean)) at[Number(p.split(":")[0])] = Number(p.split(":")[1]);
    const cs = (q.get("channels") ?? "0").split(",").map(Number);
    const s = level.scale[info.x];
    const [w, h] = [Math.min(x1, level.shape[info.x]) - x0, Math.min(y1, level.shape[info.y]) - y0];
    const type = q.has("labels") ? "uint32" : info.data_type;
    const out = new kinds[type](cs.length * w * h);
    let i = 0;
    for (const c of cs) for (let y = y0; y < y0 + h; y++) for (let x = x0; x < x0 + w; x++) out[i++] = n.value(c, at, x * s, y * s);
    res.writeHead(200, { "x-shape": [cs.length, h, w].join(), "x-data-type": type, "content-type": "application/octet-stream" });
    res.end(Buffer.from(out.buffer));
  };
  const stats = (res, n, q) => {
    seen.stats++;
    const { info } = n;
    const l = info.levels[info.levels.length - 1];
    const v = [];
    for (let y = 0; y < l.shape[info.y]; y++) for (let x = 0; x < l.shape[info.x]; x++) v.push(n.value(Number(q.get("channel")), info.axes.map(() => 0), x * l.scale[info.x], y * l.scale[info.y]));
    const fin = v.filter((a) => a === a).sort((a, b) => a - b);
    const [lo, hi] = [fin[0] ?? null, fin[fin.length - 1] ?? null];
    const counts = new Array(256).fill(0);
    for (const a of fin) counts[hi > lo ? Math.min(255, Math.floor(((a - lo) / (hi - lo)) * 256)) : 0]++;
    const percentiles = {};
    for (const p of ["0.1", "1", "5", "25", "50", "75", "95", "99", "99.9"]) percentiles[p] = fin[Math.round((p / 100) * (fin.length - 1))] ?? "NaN";
    json(res, 200, { level: info.levels.length - 1, exact: true, count: v.length, missing: v.length - fin.length, min: lo, max: hi, percentiles, histogram: { from: lo ?? 0, to: hi ?? 0, counts } });
  };
  const server = createServer((req, res) => {
    const url = new URL(req.url, "http://made");
    const q = url.searchParams;
    const path = q.get("path") ?? "/";
    const n = all[path];
    if (!url.pathname.startsWith("/api/")) {
      const file = url.pathname.startsWith("/assets/") ? url.pathname.slice(1) : "index.html";
      try {
        const body = readFileSync(dist + file);
        res.writeHead(200, { "content-type": types[file.slice(file.lastIndexOf("."))] ?? "application/octet-stream", "content-security-policy": policy });
        return res.end(body);
      } catch {
        return json(res, 404, { error: "no such file", kind: "not_found" });
      }
    }
    const name = url.pathname.slice(5);
    if (name === "sources") return json(res, 200, [{ name: "made", url: "file:///made", zarr: "/zarr/made", zarr2: "/zarr2/made", files: "/files/made" }]);
    if (name === "children") return json(res, 200, { total: 0, next: null, children: [] });
    if (!n) return path === "/" && name === "node" ? json(res, 200, { source: "made", path, name: "made", node_type: "group", format: "zarr3", title: "Zarr v3", kind: "group", views: ["group"], fact: "", attributes: {}, links: [], about: [], problems: [], children: 0 }) : json(res, 404, { error: "no node at " + path, kind: "not_found" });
    if (name === "node") return json(res, 200, { source: "made", path, name: path.slice(1), node_type: "array", format: "zarr3", title: "Zarr v3", kind: "image", views: ["image"], fact: "", attributes: {}, links: [], about: [], problems: [], image: n.info });
    if (name === "stats") return stats(res, n, q);
    if (name !== "tile") return json(res, 404, { error: "not made up", kind: "not_found" });
    let over = false;
    seen.pending++; // asked for, since this was last set to nought
    res.on("close", () => {
      if (!res.writableEnded) {
        over = true;
        seen.aborted++;
      }
    });
    setTimeout(() => over || tile(res, path, n, q), seen.delay);
  });
  return new Promise((done) => server.listen(0, "127.0.0.1", () => done({ base: `http://127.0.0.1:${server.address().port}`, seen, all, close: () => new Promise((end) => { server.closeAllConnections(); server.close(end); }) })));
}
