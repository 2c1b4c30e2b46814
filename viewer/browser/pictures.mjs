// Takes the pictures of docs/viewer, of what the demo serves:
//   go run ../cmd/omnizarr demo --no-open --addr 127.0.0.1:8123 &
//   node browser/pictures.mjs http://127.0.0.1:8123 ../docs/viewer [name...]
import { chromium } from "playwright-core";

const [base, folder, ...only] = process.argv.slice(2);
const views = {
  start: "/",
  cells: "/view/cells.zarr",
  labels: "/view/cells.zarr?labels=nuclei",
  tissue: "/view/tissue.ome.tif",
  planet: "/view/planet.zarr/temperature?time=6",
  brain: "/view/brain.n5/em",
  series: "/view/session.nwb.zarr/acquisition/lfp?from=18&to=26",
  spikes: "/view/session.nwb.zarr/units?from=0&to=60",
  table: "/view/session.nwb.zarr/intervals/trials",
  numbers: "/view/planet.zarr/height?view=array",
  group: "/view/session.nwb.zarr",
};
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
});
for (const [name, path] of Object.entries(views)) {
  if (only.length && !only.includes(name)) continue;
  for (const colorScheme of ["dark", "light"]) {
    for (const [end, viewport] of [["", { width: 1440, height: 900 }], ["-phone", { width: 390, height: 844 }]]) {
      const page = await browser.newPage({ viewport, colorScheme, reducedMotion: "reduce" });
      await page.goto(base + path);
      await page.waitForLoadState("networkidle");
      await page.waitForTimeout(1500);
      if (!end) await page.mouse.move(620, 430);
      await page.waitForTimeout(300);
      await page.screenshot({ path: `${folder}/${name}-${colorScheme}${end}.jpg`, type: "jpeg", quality: 82 });
      await page.close();
    }
  }
}
await browser.close();
