"""Writes a TIFF file that looks like something: cells on an uneven ground, with the noise of a camera.

tissue.py FILE MIB: so many MiB of uint16 planes of 4096 x 4096, in deflated tiles, by tifffile.
"""

import sys

import numpy as np
import tifffile

SIDE, TILE = 4096, 512


def plane(z: int) -> np.ndarray:
    random = np.random.default_rng(z)
    y, x = np.mgrid[0:SIDE, 0:SIDE].astype(np.float32)
    ground = 400 + 150 * np.sin(x / 700 + z / 9) * np.cos(y / 900)
    cells = np.zeros((SIDE, SIDE), np.float32)
    places = np.random.default_rng(7).integers(40, SIDE - 40, (1200, 2))
    for k, (cy, cx) in enumerate(places):
        cy, cx, r = cy + z % 7, cx + (z * k) % 5, 8 + k % 17
        dy, dx = np.mgrid[-2 * r : 2 * r, -2 * r : 2 * r]
        spot = 900 * np.exp(-(dy**2 + dx**2) / (0.6 * r * r))
        part = cells[max(cy - 2 * r, 0) : cy + 2 * r, max(cx - 2 * r, 0) : cx + 2 * r]
        part += spot[-part.shape[0] :, -part.shape[1] :]
    noise = random.normal(0, 6, (SIDE, SIDE)).astype(np.float32)
    return np.clip(ground + cells + noise, 0, 65535).astype(np.uint16)


def tiles(planes: int):
    for z in range(planes):
        whole = plane(z)
        for y in range(0, SIDE, TILE):
            for x in range(0, SIDE, TILE):
                yield whole[y : y + TILE, x : x + TILE]


def main() -> None:
    path, mib = sys.argv[1], int(sys.argv[2])
    planes = mib // (SIDE * SIDE * 2 >> 20)
    with tifffile.TiffWriter(path, bigtiff=True, ome=True) as f:
        f.write(
            tiles(planes),
            shape=(planes, SIDE, SIDE),
            dtype=np.uint16,
            tile=(TILE, TILE),
            compression="zlib",
            predictor=True,
            photometric="minisblack",
            metadata={"axes": "ZYX"},
        )


main()
