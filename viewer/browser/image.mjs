// The image view in a real browser: pixels against the numbers they come from, both ways of drawing, what fails, what is
// asked for and what is not. Run after `npm run build`: node browser/image.mjs [part of a name]
import assert from "node:assert/strict";
import { chromium } from "playwright-core";
import { again } from "./again.mjs";
import { decode } from "./png.mjs";
import { serve } from "./made.mjs";

const only = process.argv[2] ?? "";
const made = await serve();
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
});
const size = { width: 1000, height: 700 };
let failed = 0, problems = [];

async function open(path, o = {}) {
  const context = await browser.newContext({ viewport: o.viewport ?? size, reducedMotion: "reduce", acceptDownloads: true, hasTouch: !!o.touch, permissions: [] });
  const page = await context.newPage();
  page.on("pageerror", (e) => problems.push("error on the page: " + e.message));
  page.on("console", (m) => m.type() === "error" && !/status of (4|5)\d\d/.test(m.text()) && problems.push("console: " + m.text()));
  await page.goto(made.base + "/view/made" + path);
  if (!o.state) await page.waitForSelector(".image-stage");
  if (o.wait !== false && !o.state) await settled(page);
  return page;
}

/** Everything that was asked for has come and is drawn. */
async function settled(page) {
  for (let i = 0; i < 2; i++) {
    await page.evaluate(() => new Promise((f) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(f)), 60)));
    await page.waitForSelector(".image[aria-busy=false]", { timeout: 45000 });
  }
}

/** The picture alone, without what lies over it. */
async function pixels(page) {
  await page.evaluate(() => {
    for (const e of document.querySelectorAll(".over, .image-foot, .image-north, .image-notices")) e.style.visibility = "hidden";
  });
  const box = await page.locator(".image-stage").boundingBox();
  const shot = decode(await page.screenshot({ clip: box }));
  await page.evaluate(() => {
    for (const e of document.querySelectorAll(".over, .image-foot, .image-north, .image-notices")) e.style.visibility = "";
  });
  return { ...shot, box };
}

/** A view whose pixel corners fall on corners of the screen. */
const aligned = (box, x0, y0, zoom) => `x=${x0 + box.width / 2 / zoom}&y=${y0 + box.height / 2 / zoom}&zoom=${zoom}`;
const stageBox = async () => {
  const page = await open("/uint8");
  const box = await page.locator(".image-stage").boundingBox();
  await page.context().close();
  return box;
};

const tests = {
  async "every type of number has the colour of its value, in both ways of drawing"() {
    const box = await stageBox();
    for (const flat of ["", "&flat"]) for (const type of ["uint8", "int8", "uint16", "int16", "uint32", "int32", "float32"]) {
      const page = await open(`/${type}?${aligned(box, -1, -1, 4)}${flat}`);
      const p = await pixels(page);
      const { info, value } = made.all["/" + type];
      const [lo, hi] = info.channels[0].window;
      for (const [x, y] of [[0, 0], [5, 3], [63, 0], [20, 60], [40, 40]]) {
        const want = Math.round(Math.min(1, Math.max(0, (value(0, [], x, y) - lo) / (hi - lo))) * 255);
        for (const [dx, dy] of [[0, 0], [3, 3], [1, 2]]) {
          const got = p.at(4 * (x + 1) + dx, 4 * (y + 1) + dy);
          assert.ok(got.every((v) => Math.abs(v - want) <= 1), `${type}${flat} at ${x},${y}: ${got} is not ${want}`);
        }
      }
      await page.context().close();
    }
  },

  async "six channels add up, pixel for pixel, at a place deep in the pyramid"() {
    const box = await stageBox();
    const [x0, y0] = [5000, 3000];
    for (const flat of ["", "&flat"]) {
      const page = await open(`/cells?${aligned(box, x0, y0, 1)}&t=2&z=3&ch=0:0:1023:802000,1:0:1023:002010,2:100:500::2,!3,4:0:1023::: 0.5`.replace(" ", "") + flat);
      const p = await pixels(page);
      const channels = [[0, 0, 1023, [0x80, 0x20, 0], 1, 1], [1, 0, 1023, [0, 0x20, 0x10], 1, 1], [2, 100, 500, [0, 0, 255], 2, 1], [4, 0, 1023, [255, 0, 255], 1, 0.5], [5, 0, 1023, [255, 255, 0], 1, 1]];
      let differ = 0;
      for (let y = 0; y < p.height; y += 7) for (let x = 0; x < p.width; x += 7) {
        const want = [0, 0, 0];
        for (const [c, lo, hi, colour, gamma, opacity] of channels) {
          const t = Math.min(1, Math.max(0, (made.all["/cells"].value(c, [2, 0, 3, 0, 0], x0 + x, y0 + y) - lo) / (hi - lo))) ** gamma;
          for (let k = 0; k < 3; k++) want[k] += t * colour[k] * opacity;
        }
        const got = p.at(x, y);
        if (got.some((v, k) => Math.abs(v - Math.min(255, want[k])) > 1.6)) differ++;
      }
      assert.equal(differ, 0, `${differ} pixels differ${flat}`);
      await page.context().close();
    }
  },

  async "colours as they are; values that are missing are squares, not black"() {
    const box = await stageBox();
    for (const flat of ["", "&flat"]) {
      let page = await open(`/rgb?${aligned(box, -2, -2, 4)}${flat}`);
      let p = await pixels(page);
      for (const [x, y] of [[0, 0], [99, 79], [50, 20]]) assert.deepEqual(p.at(4 * (x + 2) + 1, 4 * (y + 2) + 1), [x, y, 255 - x]);
      await page.context().close();
      page = await open(`/half?${aligned(box, 0, 0, 8)}${flat}`);
      p = await pixels(page);
      assert.deepEqual(p.at(8 * 10 + 2, 8 * 50 + 2), Array(3).fill(Math.round((10 / 63) * 255)));
      const squares = new Set();
      for (let i = 0; i < 60; i++) squares.add(p.at(100 + i, 100).join());
      assert.equal(squares.size, 2, "two colours of squares: " + [...squares].join(" | "));
      await page.context().close();
    }
  },

  async "labels lie over the picture, in the file's colours, and edges alone"() {
    const box = await stageBox();
    for (const flat of ["", "&flat"]) {
      const page = await open(`/cells?${aligned(box, 0, 0, 1)}&ch=!0,!1,!2,!3,!4,5:2000:3000&labels=nuclei:1${flat}`);
      const p = await pixels(page);
      assert.deepEqual(p.at(64 + 30, 30), [255, 128, 0]); // label 1
      assert.deepEqual(p.at(30, 30), [0, 0, 0]); // none
      await page.getByRole("button", { name: "Edges" }).click();
      await settled(page);
      const e = await pixels(page);
      assert.deepEqual(e.at(64 + 30, 30), [0, 0, 0]);
      assert.deepEqual(e.at(64, 30), [255, 128, 0]);
      await page.context().close();
    }
  },

  async "a coarse picture first, and never a hole while one zooms"() {
    made.seen.delay = 40;
    made.seen.tiles.length = 0;
    const page = await open("/cells?ch=0:-500:1023:ffffff,!1,!2,!3,!4,!5");
    const first = made.seen.tiles.findIndex((t) => t.startsWith("/cells"));
    assert.match(made.seen.tiles[first], /^\/cells 5 /, "the coarsest level is asked for first");
    // Values are never black here, so black is a hole. Looked at after every frame, before the browser shows it.
    await page.evaluate(() => {
      const canvas = document.querySelector(".image-stage canvas");
      const gl = canvas.getContext("webgl2");
      const px = new Uint8Array(4);
      window.holes = window.looked = 0;
      let drawn = false; // only frames that the view draws: the buffer of others is empty
      const clear = gl.clear.bind(gl);
      gl.clear = (m) => {
        drawn = true;
        clear(m);
      };
      const later = window.requestAnimationFrame.bind(window);
      window.requestAnimationFrame = (f) => later((t) => {
        drawn = false;
        f(t);
        if (!drawn) return;
        for (const [fx, fy] of [[0.5, 0.5], [0.3, 0.4], [0.7, 0.6], [0.4, 0.7]]) {
          gl.readPixels(Math.floor(canvas.width * fx), Math.floor(canvas.height * fy), 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, px);
          window.looked++;
          if (px[0] < 60) window.holes++;
        }
      });
    });
    const box = await page.locator(".image-stage").boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    for (const dy of [-1, 1, -1]) for (let i = 0; i < 14; i++) {
      await page.mouse.wheel(0, 200 * dy);
      await page.waitForTimeout(25);
    }
    await settled(page);
    const { holes, looked } = await page.evaluate(() => ({ holes: window.holes, looked: window.looked }));
    assert.ok(looked > 80, `frames were looked at (${looked})`);
    assert.equal(holes, 0, "no frame had a hole");
    made.seen.delay = 0;
    await page.context().close();
  },

  async "zooming keeps what is under the cursor, and the address has the view"() {
    const page = await open("/cells");
    const box = await page.locator(".image-stage").boundingBox();
    const where = async () => {
      await page.mouse.move(box.x + 300, box.y + 200);
      await page.waitForTimeout(250);
      return /\[0, :, 0, (\d+), (\d+)\]/.exec(await page.locator(".bottom").textContent()).slice(1).map(Number);
    };
    const before = await where();
    for (let i = 0; i < 8; i++) await page.mouse.wheel(0, -150);
    const after = await where();
    assert.ok(Math.abs(before[0] - after[0]) <= 13 && Math.abs(before[1] - after[1]) <= 13, `${before} and ${after}`);
    await page.waitForURL(/zoom=/);
    await settled(page);
    const url = page.url();
    const shot = await pixels(page);
    const again = await open(url.slice(url.indexOf("/cells")));
    const same = await pixels(again);
    for (let y = 0; y < shot.height; y += 37) for (let x = 0; x < shot.width; x += 41) assert.ok(shot.at(x, y).every((v, k) => Math.abs(v - same.at(x, y)[k]) <= 40), `the address shows the same at ${x},${y}`);
    await page.context().close();
    await again.context().close();
  },

  async "what left the view is not asked for any more"() {
    made.seen.delay = 3000;
    made.seen.pending = 0;
    const page = await open("/huge?x=10000&y=10000&zoom=1", { wait: false });
    const until = async (yes) => {
      for (let i = 0; i < 200 && !yes(); i++) await page.waitForTimeout(50);
    };
    await until(() => made.seen.pending > 2);
    const before = made.seen.aborted;
    await page.evaluate(() => document.querySelector(".image-stage").focus());
    for (let i = 0; i < 30; i++) await page.keyboard.press("ArrowRight");
    await until(() => made.seen.aborted > before);
    assert.ok(made.seen.aborted > before, "requests of tiles out of sight were stopped");
    made.seen.delay = 0;
    await page.context().close();
  },

  async "a broken tile is told on it and in the bottom line, and comes with a retry"() {
    made.seen.broken = true;
    const page = await open("/broken?x=768&y=768&zoom=1");
    await page.getByText("could not be read").waitFor();
    assert.match(await page.locator(".image-note.bad").textContent(), /checksum differs/);
    assert.match(await page.locator(".bottom").textContent(), /checksum differs/);
    made.seen.broken = false;
    await page.locator(".image-note.bad").getByRole("button", { name: "Try again" }).click();
    await page.getByText("could not be read").waitFor({ state: "detached" });
    await page.context().close();
  },

  async "states: all fails, all missing, constant, empty, one pixel, no channel"() {
    let page = await open("/dead", { state: true });
    await page.getByText("Stored in a way we cannot read").waitFor();
    made.seen.dead = false;
    await page.getByRole("button", { name: "Try again" }).first().click();
    await settled(page);
    await page.context().close();
    for (const [path, words] of [["/nan", "all of this plane is missing"], ["/constant", "Every value here is the same: 7"], ["/empty", "An image without pixels"], ["/cells?ch=!0,!1,!2,!3,!4,!5", "All channels are hidden"]]) {
      page = await open(path, { state: true });
      await page.getByText(words).first().waitFor();
      await page.context().close();
    }
    page = await open("/one");
    const one = await pixels(page);
    assert.deepEqual(one.at(one.width >> 1, one.height >> 1).map((v) => Math.abs(v - 200) <= 1), [true, true, true]);
    await page.context().close();
  },

  async "contrast: by percentiles, by the handles, by numbers, and back"() {
    const page = await open("/auto");
    const boxes = page.locator(".image-number");
    await boxes.first().waitFor();
    const auto = [await boxes.nth(0).inputValue(), await boxes.nth(1).inputValue()].map(Number);
    assert.ok(auto[0] < 20 && auto[1] > 500 && auto[1] < 512, "auto: " + auto);
    await boxes.nth(1).fill("100");
    await boxes.nth(1).press("Enter");
    await page.waitForURL(/ch=0:\d+:100/);
    const bright = page.getByRole("slider", { name: /Brightest/ });
    await bright.focus();
    await page.keyboard.press("End");
    assert.equal(Number(await boxes.nth(1).inputValue()), 511);
    const h = await bright.boundingBox();
    await page.mouse.move(h.x + h.width / 2, h.y + 20);
    await page.mouse.down();
    await page.mouse.move(h.x - 80, h.y + 20, { steps: 4 });
    await page.mouse.up();
    assert.ok(Number(await boxes.nth(1).inputValue()) < 450);
    await page.getByRole("button", { name: "Reset" }).first().click();
    assert.deepEqual([await boxes.nth(0).inputValue(), await boxes.nth(1).inputValue()].map(Number), auto);
    await page.context().close();
  },

  async "axes: sliders with real values, keys, play; back in the history is back in the view"() {
    const page = await open("/map");
    const slider = page.getByRole("slider", { name: "time" });
    assert.equal(await slider.getAttribute("aria-valuetext"), "1 of 3, 2025-06-29");
    await page.locator(".image-stage").focus();
    await page.keyboard.press(".");
    assert.equal(await slider.getAttribute("aria-valuetext"), "2 of 3, 2025-06-30");
    await page.getByRole("button", { name: "Play time" }).click();
    await page.waitForFunction(() => /^1 of 3/.test(document.querySelector(".image-axes input").getAttribute("aria-valuetext")));
    await page.getByRole("button", { name: "Stop playing time" }).click();
    // y grows upwards: the north is above
    const box = await page.locator(".image-stage").boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2 - 60);
    await page.waitForFunction(() => /° N/.test(document.querySelector(".bottom").textContent));
    await page.context().close();
  },

  async "two points measure a distance in real units; the picture is saved"() {
    const page = await open("/cells?x=4096&y=4096&zoom=1");
    await page.keyboard.press("m");
    const box = await page.locator(".image-stage").boundingBox();
    await page.mouse.click(box.x + 200, box.y + 200);
    await page.mouse.click(box.x + 350, box.y + 200);
    await page.getByText("75 µm").waitFor();
    const [download] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("s")]);
    assert.equal(download.suggestedFilename(), "cells.png");
    const png = decode(await (await import("node:fs/promises")).readFile(await download.path()));
    assert.deepEqual([png.width, png.height], [Math.round(box.width), Math.round(box.height)]);
    let lit = 0;
    for (let x = 0; x < png.width; x += 5) if (png.at(x, 300).some((v) => v > 60)) lit++;
    assert.ok(lit > 20, "the saved picture has the image");
    await page.context().close();
  },

  async "graphics that are lost come back; without them a plain canvas draws"() {
    let page = await open("/cells?x=4096&y=4096&zoom=1");
    const before = await pixels(page);
    await page.evaluate(async () => {
      const lose = document.querySelector(".image-stage canvas").getContext("webgl2").getExtension("WEBGL_lose_context");
      lose.loseContext();
      await new Promise((f) => setTimeout(f, 100));
      lose.restoreContext();
      await new Promise((f) => setTimeout(f, 300));
    });
    await settled(page);
    const after = await pixels(page);
    for (let y = 5; y < before.height; y += 31) for (let x = 5; x < before.width; x += 29) assert.deepEqual(after.at(x, y), before.at(x, y));
    await page.context().close();
    const context = await browser.newContext({ viewport: size });
    page = await context.newPage();
    await page.addInitScript(() => {
      const real = HTMLCanvasElement.prototype.getContext;
      HTMLCanvasElement.prototype.getContext = function (kind, ...more) {
        return kind === "webgl2" ? null : real.call(this, kind, ...more);
      };
    });
    await page.goto(made.base + "/view/made/cells?x=4096&y=4096&zoom=1");
    await page.waitForSelector(".image-stage");
    await settled(page);
    assert.match(await page.locator(".bottom").textContent(), /without WebGL/);
    const flat = await pixels(page);
    for (let y = 5; y < before.height; y += 31) for (let x = 5; x < before.width; x += 29) assert.ok(flat.at(x, y).every((v, k) => Math.abs(v - before.at(x, y)[k]) <= 2));
    await context.close();
  },

  async "touch at phone width: the canvas is everything, a pinch zooms"() {
    const page = await open("/cells", { viewport: { width: 390, height: 844 }, touch: true });
    const box = await page.locator(".image-stage").boundingBox();
    assert.ok(box.width >= 388 && box.height > 700, JSON.stringify(box));
    const before = await page.locator(".image-scale").textContent();
    const cdp = await page.context().newCDPSession(page);
    const at = (d) => [{ x: 195 - d, y: 400, id: 1 }, { x: 195 + d, y: 400, id: 2 }];
    await cdp.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: at(20) });
    for (let d = 30; d <= 160; d += 10) await cdp.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: at(d) });
    await cdp.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
    await settled(page);
    assert.notEqual(await page.locator(".image-scale").textContent(), before);
    await page.context().close();
  },
};

for (const [name, run] of Object.entries(tests)) {
  if (!name.includes(only)) continue;
  const said = await again(name, async () => {
    problems = [];
    try {
      await run();
      assert.deepEqual(problems, []);
      return "";
    } catch (e) {
      for (const c of browser.contexts()) await c.close();
      Object.assign(made.seen, { delay: 0 });
      return [...String(e.message ?? e).split("\n").slice(0, 6), ...problems].join("\n      ");
    }
  });
  if (said) failed++;
  console.log(said ? `FAIL  ${name}\n      ${said}` : "ok    " + name);
}
await browser.close();
await made.close();
process.exitCode = failed ? 1 : 0;
