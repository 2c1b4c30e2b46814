// The levels of an image as grids of tiles, and which of them to show.

export type Grid = {
  level: number;
  width: number; // in indices of this level
  height: number;
  tileX: number;
  tileY: number;
  across: number; // tiles
  down: number;
  scaleX: number; // indices of level 0 per index of this level
  scaleY: number;
};

const near = 512;

/** A tile's side: whole chunks, near 512, so that a chunk is not decoded for two tiles without need. */
export function tileSide(chunk: number): number {
  if (chunk < 32) return near;
  if (chunk <= near) return chunk * Math.floor(near / chunk);
  // A large chunk is cut into equal parts.
  return Math.ceil(chunk / Math.ceil(chunk / (near * 1.5)));
}

/** A level that is hardly larger than a tile is one tile: one request in place of four. */
function whole(size: number, side: number): number {
  return size <= near * 1.25 ? Math.max(1, size) : side;
}

export function grids(
  levels: { shape: number[]; chunks: number[]; scale: number[] }[],
  x: number,
  y: number,
): Grid[] {
  // The side is the same on all levels, so that a tile lies within one tile of each coarser level.
  const sideX = tileSide(levels[0]!.chunks[x]!);
  const sideY = tileSide(levels[0]!.chunks[y]!);
  return levels.map((l, level) => {
    const width = l.shape[x]!;
    const height = l.shape[y]!;
    const tileX = whole(width, sideX);
    const tileY = whole(height, sideY);
    return {
      level,
      width,
      height,
      tileX,
      tileY,
      across: Math.ceil(width / tileX),
      down: Math.ceil(height / tileY),
      scaleX: l.scale[x] || 1,
      scaleY: l.scale[y] || 1,
    };
  });
}

/** The coarsest level that is still sharp: at `zoom` device pixels per index of level 0 its pixels take at most 1.5. */
export function chooseLevel(levels: readonly Grid[], zoom: number): number {
  for (let i = levels.length - 1; i > 0; i--) {
    if (zoom * levels[i]!.scaleX <= 1.5) return i;
  }
  return 0;
}

/** Tiles of a level that a rectangle of level 0 touches, as tx0, ty0, tx1, ty1 (half open), written into out. */
export function touched(g: Grid, rect: Float64Array, out: Int32Array): Int32Array {
  const stepX = g.tileX * g.scaleX;
  const stepY = g.tileY * g.scaleY;
  out[0] = Math.max(0, Math.floor(rect[0]! / stepX));
  out[1] = Math.max(0, Math.floor(rect[1]! / stepY));
  out[2] = Math.min(g.across, Math.max(0, Math.ceil(rect[2]! / stepX)));
  out[3] = Math.min(g.down, Math.max(0, Math.ceil(rect[3]! / stepY)));
  return out;
}

/** An index of level 0 along an axis as the index of a level. */
export function levelIndex(index: number, scale: number, size: number): number {
  return Math.min(Math.max(0, Math.floor(index / (scale || 1))), Math.max(0, size - 1));
}
