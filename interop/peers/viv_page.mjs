// node page.mjs PAGE OUT.png: opens a page in Chromium, waits until it shows its image, and prints what it tells.
import { chromium } from "playwright-core";

const [url, out] = process.argv.slice(2);
const browser = await chromium.launch({
	executablePath: "/usr/bin/chromium",
	args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
});
const page = await browser.newPage({ viewport: { width: 512, height: 512 } });
const errors = [];
page.on("pageerror", (e) => errors.push(e.message));
await page.goto(url);
await page.waitForFunction(() => window.told?.viewportLoaded || window.told?.error, null, { timeout: 60000 }).catch((e) => errors.push(e.message));
// What is loaded is on the screen two frames later.
await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
await page.screenshot({ path: out });
console.log(JSON.stringify({ result: await page.evaluate(() => window.told), errors }));
await browser.close();
