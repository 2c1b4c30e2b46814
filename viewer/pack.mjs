// Puts beside every file of the page the same one compressed, smaller than a server would make it in a moment. Only the
// file decides what comes out, so that the same sources build the same bytes.
import { readdir, readFile, writeFile } from "node:fs/promises";
import { gzipAsync } from "@gfx/zopfli";

const folder = new URL("dist/assets/", import.meta.url);
let sum = 0;
for (const name of await readdir(folder)) {
  const small = await gzipAsync(await readFile(new URL(name, folder)), { numiterations: 60 });
  await writeFile(new URL(name + ".gz", folder), small);
  console.log(`${name}.gz has ${small.length} bytes`);
  sum += small.length;
}
console.log(`together ${sum}`);
