// How values become colours, the same for both ways of drawing.

export type ChannelLook = {
  channel: number;
  lo: number;
  hi: number;
  gamma: number;
  /** From 0 to 1, with opacity in it. */
  r: number;
  g: number;
  b: number;
};

export type Look = {
  channels: ChannelLook[];
  /** 256 colours for the one channel, or null for channel colours. */
  map: Uint8Array<ArrayBuffer> | null;
  /** The fourth channel is how much of a pixel there is. */
  alpha: boolean;
  /** Changes whenever anything here does. */
  version: number;
};

/** The squares that stand where nothing was measured, as 0xBBGGRR. */
export const missingDark = 0x1f1916;
export const missingLight = 0x2a221e;
export const missingSize = 6;

/** Composes a tile's channels into RGBA, as the shader does. Pixels without any value stay clear. */
export function compose(look: Look, data: (ArrayLike<number> | null)[], n: number, out: Uint32Array): void {
  const count = look.channels.length;
  const map = look.map ? new Uint32Array(look.map.buffer) : null;
  const k = look.channels.map((c) => 1 / (c.hi - c.lo));
  for (let i = 0; i < n; i++) {
    let r = 0;
    let g = 0;
    let b = 0;
    let a = 1;
    let seen = 0;
    for (let c = 0; c < count; c++) {
      const v = data[c]?.[i];
      if (v === undefined || v !== v) continue;
      const l = look.channels[c]!;
      let t = (v - l.lo) * k[c]!;
      t = t < 0 ? 0 : t > 1 ? 1 : t;
      if (l.gamma !== 1) t = t ** l.gamma;
      if (look.alpha && c === 3) {
        a = t;
        continue;
      }
      seen++;
      if (map) {
        const m = map[Math.round(t * 255)]!;
        r += (m & 255) / 255;
        g += ((m >> 8) & 255) / 255;
        b += ((m >> 16) & 255) / 255;
      } else {
        r += t * l.r;
        g += t * l.g;
        b += t * l.b;
      }
    }
    out[i] = seen === 0 ? 0 : ((Math.round(a * 255) << 24) | (byte(b) << 16) | (byte(g) << 8) | byte(r)) >>> 0;
  }
}

const byte = (v: number) => (v >= 1 ? 255 : Math.round(v * 255));

/** Keeps of painted labels only the pixels at the edge of a label. */
export function outlines(paint: Uint32Array, width: number, height: number): Uint32Array<ArrayBuffer> {
  const out = new Uint32Array(paint.length);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const i = y * width + x;
      const v = paint[i]!;
      if (v === 0) continue;
      const edge = (x > 0 && paint[i - 1] !== v) || (x < width - 1 && paint[i + 1] !== v) || (y > 0 && paint[i - width] !== v) || (y < height - 1 && paint[i + width] !== v);
      if (edge) out[i] = v;
    }
  }
  return out;
}
