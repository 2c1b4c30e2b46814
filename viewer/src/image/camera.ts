// Where the eye is: the centre in indices of level 0 (pixel i covers [i, i+1)) and screen pixels per index.
// One object is kept and changed in place, so that nothing is allocated while one pans.

export type Camera = {
  x: number;
  y: number;
  zoom: number; // screen pixels per index of x
  width: number; // of the canvas, in screen pixels
  height: number;
  aspect: number; // how much taller than wide a pixel is
  up: boolean; // y grows upwards
  sizeX: number; // of level 0
  sizeY: number;
};

export function newCamera(sizeX: number, sizeY: number, aspect = 1, up = false): Camera {
  return { x: sizeX / 2, y: sizeY / 2, zoom: 1, width: 1, height: 1, aspect, up, sizeX, sizeY };
}

export const zoomY = (c: Camera) => (c.up ? -c.zoom : c.zoom) * c.aspect;
export const screenX = (c: Camera, x: number) => (x - c.x) * c.zoom + c.width / 2;
export const screenY = (c: Camera, y: number) => (y - c.y) * zoomY(c) + c.height / 2;
export const indexX = (c: Camera, sx: number) => (sx - c.width / 2) / c.zoom + c.x;
export const indexY = (c: Camera, sy: number) => (sy - c.height / 2) / zoomY(c) + c.y;

/** The zoom at which the whole picture is seen, with room for what lies over it. */
export function fitZoom(c: Camera, margin = 0): number {
  const w = Math.max(1, c.width - 2 * margin);
  const h = Math.max(1, c.height - 2 * margin);
  return Math.min(w / Math.max(1, c.sizeX), h / Math.max(1, c.sizeY * c.aspect));
}

export function fit(c: Camera, margin = 0): void {
  c.zoom = Math.min(fitZoom(c, margin), 64);
  c.x = c.sizeX / 2;
  c.y = c.sizeY / 2;
}

/** Zoom stays between half of what fits and a hundred screen pixels per pixel. */
export function clampZoom(c: Camera, zoom: number): number {
  const least = Math.min(1, fitZoom(c)) / 2;
  return Math.min(Math.max(zoom, least), 128);
}

/** Some of the picture always stays in sight. */
export function clampCentre(c: Camera): void {
  const keepX = Math.min(c.width / 2 - 24, c.width / 4) / c.zoom;
  const keepY = Math.min(c.height / 2 - 24, c.height / 4) / (c.zoom * c.aspect);
  c.x = Math.min(Math.max(c.x, -keepX), c.sizeX + keepX);
  c.y = Math.min(Math.max(c.y, -keepY), c.sizeY + keepY);
}

/** Zooms by a factor so that what is under (sx, sy) stays there. */
export function zoomAt(c: Camera, factor: number, sx: number, sy: number): void {
  const x = indexX(c, sx);
  const y = indexY(c, sy);
  c.zoom = clampZoom(c, c.zoom * factor);
  c.x = x - (sx - c.width / 2) / c.zoom;
  c.y = y - (sy - c.height / 2) / zoomY(c);
  clampCentre(c);
}

/** Moves the picture by screen pixels. */
export function panBy(c: Camera, dx: number, dy: number): void {
  c.x -= dx / c.zoom;
  c.y -= dy / zoomY(c);
  clampCentre(c);
}

/** The part of level 0 in sight, written into out as x0, y0, x1, y1, cut to the picture. */
export function inSight(c: Camera, out: Float64Array): Float64Array {
  const hx = c.width / 2 / c.zoom;
  const hy = c.height / 2 / (c.zoom * c.aspect);
  out[0] = Math.max(0, c.x - hx);
  out[1] = Math.max(0, c.y - hy);
  out[2] = Math.min(c.sizeX, c.x + hx);
  out[3] = Math.min(c.sizeY, c.y + hy);
  return out;
}
