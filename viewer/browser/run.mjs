// Runs every test of the page in a browser, one after another, and fails when one does: npm run browser.
import { execFileSync, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const cwd = fileURLToPath(new URL("..", import.meta.url));
// What is committed is built of what is committed; only sources that differ need a build.
const changed = execFileSync("git", ["status", "--porcelain", "--", "src", "public", "index.html", "vite.config.ts", "package.json"], { cwd, encoding: "utf8" });
if (changed) {
  const build = spawnSync("npm", ["run", "--silent", "build"], { cwd, stdio: "inherit" });
  if (build.status !== 0) process.exit(1);
}
let failed = 0;
for (const name of ["page", "data", "image", "served"]) {
  const began = Date.now();
  console.log(`--- ${name}`);
  const { status } = spawnSync(process.execPath, [`browser/${name}.mjs`], { cwd, stdio: "inherit" });
  if (status !== 0) failed++;
  console.log(`--- ${name}: ${status === 0 ? "passed" : "FAILED"} in ${Math.round((Date.now() - began) / 1000)} s`);
}
process.exit(failed ? 1 : 0);
