// Reads a PNG as browsers write screenshots: 8 bits, RGB or RGBA, not interlaced.
import { inflateSync } from "node:zlib";

export function decode(png) {
  let width = 0, height = 0, step = 4;
  const parts = [];
  for (let i = 8; i < png.length; ) {
    const n = png.readUInt32BE(i), type = png.toString("latin1", i + 4, i + 8), data = png.subarray(i + 8, i + 8 + n);
    if (type === "IHDR") {
      width = data.readUInt32BE(0);
      height = data.readUInt32BE(4);
      if (data[8] !== 8 || (data[9] !== 6 && data[9] !== 2) || data[12] !== 0) throw new Error("a PNG of another kind");
      step = data[9] === 6 ? 4 : 3;
    } else if (type === "IDAT") parts.push(data);
    i += n + 12;
  }
  const raw = inflateSync(Buffer.concat(parts)), row = width * step, out = new Uint8Array(row * height);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (row + 1)];
    for (let k = 0; k < row; k++) {
      const left = k >= step ? out[y * row + k - step] : 0, up = y ? out[(y - 1) * row + k] : 0, both = y && k >= step ? out[(y - 1) * row + k - step] : 0;
      const p = left + up - both, [a, b, c] = [Math.abs(p - left), Math.abs(p - up), Math.abs(p - both)];
      const guess = [0, left, up, (left + up) >> 1, a <= b && a <= c ? left : b <= c ? up : both][filter];
      out[y * row + k] = (raw[y * (row + 1) + 1 + k] + guess) & 255;
    }
  }
  return { width, height, at: (x, y) => Array.from(out.subarray(y * row + x * step, y * row + x * step + 3)) };
}
