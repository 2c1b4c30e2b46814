// The page in a real browser, on made-up data and under the server's policy:
//   npm run build && node browser/page.mjs
// CHROMIUM names the browser, SHOTS a folder for pictures of what was looked at, ONLY a part of a test's name.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { preview } from "vite";
import { chromium } from "playwright-core";
import { again } from "./again.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const server = await preview({ root: new URL("..", import.meta.url).pathname, preview: { port: 0, host: "127.0.0.1" }, logLevel: "error" });
const base = server.resolvedUrls.local[0].replace(/\/$/, "");
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
});

let failed = 0;
async function test(name, how, o = {}) {
  if (process.env.ONLY && !name.includes(process.env.ONLY)) return;
  const said = await again(name, () => attempt(name, how, o));
  if (said) failed++;
  console.log(said ? "FAIL " + name + "\n     " + said : "ok   " + name);
}

async function attempt(name, how, o) {
  let said = "";
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, colorScheme: "dark", bypassCSP: false, ...o });
  const page = await context.newPage();
  page.setDefaultTimeout(30000);
  const wrong = [];
  page.on("pageerror", (e) => wrong.push("error on the page: " + e.message));
  page.on("console", (m) => m.type() === "error" && !/Failed to load resource|net::ERR/.test(m.text()) && wrong.push(m.text()));
  page.on("request", (r) => r.url().startsWith(base) || /^(data|blob):/.test(r.url()) || wrong.push("asks elsewhere: " + r.url()));
  try {
    await how(page);
    assert.deepEqual(wrong, []);
  } catch (e) {
    said = String(e.message ?? e).split("\n").slice(0, 12).join("\n     ");
  }
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name.replace(/\W+/g, "-")}.png`, timeout: 30000 }).catch(() => {});
  await context.close();
  return said;
}
const open = async (page, path) => {
  await page.goto(base + path);
  await page.locator("main.centre").waitFor();
};
const path = (page) => decodeURIComponent(new URL(page.url()).pathname);
const until = (page, text) => page.waitForFunction((t) => decodeURIComponent(location.pathname + location.search).includes(t), text);
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true };

await test("several sources have a start page, and a click opens one", async (page) => {
  await open(page, "/");
  await page.getByRole("heading", { name: "Sources", level: 1 }).waitFor();
  await page.locator(".card", { hasText: "session.nwb.zarr" }).click();
  await page.getByRole("heading", { name: "session.nwb.zarr", level: 1 }).waitFor();
  assert.equal(path(page), "/view/session.nwb.zarr");
  await page.goBack();
  await page.getByRole("heading", { name: "Sources", level: 1 }).waitFor();
});

await test("groups show what is in them: pictures first, single values as themselves", async (page) => {
  await open(page, "/view/era5.zarr");
  const cards = page.locator(".card");
  await cards.first().waitFor();
  assert.match(await cards.first().innerText(), /t2m/);
  await page.locator(".card", { hasText: "one" }).getByText("0", { exact: true }).waitFor();
  assert.match(await cards.last().innerText(), /one/);
});

await test("the tree is walked by keys", async (page) => {
  await open(page, "/view/session.nwb.zarr");
  const row = (name) => page.getByRole("treeitem", { name: new RegExp("^" + name + "\\b") });
  await row("acquisition").waitFor();
  await page.getByRole("tree").focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowRight");
  await row("ephys").waitFor();
  assert.equal(await row("acquisition").getAttribute("aria-expanded"), "true");
  assert.equal(await row("ephys").getAttribute("aria-level"), "3");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await until(page, "/acquisition/ephys");
  await page.getByRole("tree").focus();
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await row("ephys").waitFor({ state: "detached" });
});

await test("a tree of a hundred thousand draws what is seen", async (page) => {
  await open(page, "/view/many");
  await page.getByRole("treeitem", { name: /^group-00000/ }).waitFor();
  await page.getByRole("tree").focus();
  await page.keyboard.press("End");
  await page.getByRole("tree").evaluate((e) => (e.scrollTop = 27 * 60000));
  await page.getByRole("treeitem", { name: /^group-599/ }).first().waitFor();
  assert.ok((await page.getByRole("treeitem").count()) < 80);
});

await test("typing in the tree filters it", async (page) => {
  await open(page, "/view/many");
  await page.getByRole("treeitem", { name: /^group-00000/ }).waitFor();
  await page.getByRole("tree").focus();
  await page.keyboard.type("77777");
  await page.getByRole("treeitem", { name: /^group-77777/ }).waitFor();
  await page.keyboard.press("Enter");
  await until(page, "/view/many/group-77777");
  await page.keyboard.press("Escape");
});

await test("links are followed, in the tree and in attributes", async (page) => {
  await open(page, "/view/session.nwb.zarr");
  await page.getByRole("treeitem", { name: /^electrodes/ }).locator(".jump").click();
  await until(page, "/intervals/trials");
  await page.goBack();
  await page.getByRole("tab", { name: "Attributes" }).click();
  await page.getByRole("tabpanel").getByRole("link", { name: "/general/electrodes" }).click();
  await until(page, "/view/session.nwb.zarr/electrodes");
});

await test("the search finds nodes and rows", async (page) => {
  await open(page, "/view/session.nwb.zarr/units?view=table");
  await page.getByRole("treeitem", { name: /^units/ }).waitFor();
  await page.locator("body").press("/");
  await page.keyboard.type("12");
  await page.getByRole("option", { name: /Unit 12|Row 12/ }).waitFor();
  await page.keyboard.press("Enter");
  await until(page, "row=12");
  await page.locator("body").press("/");
  await page.keyboard.type("t2m");
  await page.getByRole("option", { name: /t2m/ }).waitFor();
  await page.keyboard.press("Enter");
  await until(page, "/view/era5.zarr/t2m");
});

await test("breadcrumbs are menus of siblings", async (page) => {
  await open(page, "/view/session.nwb.zarr/acquisition/wheel");
  await page.getByRole("button", { name: "Beside wheel" }).click();
  await page.getByRole("menuitem", { name: /ephys/ }).waitFor();
  await page.keyboard.press("Home");
  await page.keyboard.press("Enter");
  await until(page, "/acquisition/ephys");
});

await test("no room of any view fails", async (page) => {
  for (const at of ["/view/slide.ome.tif/tissue", "/view/slide.ome.tif/sharded", "/view/era5.zarr/t2m", "/view/era5.zarr/latitude", "/view/era5.zarr/station", "/view/era5.zarr/one", "/view/era5.zarr/empty", "/view/session.nwb.zarr/acquisition/ephys", "/view/session.nwb.zarr/units", "/view/session.nwb.zarr/intervals/trials"]) {
    await open(page, at);
    await page.getByText("View in").waitFor();
    for (const tab of ["Display", "Info", "Attributes", "Chunks"]) {
      await page.getByRole("tab", { name: tab }).click();
      await page.waitForTimeout(200);
      assert.equal(await page.getByText("This view failed").count(), 0, at + " " + tab);
    }
    await page.getByRole("tab", { name: "Display" }).click();
  }
});

await test("names from files are text", async (page) => {
  await open(page, "/view/era5.zarr/%3Cb%3Ex%3C%E2%88%95b%3E");
  await page.getByRole("heading", { name: "<b>x<∕b>", level: 1 }).waitFor();
  await page.getByText("<img src=x onerror=alert(1)>").first().waitFor();
});

await test("integers are not rounded", async (page) => {
  await open(page, "/view/slide.ome.tif/tissue");
  await page.getByRole("tab", { name: "Attributes" }).click();
  await page.getByText("9007199254740993").waitFor();
});

await test("lines for other programs are copied", async (page) => {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await open(page, "/view/era5.zarr/latitude");
  await page.getByRole("group", { name: "Language" }).getByRole("button", { name: "shell" }).click();
  await page.getByRole("button", { name: "Copy the shell" }).click();
  await page.getByText("shell copied").waitFor();
  assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^omnizarr cat /);
});

await test("problems have words and a way on", async (page) => {
  for (const [at, title] of [["forbidden", "Not allowed to open this"], ["codec", "Stored in a way we cannot read"], ["damaged", "Damaged"], ["absent", "There is nothing here"]]) {
    await open(page, "/view/states.zarr/" + at);
    await page.getByRole("heading", { name: title }).waitFor();
    await page.getByRole("button", { name: "Try again" }).waitFor();
  }
  await open(page, "/view/states.zarr/unfinished");
  await page.getByText("312 of 900 blocks").waitFor();
  await open(page, "/view/states.zarr/nothing");
  await page.getByText("There is nothing in this group").waitFor();
});

await test("a stopped server is told, and its return seen", async (page) => {
  await open(page, "/view/session.nwb.zarr");
  await page.getByRole("treeitem", { name: /^units/ }).waitFor();
  await page.route("**/api/**", (r) => r.abort());
  await page.getByRole("treeitem", { name: /^units/ }).click();
  await page.getByText("The server does not answer. Trying again").waitFor();
  await page.unroute("**/api/**");
  await page.getByText("The server does not answer. Trying again").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Raster" }).waitFor();
});

await test("children that do not come are asked for once, and again when wanted", async (page) => {
  let asked = 0;
  await page.route(/\/api\/children/, (r) => (asked++, r.fulfill({ status: 502, json: { error: "no list of it", kind: "upstream" } })));
  await open(page, "/view/era5.zarr/t2m");
  await page.getByRole("treeitem", { name: /no list of it/ }).waitFor();
  await page.waitForTimeout(500);
  assert.equal(asked, 1);
  await page.unroute(/\/api\/children/);
  await page.getByRole("treeitem", { name: /no list of it/ }).click();
  await page.getByRole("treeitem", { name: /^latitude/ }).waitFor();
});

await test("the theme follows the system until it is chosen", async (page) => {
  await open(page, "/view/era5.zarr");
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
  assert.equal(await theme(), "light");
  await page.getByRole("button", { name: "Dark theme" }).click();
  assert.equal(await theme(), "dark");
  await page.reload();
  assert.equal(await theme(), "dark");
}, { colorScheme: "light" });

await test("panels are moved and closed by keys", async (page) => {
  await open(page, "/view/era5.zarr");
  const tree = page.getByRole("navigation", { name: "Tree" });
  await tree.waitFor();
  await page.locator("body").press("[");
  await tree.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Show the tree" }).click();
  const width = async () => (await tree.boundingBox()).width;
  const before = await width();
  await page.getByRole("separator", { name: "Width of the left panel" }).focus();
  await page.keyboard.press("ArrowRight");
  assert.equal(await width(), before + 16);
});

await test("keys are listed", async (page) => {
  await open(page, "/view/era5.zarr");
  await page.locator("body").press("?");
  await page.getByRole("dialog", { name: "Keys" }).getByText("Filter the tree").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog", { name: "Keys" }).waitFor({ state: "hidden" });
});

await test("on a phone panels are sheets", async (page) => {
  await open(page, "/view/session.nwb.zarr");
  assert.equal(await page.getByRole("tree").count(), 0);
  await page.getByRole("button", { name: "Tree", exact: true }).click();
  await page.getByRole("treeitem", { name: /^units/ }).click();
  await until(page, "/units");
  await page.getByRole("tree").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Details" }).click();
  await page.getByRole("tab", { name: "Info" }).click();
  await page.getByRole("dialog", { name: "Details" }).getByText("Zarr", { exact: false }).first().waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog", { name: "Details" }).waitFor({ state: "detached" });
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
}, phone);

for (const [name, o] of [["dark", {}], ["light", { colorScheme: "light" }], ["a phone", phone]]) {
  await test("axe finds nothing serious, " + name, async (page) => {
    const bad = [];
    for (const at of ["/", "/view/session.nwb.zarr", "/view/slide.ome.tif/tissue", "/view/session.nwb.zarr/acquisition/ephys", "/view/session.nwb.zarr/units", "/view/session.nwb.zarr/intervals/trials", "/view/era5.zarr/t2m?view=array", "/view/era5.zarr/latitude", "/view/states.zarr/damaged"]) {
      await open(page, at);
      await page.waitForTimeout(700);
      for (const tab of at.includes("tissue") && !o.hasTouch ? ["Info", "Attributes", "Chunks", "Display"] : [""]) {
        if (tab) await page.getByRole("tab", { name: tab }).click();
        await page.waitForTimeout(tab ? 300 : 0);
        await page.evaluate(axe);
        const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
        for (const v of found.violations) if (["serious", "critical"].includes(v.impact)) bad.push(`${at} ${tab} ${v.id}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 120)).join(" | ")}`);
      }
    }
    assert.deepEqual(bad, []);
  }, { ...o, bypassCSP: true });
}

await browser.close();
await new Promise((done) => server.httpServer.close(done));
console.log(failed ? failed + " failed" : "all passed");
process.exit(failed ? 1 : 0);
