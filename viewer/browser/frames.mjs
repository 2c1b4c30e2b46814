// Measures frames while one zooms through 10 GiB of pixels and pans: how long the page works on each, and how far apart
// they come. Run after `npm run build`: node browser/frames.mjs. Says how the browser draws; by software it is slower.
import { chromium } from "playwright-core";
import { serve } from "./made.mjs";

const made = await serve();
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
});
const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
await page.addInitScript(() => {
  window.frames2 = [];
  const later = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (f) => later((t) => {
    const begin = performance.now();
    f(t);
    window.frames2.push([t, performance.now() - begin]);
  });
});
await page.goto(made.base + "/view/made/huge");
await page.waitForSelector(".image[aria-busy=false]", { timeout: 30000 });
const box = await page.locator(".image-stage").boundingBox();
await page.mouse.move(box.x + box.width * 0.4, box.y + box.height * 0.4);
await page.evaluate(() => { window.frames2.length = 0; });
for (const dy of [-1, 1, -1]) for (let i = 0; i < 60; i++) {
  await page.mouse.wheel(0, 60 * dy);
  await page.waitForTimeout(16);
}
await page.mouse.down();
for (let i = 0; i < 60; i++) {
  await page.mouse.move(box.x + box.width * 0.4 - i * 8, box.y + box.height * 0.4 + i * 3);
  await page.waitForTimeout(16);
}
await page.mouse.up();
const { frames, renderer } = await page.evaluate(() => {
  const gl = document.createElement("canvas").getContext("webgl2");
  const info = gl?.getExtension("WEBGL_debug_renderer_info");
  return { frames: window.frames2, renderer: gl ? gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER) : "no WebGL" };
});
const part = (list, p) => [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * p))].toFixed(1);
const work = frames.map((f) => f[1]);
const gaps = frames.slice(1).map((f, i) => f[0] - frames[i][0]).filter((g) => g > 0 && g < 1000);
console.log(`drawn by ${renderer}`);
console.log(`${frames.length} frames; work of the page in each: median ${part(work, 0.5)} ms, 95 % ${part(work, 0.95)} ms, most ${part(work, 1)} ms`);
console.log(`from frame to frame: median ${part(gaps, 0.5)} ms, 95 % ${part(gaps, 0.95)} ms`);
await browser.close();
await made.close();
