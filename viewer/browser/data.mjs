// The views of series, spikes, tables and arrays in a real browser, on made-up data. node browser/data.mjs [part of a name]
import assert from "node:assert/strict";
import { chromium } from "playwright-core";
import { again } from "./again.mjs";
import { createServer } from "vite";

const only = process.argv[2] ?? "";
const vite = await createServer({ root: new URL("..", import.meta.url).pathname, server: { port: 0, hmr: false }, logLevel: "error" });
await vite.listen();
const base = vite.resolvedUrls.local[0].replace(/\/$/, "");
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
});
let problems = [], failed = 0, ran = 0;

async function open(path, o = {}) {
  const context = await browser.newContext({ viewport: o.viewport ?? { width: 1200, height: 800 }, reducedMotion: "reduce" });
  const page = await context.newPage();
  page.on("pageerror", (e) => problems.push("error on the page: " + e.message));
  page.on("console", (m) => m.type() === "error" && !/status of (4|5)\d\d|Failed to load/.test(m.text()) && problems.push("console: " + m.text()));
  page.asked = [];
  page.on("request", (r) => r.url().includes("/api/") && page.asked.push(r.url()));
  for (const [pattern, fn] of o.routes ?? []) await page.route(pattern, fn);
  await page.goto(base + "/view/" + path);
  if (o.for !== null) await page.waitForSelector(o.for ?? ".frame-plot canvas");
  if (o.drawn) await drawn(page);
  return page;
}

const query = (page) => Object.fromEntries(new URL(page.url()).searchParams);
/** The address follows a moment after the view: waits until it is as wanted. */
async function until(page, want, what = "the address") {
  for (let i = 0; i < 100; i++) {
    if (want(query(page))) return query(page);
    await page.waitForTimeout(100);
  }
  assert.fail(`${what}: ${JSON.stringify(query(page))}`);
}
/** How many pixels of the traces are painted. */
const painted = (page) => page.evaluate(() => {
  const c = document.querySelectorAll(".frame-plot canvas")[1];
  const d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
  let n = 0;
  for (let i = 3; i < d.length; i += 4) if (d[i]) n++;
  return n;
});
const drawn = (page) => page.waitForFunction(() => {
  const c = document.querySelectorAll(".frame-plot canvas")[1];
  return c && c.width && c.getContext("2d").getImageData(0, 0, c.width, c.height).data.some((v, i) => i % 4 === 3 && v);
});
const plot = async (page) => (await page.$(".frame-plot")).boundingBox();
const bottom = (page) => page.evaluate(() => document.querySelector("footer").textContent);
/** An answer of /api/series made of a function of time, NaN where it says so. */
const made = (value) => (route) => {
  const q = new URL(route.request().url()).searchParams;
  const from = Number(q.get("from")), to = Number(q.get("to")), bins = Number(q.get("width"));
  const [a, b] = q.get("channels").split(":").map(Number);
  const channels = Array.from({ length: b - a }, (_, i) => a + i), dt = (to - from) / bins, v = new Float32Array(channels.length * bins * 2);
  channels.forEach((c, k) => {
    for (let i = 0; i < bins; i++) v.fill(value(from + i * dt, c), (k * bins + i) * 2, (k * bins + i) * 2 + 2);
  });
  return route.fulfill({ body: Buffer.from(v.buffer), headers: { "X-Series": JSON.stringify({ mode: "envelope", first: 0, step: 1000, bins, channels, t0: from, dt, times: false, exact: true }) } });
};

async function test(name, fn) {
  if (!name.includes(only)) return;
  ran++;
  const said = await again(name, async () => {
    problems = [];
    let wrong = "";
    try {
      await fn();
      assert.deepEqual(problems, []);
    } catch (e) {
      wrong = e.message.split("\n").slice(0, 12).join("\n     ");
    }
    for (const c of browser.contexts()) await c.close();
    return wrong;
  });
  if (said) failed++;
  console.log(said ? `FAIL ${name}\n     ${said}` : `ok   ${name}`);
}

const ephys = "session.nwb.zarr/acquisition/ephys";

await test("series: the wheel zooms at the cursor, and the address follows", async () => {
  const page = await open(ephys + "?from=10&to=20", { drawn: true });
  const b = await plot(page), x = b.x + 76 + (b.width - 76) / 4;
  await page.mouse.move(x, b.y + 200);
  await page.mouse.wheel(0, -500);
  const q = await until(page, (q) => q.to - q.from < 5), span = q.to - q.from;
  assert.ok(Math.abs(Number(q.from) + span / 4 - 12.5) < 0.05, "the moment under the cursor stayed");
  const shot = query(page);
  await page.reload();
  await drawn(page);
  assert.deepEqual(query(page), shot, "the address is the view");
});

await test("series: dragging pans, what was asked for with a margin is not asked for again", async () => {
  const page = await open(ephys + "?from=100&to=110", { drawn: true });
  await page.waitForTimeout(600);
  const asked = page.asked.filter((u) => u.includes("/api/series")).length, b = await plot(page);
  await page.mouse.move(b.x + 500, b.y + 200);
  await page.mouse.down();
  await page.mouse.move(b.x + 400, b.y + 200, { steps: 6 });
  await page.mouse.up();
  await until(page, (q) => Number(q.from) > 100.5 && Math.abs(q.to - q.from - 10) < 0.01);
  assert.equal(page.asked.filter((u) => u.includes("/api/series")).length, asked);
});

await test("series: shift and the wheel change the gain, a fits it again", async () => {
  const page = await open(ephys + "?from=10&to=20", { drawn: true });
  const b = await plot(page);
  await page.mouse.move(b.x + 400, b.y + 200);
  await page.keyboard.down("Shift");
  await page.mouse.wheel(0, -300);
  await page.keyboard.up("Shift");
  await until(page, (q) => Number(q.gain) > 0);
  await page.keyboard.press("a");
  await until(page, (q) => q.gain === undefined);
});

await test("series: keys move, zoom, choose channels", async () => {
  const page = await open(ephys + "?from=100&to=110&ch=0:16", { drawn: true });
  await page.focus(".frame-plot");
  for (const [key, want] of [["ArrowRight", (q) => q.from === "102"], ["+", (q) => q.to - q.from === 5], ["Home", (q) => q.from === "0"], ["PageDown", (q) => q.ch === "16:32"], ["ArrowDown", (q) => q.ch === "17:33"], ["[", (q) => q.ch === "21:29"], ["f", (q) => Number(q.to) > 3333]]) {
    await page.keyboard.press(key);
    await until(page, want, key);
  }
});

await test("series: something is drawn at once while the server is slow, and stale requests are ended", async () => {
  let slow = false, ended = 0;
  const page = await open(ephys + "?from=0&to=1000", { drawn: true, routes: [[/api\/series/, async (route) => {
    if (slow) await new Promise((r) => setTimeout(r, 3000));
    await route.continue().catch(() => {});
  }]] });
  await page.waitForTimeout(500);
  page.on("requestfailed", (r) => r.url().includes("/api/series") && ended++);
  slow = true;
  const b = await plot(page);
  await page.mouse.move(b.x + 500, b.y + 200);
  for (let i = 0; i < 4; i++) {
    await page.mouse.wheel(0, -300);
    await page.waitForTimeout(150);
  }
  assert.ok((await painted(page)) > 2000, "what is known is drawn, scaled");
  assert.ok(ended >= 2, "stale requests were ended: " + ended);
});

await test("series: the value under the cursor, the channel and the trial", async () => {
  const page = await open(ephys + "?from=27&to=27.02", { drawn: true });
  const b = await plot(page);
  await page.mouse.move(b.x + 500, b.y + 80);
  await page.waitForFunction(() => /imec1/.test(document.querySelector("footer").textContent));
  const text = await bottom(page);
  assert.match(text, /27\.\d+ s/);
  assert.match(text, /channel imec1/);
  assert.match(text, /µV/);
  assert.match(text, /trials left/);
});

await test("series: one channel has an axis, and the way back", async () => {
  const page = await open(ephys + "?ch=3&from=10&to=11", { drawn: true });
  await page.click("text=All channels");
  await until(page, (q) => q.ch === undefined);
});

await test("series: gaps are empty and marked, nothing but NaN is said", async () => {
  const gap = await open(ephys + "?from=10&to=20&ch=0:1", { drawn: true, routes: [[/api\/series/, made((t) => (t > 13 && t < 16 ? NaN : Math.sin(t)))]] });
  const alphas = await gap.evaluate(() => {
    const c = document.querySelectorAll(".frame-plot canvas")[1], g = c.getContext("2d");
    const at = (share) => [...g.getImageData(Math.round(c.width * share), 0, 1, c.height).data].filter((_, i) => i % 4 === 3);
    return { full: Math.max(...at(0.1)), gap: Math.max(...at(0.45)) };
  });
  assert.ok(alphas.full > 200);
  assert.ok(alphas.gap > 10 && alphas.gap < 80, "a gap is a faint mark: " + alphas.gap);
  const page = await open(ephys + "?from=10&to=20", { routes: [[/api\/series/, made(() => NaN)]] });
  await page.waitForSelector("text=Nothing but missing values");
});

await test("series: an error is told with its words, and tried again", async () => {
  let broken = true;
  const page = await open(ephys, { routes: [[/api\/series/, (route) => (broken ? route.fulfill({ status: 502, json: { error: "chunk c/0/0 does not decode: checksum differs", kind: "damaged", chunk: "0,0" } }) : route.continue())]] });
  await page.waitForSelector("text=checksum differs");
  broken = false;
  await page.click("text=Try again");
  await drawn(page);
});

await test("series: an answer that is not whole yet is asked for until it is", async () => {
  let n = 0;
  const page = await open(ephys + "?from=10&to=20&ch=0:4", { routes: [[/api\/series/, (route) => {
    const part = Math.min(1, ++n / 3);
    return made((t) => (t < 5 + 20 * part ? Math.sin(t) : NaN))({ ...route, request: () => route.request(), fulfill: (r) => {
      const h = JSON.parse(r.headers["X-Series"]);
      return route.fulfill({ ...r, headers: { "X-Series": JSON.stringify({ ...h, exact: part === 1, covered: part }) } });
    } });
  }]], drawn: true });
  await page.waitForTimeout(600);
  assert.ok(n >= 3, "asked " + n + " times");
});

await test("series: dates on the axis when they are wanted", async () => {
  const page = await open(ephys + "?from=10&to=20&time=date", { drawn: true });
  const b = await plot(page);
  await page.mouse.move(b.x + 500, b.y + 100);
  await page.waitForFunction(() => /2025-06-30 14:05/.test(document.querySelector("footer").textContent));
});

await test("spikes: units are drawn, a click opens the row in the table", async () => {
  const page = await open("session.nwb.zarr/units?from=0&to=10", { drawn: true });
  const b = await plot(page);
  await page.mouse.move(b.x + 500, b.y + 300);
  await page.waitForFunction(() => /unit/.test(document.querySelector("footer").textContent));
  const words = await bottom(page);
  await page.mouse.click(b.x + 500, b.y + 300);
  await page.waitForSelector(".grid-at");
  assert.equal(query(page).view, "table");
  assert.ok(words.includes("unit " + (await page.textContent(".grid-row.on .grid-name"))), words);
});

const trials = "session.nwb.zarr/intervals/trials", grid = { for: ".grid-cell.number" };
const rowsSeen = (page) => page.$$eval(".grid-name", (all) => all.map((e) => Number(e.textContent)));

await test("table: more rows than the server sorts are shown, and the page says so", async () => {
  const page = await open("session.nwb.zarr/intervals/trials", { for: ".grid-cell", routes: [[/api\/node\?.*trials/, async (r) => {
    const node = await (await r.fetch()).json();
    node.table.rows = 2 ** 24 + 1;
    for (const c of node.table.columns) c.sortable = false;
    await r.fulfill({ json: node });
  }]] });
  assert.match(await page.locator(".table-count").innerText(), /16.777.217 rows: too many to sort or filter/);
  assert.ok(await page.getByLabel("Filter rows").isDisabled());
});

await test("table: ten million rows, all of them reached by the bar, the wheel and the keys", async () => {
  const page = await open(trials, grid);
  assert.equal(await page.getAttribute(".grid", "aria-rowcount"), "10000001");
  await page.evaluate(() => { const g = document.querySelector(".grid"); g.scrollTop = g.scrollHeight; });
  await page.waitForFunction(() => [...document.querySelectorAll(".grid-name")].some((e) => e.textContent === "9999999"));
  await page.evaluate(() => { const g = document.querySelector(".grid"); g.scrollTop = g.scrollHeight / 2; });
  await page.waitForFunction(() => Math.abs(Number(document.querySelector(".grid-name").textContent) - 5e6) < 1000);
  const before = Math.min(...(await rowsSeen(page)));
  const b = await (await page.$(".grid")).boundingBox();
  await page.mouse.move(b.x + 300, b.y + 300);
  await page.mouse.wheel(0, 260);
  await page.waitForFunction((row) => Number(document.querySelector(".grid-name").textContent) !== row, before);
  assert.equal(Math.min(...(await rowsSeen(page))), before + 10, "the wheel leaves no row out");
  await page.focus(".grid");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Control+End");
  await until(page, (q) => q.row === "9999999");
  assert.equal(await page.textContent(".grid-row.on .grid-name"), "9999999");
  assert.ok(await page.getAttribute(".grid", "aria-activedescendant"));
});

await test("table: the row of the address is shown, keys move the cell", async () => {
  const page = await open(trials + "?row=1234567", grid);
  await page.waitForSelector(".grid-at");
  assert.equal(await page.textContent(".grid-row.on .grid-name"), "1234567");
  await page.focus(".grid");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowDown");
  await until(page, (q) => q.row === "1234568" && q.col === "quality");
});

await test("table: a header sorts; what the server cannot is told, and undone", async () => {
  const page = await open(trials, grid);
  await page.click(".grid-column >> text=id");
  await page.click(".grid-column >> text=id");
  await page.waitForFunction(() => document.querySelector(".grid-name")?.textContent === "9999999");
  assert.equal(query(page).sort, "-id");
  await page.click(".grid-column >> text=firing_rate");
  await page.waitForSelector("text=sorting by firing_rate would read 80 MB");
  await page.click("text=Show all, as stored");
  await page.waitForSelector(".grid-cell.number");
});

await test("table: the filter says what it lacks, then asks", async () => {
  const page = await open(trials, grid);
  await page.fill(".table-filter input", "depth > 3");
  await page.waitForSelector("text=there is no column depth");
  await page.fill(".table-filter input", "id > 3, quality ~ good");
  await page.keyboard.press("Enter");
  await until(page, () => page.asked.some((u) => u.includes("filter=id%3E3,quality~good")));
});

await test("table: lists open, links are followed, columns are chosen, CSV has what is shown", async () => {
  const page = await open("session.nwb.zarr/units?view=table", grid);
  await page.click(".ragged");
  await page.waitForSelector(".popover-list li");
  await page.keyboard.press("Escape");
  assert.equal(await page.$(".popover"), null);
  await page.click("aside label:has-text('quality')");
  await page.waitForFunction(() => ![...document.querySelectorAll(".grid-title b")].some((e) => e.textContent === "quality"));
  assert.match(await page.getAttribute("a[download]", "href"), /columns=id,firing_rate,spike_times,electrodes,peak.*as=csv/);
  await page.click(".grid-cell a >> nth=3");
  await page.waitForFunction(() => location.pathname.endsWith("/electrodes"));
  assert.equal(query(page).row, "3");
});

await test("table: cells that are focused do not move their row", async () => {
  const page = await open("session.nwb.zarr/units?view=table", { ...grid, viewport: { width: 900, height: 700 } });
  await page.evaluate(() => [...document.querySelectorAll(".grid-cell a")].at(0).focus());
  assert.deepEqual(await page.$$eval(".grid-row, .grid-rows, .grid-view, .grid-head", (all) => all.map((e) => e.scrollLeft).filter(Boolean)), []);
});

await test("table: strings of files are text", async () => {
  const page = await open("session.nwb.zarr/units?view=table", { for: ".grid-cell", routes: [[/api\/rows/, (r) => r.fulfill({ json: { total: 214, matched: null, offset: 0, columns: ["quality"], rows: [["<img src=x onerror=alert(1)>"]], index: [0] } })]] });
  await page.waitForSelector("text=<img src=x onerror=alert(1)>");
  assert.equal(await page.$(".grid img"), null);
});

await test("array: numbers, sliders, the axes turned", async () => {
  const page = await open("era5.zarr/t2m?view=array", grid);
  await page.focus(".array-axes input");
  await page.keyboard.press("ArrowRight");
  await until(page, (q) => q.at === "1,0,0");
  await until(page, () => page.asked.some((u) => /slice=1,0:64,0:32/.test(u)), "the slice");
  await page.selectOption("aside select >> nth=0", "0");
  await page.waitForFunction(() => document.querySelector(".grid").getAttribute("aria-rowcount") === "366");
});

await test("array: a line, a single value, text, complex, zero-length", async () => {
  await open("era5.zarr/latitude", { drawn: true });
  const one = await open("era5.zarr/one", { for: ".scalar-value" });
  assert.match(await one.textContent(".scalar-value"), /^0$/);
  await open("era5.zarr/empty", { for: "text=Zero-length" });
  await open("era5.zarr/complex", { for: "text=1 + 0i" });
  const text = await open("era5.zarr/station", { for: ".grid-cell" });
  await text.waitForSelector("text=<b>not bold</b>");
});

await browser.close();
await vite.close();
console.log(failed ? `${failed} of ${ran} failed` : `all ${ran} passed`);
process.exit(failed ? 1 : 0);
