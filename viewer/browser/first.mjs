// Measures how long it takes from opening an address to the first pixels of the picture and to its contrast, and what
// that waits for. The numbers are those of this machine, now: look at several, on one that does nothing else.
//   go run ../cmd/omnizarr demo --no-open --addr 127.0.0.1:8123 &
//   node browser/first.mjs http://127.0.0.1:8123 [times]
import { chromium } from "playwright-core";

const [base, times = "7"] = process.argv.slice(2);
const views = ["/view/cells.zarr", "/view/tissue.ome.tif", "/view/brain.n5/em", "/view/planet.zarr/temperature"];
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
});
const middle = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];

for (const path of views) {
  const runs = [];
  for (let i = 0; i < Number(times); i++) {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    // The first tile is drawn by the first of these calls.
    await page.addInitScript(() => {
      const draw = WebGL2RenderingContext.prototype.drawArrays;
      WebGL2RenderingContext.prototype.drawArrays = function (...a) {
        globalThis.drawn ??= performance.now();
        return draw.apply(this, a);
      };
    });
    await page.goto(base + path);
    await page.waitForFunction(() => globalThis.drawn);
    await page.waitForLoadState("networkidle");
    runs.push(await page.evaluate(() => {
      const all = performance.getEntriesByType("resource").map((r) => ({ name: r.name.replace(/^.*\/(api|assets)\//, "").slice(0, 90), from: r.startTime, to: r.responseEnd, bytes: r.transferSize }));
      const paint = performance.getEntriesByType("paint").find((p) => p.name === "first-contentful-paint")?.startTime;
      const page = performance.getEntriesByType("navigation")[0];
      return { drawn: globalThis.drawn, paint, html: page.responseEnd, all };
    }));
    await page.close();
  }
  const typical = runs.find((r) => r.drawn === middle(runs.map((r) => r.drawn)));
  const before = typical.all.filter((r) => r.from < typical.drawn);
  const stats = runs.map((r) => Math.max(...r.all.filter((a) => a.name.startsWith("stats")).map((a) => a.to), 0));
  console.log(`${path}: first pixels after ${Math.round(typical.drawn)} ms (${runs.map((r) => Math.round(r.drawn)).join(" ")}), words after ${Math.round(typical.paint)}, contrast after ${Math.round(middle(stats))}`);
  console.log(`  page ${Math.round(typical.html)} ms, then ${before.length} requests of ${before.reduce((n, r) => n + r.bytes, 0)} bytes`);
  for (const r of before) console.log(`  ${String(Math.round(r.from)).padStart(5)} – ${String(Math.round(r.to)).padStart(5)} ms ${String(r.bytes).padStart(7)} ${r.name}`);
}
await browser.close();
