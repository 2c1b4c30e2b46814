// The page, the server and the files of the demo together, in a real browser: what is on the screen is compared with
// what is stored. Builds the command and starts it; node browser/served.mjs, after npm run build.
// ONLY is a pattern of names of tests, OMNIZARR a command that is built already, OMNIZARR_PYTHON a Python with zarr.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { again } from "./again.mjs";
import { decode } from "./png.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const work = mkdtempSync(join(tmpdir(), "omnizarr-served-"));
const command = process.env.OMNIZARR ?? join(work, "omnizarr");
if (!process.env.OMNIZARR) execFileSync("go", ["build", "-o", command, "./cmd/omnizarr"], { cwd: fileURLToPath(new URL("../..", import.meta.url)), stdio: "inherit" });

/** Starts the command and waits until it says where it serves. */
const started = new Set();
function start(...args) {
  const p = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise((done) => p.once("exit", done));
  started.add(p);
  return new Promise((done, fail) => {
    let said = "";
    const hear = (b) => {
      said += b;
      const at = /http:\/\/127\.0\.0\.1:\d+/.exec(said);
      if (at) done({ base: at[0], stop: () => (p.kill("SIGINT"), ended) });
    };
    p.stdout.on("data", hear);
    p.stderr.on("data", hear);
    p.once("exit", () => fail(new Error(`${args.join(" ")} ended:\n${said}`)));
  });
}
process.on("exit", () => {
  for (const p of started) p.kill("SIGKILL");
  rmSync(work, { recursive: true, force: true });
});

const demo = join(work, "demo");
const { base } = await start("demo", "--dir", demo, "--addr", "127.0.0.1:0", "--no-open");
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
});

let failed = 0, ran = 0;
async function test(name, how, o = {}) {
  if (process.env.ONLY && !new RegExp(process.env.ONLY).test(name)) return;
  ran++;
  const began = Date.now();
  const wrong = await again(name, () => attempt(name, how, o));
  if (wrong) failed++;
  console.log(`${wrong ? "FAIL" : "ok  "} ${String(Date.now() - began).padStart(5)} ms ${name}${wrong && "\n     " + wrong}`);
}

async function attempt(name, how, o) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 }, colorScheme: "dark", reducedMotion: "reduce", permissions: ["clipboard-read", "clipboard-write"], ...o });
  const page = await context.newPage();
  page.setDefaultTimeout(30000);
  const wrong = [];
  page.on("pageerror", (e) => wrong.push("error on the page: " + e.message));
  // Also what the policy of the page forbids is an error on the console.
  page.on("console", (m) => m.type() === "error" && !/Failed to load resource|net::ERR/.test(m.text()) && wrong.push(m.text()));
  page.on("request", (r) => /^(http:\/\/127\.0\.0\.1:\d+\/|data:|blob:)/.test(r.url()) || wrong.push("asks elsewhere: " + r.url()));
  let said = "";
  try {
    await how(page);
    assert.equal(await page.getByText(/could not be drawn|This view failed/).count(), 0, "a part of the page failed");
    assert.deepEqual(wrong, []);
  } catch (e) {
    said = String(e.message ?? e).split("\n").slice(0, 12).join("\n     ") + `\n     at ${page.url()}`;
  }
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name.replace(/\W+/g, "-")}.png` }).catch(() => {});
  await context.close();
  return said;
}

const ask = async (what, params) => {
  const r = await fetch(`${base}/api/${what}?${new URLSearchParams(params)}`);
  assert.equal(r.status, 200, `${what} ${JSON.stringify(params)}: ${r.status}`);
  return r.json();
};
/** Values as they are stored. */
const slice = async (source, path, slice) => {
  const got = await ask("slice", { source, path, slice, as: "json" });
  return (Array.isArray(got) ? got : (got.values ?? got.data ?? [got])).flat(9).map(Number);
};
const bottom = (page) => page.locator("footer").innerText();
const query = (page) => Object.fromEntries(new URL(page.url()).searchParams);
const until = (page, want) => page.waitForURL((u) => want(Object.fromEntries(u.searchParams), decodeURIComponent(u.pathname)));
/** Waits until the bottom line is as wanted. */
const told = (page, pattern) => page.waitForFunction(([s, f]) => new RegExp(s, f).test(document.querySelector("footer")?.innerText ?? ""), [pattern.source, pattern.flags]);
/** Everything that was asked for has come and is drawn. */
async function settled(page) {
  for (let i = 0; i < 2; i++) {
    await page.evaluate(() => new Promise((f) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(f)), 60)));
    await page.waitForSelector(".image[aria-busy=false]");
  }
}
async function picture(page, address) {
  await page.goto(base + address);
  await page.waitForSelector(".image-stage");
  await settled(page);
  return page.locator(".image-stage").boundingBox();
}
/** The picture alone, without what lies over it. */
async function pixels(page) {
  const hide = (v) => page.evaluate((v) => {
    for (const e of document.querySelectorAll(".over, .image-foot, .image-north, .image-notices")) e.style.visibility = v;
  }, v);
  await hide("hidden");
  const shot = decode(await page.screenshot({ clip: await page.locator(".image-stage").boundingBox() }));
  await hide("");
  return shot;
}
/** How many colours a grid of points of the picture has. */
function colours(p) {
  const seen = new Set();
  for (let y = 3; y < p.height; y += 11) for (let x = 3; x < p.width; x += 11) seen.add(p.at(x, y).join());
  return seen.size;
}
const differing = (a, b) => {
  let n = 0, all = 0;
  for (let y = 3; y < a.height; y += 11) for (let x = 3; x < a.width; x += 11) {
    all++;
    if (a.at(x, y).some((v, k) => Math.abs(v - b.at(x, y)[k]) > 6)) n++;
  }
  return n / all;
};
/** A view whose pixel corners fall on corners of the screen. */
const aligned = (box, x0, y0, zoom) => `x=${x0 + box.width / 2 / zoom}&y=${y0 + box.height / 2 / zoom}&zoom=${zoom}`;
const drawn = (page) => page.waitForFunction(() => {
  const c = document.querySelectorAll(".frame-plot canvas")[1];
  return c && c.width && c.getContext("2d").getImageData(0, 0, c.width, c.height).data.some((v, i) => i % 4 === 3 && v);
});
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true };
const lfp = "/view/session.nwb.zarr/acquisition/lfp";

for (const [what, at, far] of [["a TIFF", "/view/tissue.ome.tif", "x=1280&y=960&zoom=0.12"], ["an N5", "/view/brain.n5/em", "x=160&y=128&zoom=0.2"], ["a sharded Zarr v3", "/view/cells.zarr", "x=384&y=256&zoom=0.2"], ["a Zarr v2", "/view/planet.zarr/temperature", "x=180&y=90&zoom=0.4"]]) {
  await test(`${what} opens; zooming changes the level, dragging moves it`, async (page) => {
    const levels = new Set();
    page.on("response", (r) => r.url().includes("/api/tile") && r.status() === 200 && levels.add(new URL(r.url()).searchParams.get("level")));
    const box = await picture(page, `${at}?${far}`);
    const first = await pixels(page);
    assert.ok(colours(first) > 20, `${colours(first)} colours`);
    const coarse = [...levels];
    assert.ok(!coarse.includes("0"), "far away no fine tile is asked for: " + coarse);
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    for (let i = 0; i < 8; i++) await page.mouse.wheel(0, -200);
    await until(page, (q) => Number(q.zoom) > 1);
    await settled(page);
    assert.ok(levels.has("0"), "near, level 0 is asked for: " + [...levels]);
    const near = await pixels(page);
    assert.ok(colours(near) > 20 && differing(first, near) > 0.2, "another picture");
    const x = Number(query(page).x);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2 - 120, box.y + box.height / 2, { steps: 5 });
    await page.mouse.up();
    await until(page, (q) => Number(q.x) > x);
    await settled(page);
    assert.ok(differing(near, await pixels(page)) > 0.1, "it moved");
  });
}

/** What cells must look like at a point: channels as [index, low, high, colour], all as they are stored. */
async function cellsAre(page, zoom, x0, y0, at, channels) {
  const p = await pixels(page);
  for (const [x, y] of [[3, 3], [40, 20], [70, 60], [95, 33]]) {
    const want = [0, 0, 0];
    for (const [c, low, high, colour] of channels) {
      const [v] = await slice("cells.zarr", "/0", `${at[0]},${c},${at[1]},${y0 + y},${x0 + x}`);
      const t = Math.min(1, Math.max(0, (v - low) / (high - low)));
      colour.forEach((k, i) => (want[i] += t * k));
    }
    const got = p.at(zoom * x + 1, zoom * y + 1);
    assert.ok(got.every((v, k) => Math.abs(v - Math.min(255, want[k])) <= 2.5), `at ${x0 + x},${y0 + y}: ${got} is not ${want.map(Math.round)}`);
  }
}
const dapi = [0x4a, 0xa8, 0xff], gfp = [0x54, 0xe3, 0x9b], cherry = [0xff, 0x6d, 0x8a];

await test("pixels are the stored values by window and colour; contrast, channels, z and t change them", async (page) => {
  let box = await picture(page, "/view/cells.zarr");
  const [x0, y0] = [300, 200];
  box = await picture(page, `/view/cells.zarr?${aligned(box, x0, y0, 4)}`);
  await cellsAre(page, 4, x0, y0, [0, 2], [[0, 110, 2600, dapi], [1, 110, 1800, gfp], [2, 110, 1700, cherry]]);
  await page.getByRole("switch", { name: "Show GFP" }).click();
  await page.getByRole("switch", { name: "Show mCherry" }).click();
  await until(page, (q) => /!1/.test(q.ch) && /!2/.test(q.ch));
  await settled(page);
  await cellsAre(page, 4, x0, y0, [0, 2], [[0, 110, 2600, dapi]]);
  await page.getByRole("textbox", { name: "Brightest value of DAPI" }).fill("900");
  await page.keyboard.press("Enter");
  await until(page, (q) => /0:110:900/.test(q.ch));
  await settled(page);
  await cellsAre(page, 4, x0, y0, [0, 2], [[0, 110, 900, dapi]]);
  const handle = page.getByRole("slider", { name: "Darkest value of DAPI" });
  await handle.focus();
  await page.keyboard.press("PageUp");
  const low = Number(await handle.getAttribute("aria-valuenow"));
  assert.ok(low > 110);
  await settled(page);
  await cellsAre(page, 4, x0, y0, [0, 2], [[0, low, 900, dapi]]);
  await page.locator(".image-stage").focus();
  await page.keyboard.press(".");
  await until(page, (q) => q.z === "3");
  const t = page.getByRole("slider", { name: "t", exact: true });
  await t.focus();
  await page.keyboard.press("ArrowRight");
  assert.equal(await t.getAttribute("aria-valuetext"), "2 of 3, 10 min");
  await until(page, (q) => q.t === "1");
  await settled(page);
  await cellsAre(page, 4, x0, y0, [1, 3], [[0, low, 900, dapi]]);
});

await test("labels lie over their cells and nowhere else", async (page) => {
  const box = await picture(page, "/view/cells.zarr");
  await picture(page, `/view/cells.zarr?${aligned(box, 0, 0, 1)}`);
  const before = await pixels(page);
  await page.getByRole("button", { name: "Labels" }).click();
  await until(page, (q) => q.labels === "nuclei");
  await settled(page);
  const after = await pixels(page);
  const names = await slice("cells.zarr", "/labels/nuclei/0", "0,2,:500,:700");
  let inside = 0, changed = 0;
  for (let y = 2; y < Math.min(500, after.height); y += 6) for (let x = 2; x < Math.min(700, after.width); x += 6) {
    const same = before.at(x, y).every((v, k) => Math.abs(v - after.at(x, y)[k]) <= 2);
    if (!names[y * 700 + x]) assert.ok(same, `no label at ${x},${y}`);
    else {
      inside++;
      if (!same) changed++;
    }
  }
  assert.ok(inside > 100 && changed > 0.9 * inside, `${changed} of ${inside} points of labels`);
});

await test("colour maps", async (page) => {
  await picture(page, "/view/planet.zarr/temperature");
  const before = await pixels(page);
  await page.locator(".image-map[title=gray], .image-map[title=grey]").first().click();
  await until(page, (q) => /^gr[ae]y/.test(q.map));
  await settled(page);
  const after = await pixels(page);
  assert.ok(differing(before, after) > 0.2);
  for (let y = 100; y < after.height; y += 50) for (let x = 100; x < after.width - 100; x += 50) {
    const [r, g, b] = after.at(x, y);
    assert.ok(Math.max(r, g, b) - Math.min(r, g, b) < 24, `grey at ${x},${y}: ${r},${g},${b}`);
  }
});

await test("the value under the cursor is the stored one", async (page) => {
  const box = await picture(page, "/view/cells.zarr");
  for (const [fx, fy] of [[0.4, 0.4], [0.55, 0.6]]) {
    await page.mouse.move(box.x + box.width * fx, box.y + box.height * fy);
    await told(page, /\[0, :, 2, \d+, \d+\](?!.*≈)[^≈]*DAPI[^≈]*mCherry/s);
    const words = (await bottom(page)).replaceAll("\u202f", "").replace(/\s+/g, " ");
    const [, row, col, ...values] = /\[0, :, 2, (\d+), (\d+)\] DAPI (\S+) GFP (\S+) mCherry (\S+)/.exec(words) ?? assert.fail(words);
    assert.deepEqual(values.map(Number), await slice("cells.zarr", "/0", `0,:,2,${row},${col}`));
    assert.match(words, new RegExp(`${Number((col * 0.325).toFixed(3))} ?µm`));
  }
});

await test("maps: coordinates, dates and north", async (page) => {
  const box = await picture(page, "/view/planet.zarr/temperature");
  await page.getByRole("img", { name: "North is up" }).waitFor();
  await page.mouse.move(box.x + box.width * 0.4, box.y + box.height * 0.4);
  await told(page, /° [NS].*° [EW].*\[0, \d+, \d+\]/s);
  const words = await bottom(page);
  const [, lat, ns, lon, ew, row, col] = /([\d.]+)° ([NS])\s+([\d.]+)° ([EW])[^[]*\[0, (\d+), (\d+)\]/.exec(words) ?? assert.fail(words);
  assert.equal((ns === "S" ? -1 : 1) * lat, 90 - (Number(row) + 0.5));
  assert.equal((ew === "W" ? -1 : 1) * lon, -180 + (Number(col) + 0.5));
  assert.equal(await page.getByRole("slider", { name: "time" }).getAttribute("aria-valuetext"), "1 of 24, 2025-01-15");
});

await test("the scale bar is as long as it says", async (page) => {
  for (const [at, size, unit] of [["/view/cells.zarr?x=384&y=256&zoom=2", 0.325, "µm"], ["/view/brain.n5/em?x=160&y=128&zoom=2", 8, "nm"]]) {
    await picture(page, at);
    const bar = page.locator(".image-scale");
    const words = (await bar.innerText()).replaceAll("\u202f", "");
    const m = /([\d.]+)\s*(nm|µm)/.exec(words) ?? assert.fail(words);
    const length = Number(m[1]) * (m[2] === unit ? 1 : 1000);
    assert.match(m[1], /^[125]0*$/);
    const width = await bar.locator("div").evaluate((e) => e.getBoundingClientRect().width);
    assert.ok(Math.abs(width - (length / size) * 2) < 3, `${width} pixels are ${words}`);
  }
});

await test("sizes of pixels go across, down and deep, whatever the order of axes; the names of both axes are read whole", async (page) => {
  await page.goto(base + "/view/brain.n5/em");
  await page.getByText("8 × 8 × 16 nm").waitFor();
  await page.goto(base + "/view/cells.zarr");
  await page.getByText("0.325 × 0.325 × 1 µm").waitFor();
  await page.goto(base + "/view/planet.zarr/height?view=array");
  await page.locator(".array-corner").waitFor();
  assert.ok(await page.locator(".array-corner").evaluate((e) => [e, e.parentElement].every((b) => b.scrollWidth <= b.clientWidth + 1)), "the corner is cut");
});

await test("the grid of chunks is drawn, and chunks are told", async (page) => {
  await picture(page, "/view/cells.zarr?x=384&y=256&zoom=1");
  const painted = () => page.evaluate(() => {
    const c = document.querySelectorAll(".image-stage canvas")[1];
    return c.getContext("2d").getImageData(0, 0, c.width, c.height).data.reduce((n, v, i) => n + (i % 4 === 3 && v ? 1 : 0), 0);
  });
  const before = await painted();
  await page.locator("body").press("g");
  await until(page, (q) => "grid" in q);
  await settled(page);
  assert.ok((await painted()) > before + 1000);
  await page.getByRole("tab", { name: "Chunks" }).click();
  await page.getByRole("tabpanel").getByText("1 × 1 × 1 × 128 × 128").waitFor();
  const heat = page.locator("canvas.heat");
  await heat.focus();
  await page.keyboard.press("ArrowRight");
  const one = await ask("chunks", { source: "cells.zarr", path: "/0", chunk: "0,0,2,0,1" });
  await page.getByRole("heading", { name: "Chunk 0, 0, 2, 0, 1" }).waitFor();
  await page.getByText(one.key, { exact: true }).first().waitFor();
});

await test("series: from envelopes to samples, and the value of a sample is the stored one", async (page) => {
  const modes = [];
  page.on("response", (r) => r.url().includes("/api/series") && r.headers()["x-series"] && modes.push(JSON.parse(r.headers()["x-series"]).mode));
  await page.goto(base + lfp);
  await drawn(page);
  assert.equal(modes[0], "envelope");
  const box = await page.locator(".frame-plot").boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  for (let i = 0; i < 60 && !modes.includes("samples"); i++) {
    await page.mouse.wheel(0, -400);
    await page.evaluate(() => new Promise((f) => requestAnimationFrame(f)));
  }
  await until(page, (q) => q.to - q.from < 2);
  await page.goto(base + lfp + "?from=20&to=20.1&ch=3:4");
  await drawn(page);
  assert.ok(modes.includes("samples"));
  await page.mouse.move(box.x + 500, box.y + 300);
  await told(page, /channel\s+3\s.*V/s);
  const words = (await bottom(page)).replace(/\s+/g, " ");
  const near = 25000 + Math.round(((500 - 76) / (box.width - 76)) * 125);
  const stored = await slice("session.nwb.zarr", "/acquisition/lfp/data", `${near - 8}:${near + 9},3`);
  const { attributes } = await ask("node", { source: "session.nwb.zarr", path: "/acquisition/lfp/data" });
  const m = /channel 3 ([−\d.e-]+) ?([mµn]?)V/.exec(words) ?? /channel 3 ([−\d.e-]+) ?([mµn]?) ?volts/.exec(words) ?? assert.fail(words);
  const shown = Number(m[1].replace("−", "-")) * { "": 1, m: 1e-3, "µ": 1e-6, n: 1e-9 }[m[2]];
  const volts = stored.map((v) => v * attributes.conversion);
  assert.ok(volts.some((v) => Math.abs(v - shown) <= Math.abs(v) * 1e-4 + 1e-12), `${shown} is none of ${volts}`);
});

await test("a raster of spikes; a click opens the unit in the table", async (page) => {
  await page.goto(base + "/view/session.nwb.zarr/units?from=0&to=20");
  await drawn(page);
  const box = await page.locator(".frame-plot").boundingBox();
  await page.mouse.move(box.x + 500, box.y + 300);
  await told(page, /unit\s+\d+/);
  const unit = /unit\s+(\d+)/.exec(await bottom(page))[1];
  await page.mouse.click(box.x + 500, box.y + 300);
  await until(page, (q) => q.view === "table" && q.row !== undefined);
  await page.waitForSelector(".grid-row.on");
  assert.equal(await page.textContent(".grid-row.on .grid-name"), unit);
});

await test("a table is filtered, sorted, and saved as it is shown", async (page) => {
  await page.goto(base + "/view/session.nwb.zarr/intervals/trials");
  await page.waitForSelector(".grid-cell.number");
  const all = await ask("rows", { source: "session.nwb.zarr", path: "/intervals/trials" });
  const starts = all.rows.map((r) => r[all.columns.indexOf("start_time")]);
  const late = starts.filter((s) => s > 50).length;
  await page.getByRole("textbox", { name: "Filter rows" }).fill("start_time > 50");
  await page.keyboard.press("Enter");
  await page.getByText(`${late} of 22 rows`).waitFor();
  const header = page.locator(".grid-column", { hasText: "start_time" }).getByRole("button");
  await header.click();
  await until(page, (q) => q.sort === "start_time");
  await header.click();
  await until(page, (q) => q.sort === "-start_time");
  await page.waitForFunction(() => document.querySelector(".grid-name")?.textContent === "21");
  const [file] = await Promise.all([page.waitForEvent("download"), page.locator("a[download]").click()]);
  const lines = readFileSync(await file.path(), "utf8").trim().split(/\r?\n/);
  assert.equal(lines.length, late + 1);
  const k = lines[0].split(",").indexOf("start_time");
  assert.deepEqual(lines.slice(1).map((l) => Number(l.split(",")[k])), starts.filter((s) => s > 50).sort((a, b) => b - a));
});

await test("links are followed: in the tree, in a table, in attributes", async (page) => {
  await page.goto(base + "/view/session.nwb.zarr/analysis/analysed_lfp");
  await page.getByRole("treeitem", { name: /^analysed_lfp/ }).locator(".jump").click();
  await until(page, (_, path) => path === lfp);
  await drawn(page);
  await page.goto(base + "/view/session.nwb.zarr/intervals/trials");
  await page.locator(".ragged").first().click();
  await page.locator(".popover a").first().click();
  await until(page, (_, path) => path === lfp);
  await page.goto(base + lfp + "/electrodes");
  await page.getByRole("tab", { name: "Attributes" }).click();
  await page.getByRole("tabpanel").getByRole("link", { name: /electrodes/ }).first().click();
  await until(page, (_, path) => path === "/view/session.nwb.zarr/general/extracellular_ephys/electrodes");
});

await test("the address is the view: reload, back, forward, copied link", async (page) => {
  await picture(page, "/view/cells.zarr?x=300&y=200&zoom=3&z=1&t=2&ch=0:110:900,!1");
  const before = await pixels(page);
  const asked = query(page);
  await page.reload();
  await page.waitForSelector(".image-stage");
  await settled(page);
  assert.deepEqual(query(page), asked);
  assert.ok(differing(before, await pixels(page)) < 0.01);
  await page.getByRole("button", { name: "Copy link" }).click();
  await page.getByText("Link copied").waitFor();
  const link = new URL(await page.evaluate(() => navigator.clipboard.readText()));
  assert.equal(link.origin + link.pathname, base + "/view/cells.zarr");
  assert.deepEqual(Object.fromEntries(link.searchParams), asked);
  await page.getByRole("treeitem", { name: /^session\.nwb\.zarr/ }).click();
  await until(page, (_, path) => path === "/view/session.nwb.zarr");
  await page.goBack();
  await until(page, (q) => q.z === "1");
  await page.waitForSelector(".image-stage");
  await settled(page);
  assert.ok(differing(before, await pixels(page)) < 0.01);
  await page.goForward();
  await until(page, (_, path) => path === "/view/session.nwb.zarr");
});

await test("the search finds nodes, coordinates and dates", async (page) => {
  const search = async (words, option) => {
    await page.locator("body").press("/");
    await page.keyboard.type(words);
    await page.getByRole("option", { name: option }).first().waitFor();
    await page.keyboard.press("Enter");
  };
  await picture(page, "/view/cells.zarr?x=384&y=256&zoom=4");
  await search("130, 65 µm", /^Go to/);
  await until(page, (q) => Math.abs(q.x - 400) < 1 && Math.abs(q.y - 200) < 1);
  await picture(page, "/view/planet.zarr/temperature");
  await search("2025-06-16", /^Go to/);
  await until(page, (q) => q.time === "5");
  await search("analysed_lfp", /analysed_lfp/);
  await until(page, (_, path) => path === "/view/session.nwb.zarr/analysis/analysed_lfp");
});

await test("the lines of View in read what is on screen" + (process.env.OMNIZARR_PYTHON ? "" : " (Python itself is left out: OMNIZARR_PYTHON)"), async (page) => {
  for (const at of ["/view/cells.zarr?x=300&y=200&zoom=6&z=1&ch=!1,!2", "/view/tissue.ome.tif?x=1000&y=900&zoom=2", "/view/brain.n5/em?x=160&y=128&zoom=2", lfp + "?from=20&to=20.1"]) {
    await page.goto(base + at);
    if (at.startsWith(lfp)) await drawn(page);
    else {
      await page.waitForSelector(".image-stage");
      await settled(page);
    }
    await page.getByRole("group", { name: "Language" }).getByRole("button", { name: "Python" }).click();
    await page.getByRole("button", { name: "Copy the Python" }).click();
    await page.getByText("Python copied").first().waitFor();
    const code = await page.evaluate(() => navigator.clipboard.readText());
    const m = /open_array\("([^"]+)", mode="r"\)\na\[(.*)\]$/.exec(code) ?? assert.fail(code);
    if (!process.env.OMNIZARR_PYTHON) continue;
    const lines = code.split("\n"), last = lines.pop();
    const got = execFileSync(process.env.OMNIZARR_PYTHON, ["-c", `${lines.join("\n")}\nv = ${last}\nimport json\nprint(json.dumps(v.ravel()[:50].astype(float).tolist()))`], { encoding: "utf8" });
    const [, source, path] = /\/zarr\/([^/]+)(\/.*)/.exec(new URL(m[1]).pathname);
    const want = await slice(source, path, m[2].replaceAll(" ", ""));
    assert.deepEqual(JSON.parse(got), want.slice(0, 50), code);
  }
});

await test("by keys alone to a picture, and about in it", async (page) => {
  await page.goto(base + "/");
  await page.locator(".card", { hasText: "cells.zarr" }).waitFor();
  for (let i = 0; i < 40; i++) {
    await page.keyboard.press("Tab");
    if (await page.evaluate(() => !!document.activeElement.closest(".card")?.textContent.includes("cells.zarr"))) break;
  }
  await page.keyboard.press("Enter");
  await until(page, (_, path) => path === "/view/cells.zarr");
  await page.waitForSelector(".image-stage");
  await settled(page);
  for (let i = 0; i < 60; i++) {
    if (await page.evaluate(() => document.activeElement.classList.contains("image-stage"))) break;
    await page.keyboard.press("Tab");
  }
  const before = await pixels(page);
  await page.keyboard.press("+");
  await page.keyboard.press("+");
  await page.keyboard.press("ArrowRight");
  await until(page, (q) => q.zoom > 1);
  await settled(page);
  assert.ok(differing(before, await pixels(page)) > 0.1);
});

await test("themes change the page and stay", async (page) => {
  await page.goto(base + "/view/session.nwb.zarr");
  const shade = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).slice(0, 3).reduce((a, b) => a + Number(b), 0));
  await page.getByRole("button", { name: "Light theme" }).click();
  assert.ok((await shade()) > 500);
  await page.reload();
  await page.getByRole("button", { name: "Dark theme" }).click();
  assert.ok((await shade()) < 200);
});

await test("on a phone the picture is everything, and panels are sheets", async (page) => {
  const box = await picture(page, "/view/cells.zarr");
  assert.ok(box.width >= 380);
  assert.ok(colours(await pixels(page)) > 20);
  await page.getByRole("button", { name: "Details" }).click();
  await page.getByRole("dialog", { name: "Details" }).getByRole("switch", { name: "Show GFP" }).click();
  await until(page, (q) => /!1/.test(q.ch));
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Tree", exact: true }).click();
  await page.getByRole("treeitem", { name: /^planet\.zarr/ }).click();
  await until(page, (_, path) => path === "/view/planet.zarr");
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
}, phone);

/** What the page got, as "status address". */
function answers(page) {
  const all = [];
  page.on("response", (r) => all.push(`${r.status()} ${r.url()}`));
  return all;
}

await test("behind a proxy that cuts off a prefix everything is below it", async (page) => {
  const all = answers(page);
  const proxy = createServer((req, res) => {
    if (!req.url.startsWith("/some/data/")) return res.writeHead(404).end();
    req.pipe(request(base + req.url.slice("/some/data".length), { method: req.method, headers: { ...req.headers, host: new URL(base).host } }, (got) => {
      res.writeHead(got.statusCode, got.headers);
      got.pipe(res);
    }));
  });
  await new Promise((done) => proxy.listen(0, "127.0.0.1", done));
  const there = `http://127.0.0.1:${proxy.address().port}/some/data`;
  try {
    await page.goto(there + "/");
    await page.locator(".card", { hasText: "cells.zarr" }).click();
    await settled(page);
    assert.equal(page.url(), there + "/view/cells.zarr");
    await page.reload();
    await settled(page);
    assert.match(await page.locator(".code pre").textContent(), new RegExp(there + "/zarr/cells.zarr"));
    await page.locator(".row", { hasText: "session.nwb.zarr" }).click();
    await page.locator(".card").first().waitFor();
    await page.goto(there + "/view/session.nwb.zarr/acquisition/lfp?from=18&to=26");
    await page.locator(".frame-plot").waitFor();
    await page.locator(".logo").click();
    await page.getByRole("heading", { name: "Sources", level: 1 }).waitFor();
    assert.equal(page.url(), there + "/");
    assert.deepEqual(all.filter((a) => !a.includes(there + "/") || !/^(2|304)/.test(a)), []);
  } finally {
    proxy.closeAllConnections();
    proxy.close();
  }
});

await test("the node is asked for once, and the picture before anything is drawn; no picture is asked for in vain", async (page) => {
  const all = answers(page);
  const asked = [];
  page.on("request", (r) => asked.push(r.url()));
  for (const at of ["/view/cells.zarr", "/view/tissue.ome.tif", "/view/planet.zarr/temperature", lfp]) {
    asked.length = 0;
    await page.goto(base + at);
    await page.waitForResponse(/api\/(tile|series)/);
    const node = asked.filter((u) => u.includes("/api/node") && new URL(u).searchParams.get("path") === (new URL(base + at).pathname.split("/").slice(3).join("/") || "").replace(/^/, "/"));
    assert.equal(node.length, 1, `${at}: ${node.join(" ")}`);
    assert.ok(asked.indexOf(node[0]) < asked.findIndex((u) => u.includes("/api/children")), `${at}: not before the page has run: ${asked}`);
  }
  for (const at of ["/", "/view/session.nwb.zarr", "/view/session.nwb.zarr/general", "/view/session.nwb.zarr/general/extracellular_ephys", "/view/planet.zarr", "/view/brain.n5", "/view/cells.zarr?view=group"]) {
    await page.goto(base + at);
    await page.locator(".card").first().waitFor();
    await page.waitForLoadState("networkidle");
  }
  assert.deepEqual(all.filter((a) => /^[45]/.test(a)), []);
});

await test("the policy of the page is strict", async (page) => {
  const answer = await page.goto(base + "/view/cells.zarr");
  const policy = answer.headers()["content-security-policy"];
  for (const part of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "base-uri 'none'", "frame-ancestors 'none'"]) assert.ok(policy.includes(part), part);
  assert.doesNotMatch(policy, /unsafe|\*/);
});

await test("a broken chunk is told on its tile and in the bottom line, and comes when it is mended", async (page) => {
  const copy = join(work, "broken.zarr"), chunk = join(copy, "height/0.0");
  cpSync(join(demo, "planet.zarr"), copy, { recursive: true });
  const whole = readFileSync(chunk);
  writeFileSync(chunk, Buffer.alloc(500, 1));
  const server = await start("serve", "--addr", "127.0.0.1:0", copy);
  await page.goto(server.base + "/view/broken.zarr/height?x=180&y=90&zoom=3");
  await page.getByText(/could not be read|Damaged/).first().waitFor();
  await told(page, /0[.,/ ]+0/);
  assert.match(await page.locator("main").innerText(), /zstd|decode|damaged/i);
  writeFileSync(chunk, whole);
  await page.getByRole("button", { name: "Try again" }).first().click();
  await page.getByText(/could not be read|Damaged/).first().waitFor({ state: "detached" });
  await settled(page);
  assert.ok(colours(await pixels(page)) > 20);
  assert.equal(await page.locator("footer .failed").count(), 0);
  await server.stop();
});

await test("a stopped server is told, and its return seen", async (page) => {
  const source = join(demo, "cells.zarr");
  let server = await start("serve", "--addr", "127.0.0.1:0", source);
  await page.goto(server.base + "/view/cells.zarr");
  await page.waitForSelector(".image-stage");
  await settled(page);
  await server.stop();
  await page.getByRole("slider", { name: "z", exact: true }).press("ArrowRight");
  await page.getByText("The server does not answer").first().waitFor();
  server = await start("serve", "--addr", new URL(server.base).host, source);
  await page.getByText("The server does not answer").first().waitFor({ state: "detached" });
  await settled(page);
  assert.ok(colours(await pixels(page)) > 20);
  assert.equal(await page.getByText(/could not be read/).count(), 0);
  await server.stop();
});

await test("an unfinished copy and a codec that nobody knows have words of their own", async (page) => {
  const odd = join(work, "odd");
  mkdirSync(join(odd, "unfinished.zarr/a"), { recursive: true });
  writeFileSync(join(odd, "unfinished.zarr/.omnizarr-unfinished"), "{}");
  mkdirSync(join(odd, "strange.zarr"));
  writeFileSync(join(odd, "strange.zarr/zarr.json"), JSON.stringify({
    zarr_format: 3, node_type: "array", shape: [64, 64], data_type: "uint8", fill_value: 0, attributes: {}, dimension_names: ["y", "x"],
    chunk_grid: { name: "regular", configuration: { chunk_shape: [64, 64] } }, chunk_key_encoding: { name: "default", configuration: { separator: "/" } },
    codecs: [{ name: "bytes" }, { name: "acme.squeeze", configuration: {} }],
  }));
  const server = await start("serve", "--addr", "127.0.0.1:0", odd);
  await page.goto(server.base + "/view/odd/unfinished.zarr");
  await page.getByRole("heading", { name: "This copy is not finished" }).waitFor();
  await page.goto(server.base + "/view/odd/strange.zarr");
  await page.getByText("acme.squeeze").first().waitFor();
  await page.getByText("Stored in a way we cannot read").first().waitFor();
  await page.goto(server.base + "/view/odd/absent");
  await page.getByRole("heading", { name: "There is nothing here" }).waitFor();
  await server.stop();
});

for (const colorScheme of ["dark", "light"]) {
  await test(`axe finds nothing serious, ${colorScheme}`, async (page) => {
    const bad = [];
    for (const at of ["/", "/view/session.nwb.zarr", "/view/cells.zarr?labels=nuclei", "/view/planet.zarr/temperature", lfp, "/view/session.nwb.zarr/units", "/view/session.nwb.zarr/intervals/trials", "/view/planet.zarr/height?view=array", "/view/cells.zarr/absent"]) {
      await page.goto(base + at);
      await page.locator("main.centre").waitFor();
      await page.waitForLoadState("networkidle");
      await page.evaluate(axe);
      const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
      for (const v of found.violations) if (["serious", "critical"].includes(v.impact)) bad.push(`${at} ${v.id}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 120)).join(" | ")}`);
    }
    assert.deepEqual(bad, []);
  }, { colorScheme, bypassCSP: true });
}

await browser.close();
console.log(failed ? `${failed} of ${ran} failed` : `all ${ran} passed`);
process.exit(failed ? 1 : 0);
