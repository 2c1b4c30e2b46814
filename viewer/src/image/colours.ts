// Colour maps as a few stops each, colours of channels and of labels.

const stops: Record<string, string> = {
  grey: "000000 ffffff",
  viridis: "440154 482878 3e4a89 31688e 26828e 1f9e89 35b779 6ece58 b5de2b fde725",
  magma: "000004 180f3d 440f76 721f81 9e2f7f cd4071 f1605d fd9668 feca8d fcfdbf",
  inferno: "000004 1b0c41 4a0c6b 781c6d a52c60 cf4446 ed6925 fb9b06 f7d13d fcffa4",
  cividis: "00224e 123570 3b496c 575d6d 707173 8a8678 a59c74 c3b369 e1cc55 fee838",
  turbo: "30123b 4145ab 4675ed 39a2fc 1bcfd4 24eca6 61fc6c a4fc3b d1e834 f3c63a fe9b2d f36315 d93806 b11901 7a0403",
  coolwarm: "3b4cc0 6788ee 9abbff c9d7f0 dddddd edd1c2 f7a889 e26952 b40426",
};

export const mapNames = Object.keys(stops);

/** 256 colours of a map as RGBA; a name that ends in _r is reversed, one that is not known is grey. */
export function lut(name: string): Uint8Array<ArrayBuffer> {
  const reversed = name.endsWith("_r");
  const list = (stops[reversed ? name.slice(0, -2) : name] ?? stops.grey!).split(" ").map(parse);
  const out = new Uint8Array(256 * 4);
  for (let i = 0; i < 256; i++) {
    const t = ((reversed ? 255 - i : i) / 255) * (list.length - 1);
    const k = Math.min(list.length - 2, Math.floor(t));
    const f = t - k;
    for (let c = 0; c < 3; c++) out[i * 4 + c] = Math.round(list[k]![c]! * (1 - f) + list[k + 1]![c]! * f);
    out[i * 4 + 3] = 255;
  }
  return out;
}

function parse(hex: string): [number, number, number] {
  const v = Number.parseInt(hex, 16);
  return [(v >> 16) & 255, (v >> 8) & 255, v & 255];
}

/** "#4aa8ff" or "4AA8FF" as numbers from 0 to 255; white when it is neither. */
export function rgb(colour: string): [number, number, number] {
  const m = /^#?([0-9a-f]{6})/i.exec(colour);
  return m ? parse(m[1]!) : [255, 255, 255];
}

/** A colour as the address and colour boxes write it. */
export function hex(colour: string): string {
  return "#" + rgb(colour).map((v) => v.toString(16).padStart(2, "0")).join("");
}

/** A channel's colour where the file gives none, or gives black. */
export function channelColour(given: string, i: number, n: number): string {
  if (given && hex(given) !== "#000000") return hex(given);
  if (n === 1) return "#ffffff";
  return ["#4aa8ff", "#54e39b", "#ff6d8a", "#ffd166", "#c792ff", "#5ee6e6"][i % 6]!;
}

/**
 * A label's colour: the same for the same number everywhere, bright, neighbours far apart. Red in the lowest byte, as
 * textures and ImageData want it; 0, the background, is clear.
 */
export function labelColour(label: number): number {
  if (label === 0) return 0;
  let h = Math.imul(label, 0x9e3779b1) >>> 0;
  h = Math.imul(h ^ (h >>> 15), 0x85ebca6b) >>> 0;
  h = (h ^ (h >>> 13)) >>> 0;
  const hue = (h & 0xffff) / 65536;
  const s = 0.55 + ((h >>> 16) & 0xff) / 255 * 0.35;
  const v = 0.8 + ((h >>> 24) & 0xff) / 255 * 0.2;
  const f = (n: number) => {
    const k = (n + hue * 6) % 6;
    return Math.round(255 * (v - v * s * Math.max(0, Math.min(k, 4 - k, 1))));
  };
  return ((255 << 24) | (f(1) << 16) | (f(3) << 8) | f(5)) >>> 0;
}

/** Colours of many labels, those the file gives first. */
export function paintLabels(labels: Uint32Array, given: Map<number, number>): Uint32Array<ArrayBuffer> {
  const out = new Uint32Array(labels.length);
  let last = 0;
  let colour = 0;
  for (let i = 0; i < labels.length; i++) {
    const l = labels[i]!;
    if (l !== last) {
      last = l;
      colour = given.get(l) ?? labelColour(l);
    }
    out[i] = colour;
  }
  return out;
}

/** Colours of labels as a file gives them ("#rrggbb" or "#rrggbbaa"), packed as labelColour does. */
export function givenColours(list: [number, string][] | undefined): Map<number, number> {
  const map = new Map<number, number>();
  for (const [label, colour] of list ?? []) {
    const [r, g, b] = rgb(colour);
    const a = /^#?[0-9a-f]{8}$/i.test(colour) ? Number.parseInt(colour.slice(-2), 16) : 255;
    map.set(label >>> 0, ((a << 24) | (b << 16) | (g << 8) | r) >>> 0);
  }
  return map;
}
