"""The rows tiff/*: TIFF files, read whole, two threads each. See README.md.

    tiffs.py DIR SHRINK ROWS...    write the files of rows, with images of 1/SHRINK of the side
"""
import os
import sys

import ratios

THREADS = 2
KINDS = {"rgb8": 8192, "u16": 4096, "f32": 4096}  # and the sides of their images
COMPRESSIONS = {
    "none": dict(compression=None),
    "lzw-p2": dict(compression="lzw", predictor=2),
    "deflate-p2": dict(compression="adobe_deflate", predictor=2),
    "packbits": dict(compression="packbits"),
    "zstd": dict(compression="zstd"),
    "jpeg420-q90": dict(compression="jpeg", compressionargs={"level": 90}, subsampling=(2, 2)),
    "deflate-p3": dict(compression="adobe_deflate", predictor=3),
}
COLUMNS = ["omnizarr", "tifffile", "libtiff"]


def fits(kind, compression):
    """Predictor 3 is for floats, and the one that they have here; JPEG is for bytes."""
    return (kind == "f32") == (compression == "deflate-p3") and (kind == "rgb8" or not compression.startswith("jpeg"))


ROWS = [f"tiff/{kind}-{compression}-t{tile}" for kind in KINDS for tile in (256, 512) for compression in COMPRESSIONS
        if fits(kind, compression)]
# The same images as programs want them, samples of a pixel together.
ROWS += [f"tiff-pixels/rgb8-{compression}-t256" for compression in COMPRESSIONS if fits("rgb8", compression)]


def path(folder, row):
    return f"{folder}/{row.rpartition('/')[2]}.tif"


def make(folder, shrink, rows):
    """Writes the files that are not there yet, with tifffile."""
    import tifffile
    os.makedirs(folder, exist_ok=True)
    images = {}
    for row in rows:
        if os.path.exists(path(folder, row)):
            continue
        kind, _, compression = row.rpartition("/")[2].partition("-")
        compression, _, tile = compression.rpartition("-t")
        if kind not in images:
            images = {kind: image(kind, KINDS[kind] // shrink)}
        temp = path(folder, row) + ".tmp"
        tifffile.imwrite(temp, images[kind], tile=(int(tile), int(tile)), maxworkers=THREADS,
                         photometric="rgb" if kind == "rgb8" else "minisblack", **COMPRESSIONS[compression])
        os.rename(temp, path(folder, row))


def image(kind, side):
    """A smooth random field with noise, for each colour; floats have twelve bits or so that are not zero."""
    import numpy as np
    rng = np.random.default_rng(20261115)

    def field(highest, lowest, noise):
        cell = 32
        corners = rng.random((side // cell + 2,) * 2, dtype=np.float32) * highest
        at = np.arange(side)
        k, t = at // cell, (at % cell / cell).astype(np.float32)
        rows = corners[k] * (1 - t)[:, None] + corners[k + 1] * t[:, None]
        return rows[:, k] * (1 - t) + rows[:, k + 1] * t + lowest + noise * rng.standard_normal((side, side), dtype=np.float32)

    if kind == "rgb8":
        return np.stack([field(180, 40, 2).astype(np.uint8) for _ in range(3)], axis=-1)
    data = field(900, 200, 5)
    return data.astype(np.uint16) if kind == "u16" else np.round(data * 16) / np.float32(1024)


def compare(row, cells):
    """Everybody must have the same pixels, as far as a sum over every 4097th byte tells."""
    sums = {who: r["sum"] for who, r in cells.items()}
    if len(set(sums.values())) > 1:
        raise SystemExit(f"{row}: different pixels: {sums}")


def table(results, speed):
    columns = [c for c in COLUMNS if any(c in cells for cells in results.values())]
    lines = ["| two threads | Omnizarr | " + " | ".join(columns[1:]) + " | to the better peer |", "|---" * (len(columns) + 2) + "|"]
    for row, cells in results.items():
        shown = [f"**{speed(cells['omnizarr'])}**"] + [speed(cells[c]) for c in columns[1:]]
        shown.append(ratios.to_best(cells["omnizarr"], ratios.others(cells)))
        lines.append(f"| {row} | " + " | ".join(shown) + " |")
    if "libtiff" not in columns:
        lines += ["", "libtiff is left out: there is no C compiler, or no headers of it."]
    return "\n".join(lines)


if __name__ == "__main__":
    make(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
