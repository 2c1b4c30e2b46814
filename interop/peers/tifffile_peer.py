"""tifffile's side: writes TIFF files of every kind, and reads those that Omnizarr wrote.

    tifffile_peer.py write DIR
    tifffile_peer.py read DIR RESULTS
    tifffile_peer.py same DIR COPIES RESULTS
"""
import itertools
import logging
import os
import sys
import zlib

import numpy as np
import tifffile

from common import digest, load, random, save
from tiff_images import check_counts, check_made, compare_files, planes_first

TYPES = ["u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f2", "f4", "f8", "c8", "c16"]
COMPRESSIONS = ["none", "lzw", "deflate", "adobe_deflate", "packbits", "zstd", "lzma"]
SIDES = (53, 61)


class Writer:
    """Files below a folder, and what Omnizarr must find in them."""

    def __init__(self, folder):
        self.folder, self.cases = folder, []

    def rng(self, name):
        """The name decides which values an image has, so that a new file changes no other."""
        return np.random.default_rng(zlib.crc32(name.encode()))

    def picture(self, name, dtype, shape):
        """Any patterns of bits, some of them repeated along rows."""
        data = random(dtype, shape, self.rng(name)).reshape(shape)
        return np.where(np.arange(data.size).reshape(shape) % 3 > 0, data, data.flat[0])

    def file(self, name, write, pages=False):
        """Has a file written, and takes what tifffile reads from it for right."""
        path = os.path.join(self.folder, name + ".tif")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        write(path)
        with tifffile.TiffFile(path) as f:
            series = f.series
            for i, s in enumerate(series):
                for j, level in enumerate(s.levels):
                    parts = [str(i)] * (len(series) > 1) + [str(j)] * (len(s.levels) > 1)
                    self.add(name, parts, level.asarray(), level.axes)
            if pages:
                for i, page in enumerate(f.pages):
                    self.directory(name, ["ifd", str(i)], page)
                    for j, sub in enumerate(page.pages or ()):
                        self.directory(name, ["ifd", str(i), str(j)], sub)

    def directory(self, name, parts, page):
        page = page.aspage()
        data = planes_first(page.asarray(), page.axes)[0]
        self.add(name, parts, data if data.ndim == 3 else data[None], "SYX")

    def add(self, name, parts, data, axes):
        data, names = planes_first(data, axes)
        self.cases.append({
            "name": "/".join([name, *parts]), "path": "/".join([name + ".tif", *parts]), "type": data.dtype.name, "shape": list(data.shape),
            "sha256": digest(data), "dimension_names": names,
        })


def matrix(w):
    """Every type, compression, predictor, arrangement of samples and byte order, in tiles and strips."""
    layouts = {
        "grey": ((), dict(photometric="minisblack")),
        "chunky": ((3,), dict(photometric="rgb", planarconfig="contig")),
        "planes": ((), dict(photometric="minisblack", planarconfig="separate")),
        "five": ((5,), dict(photometric="minisblack", planarconfig="contig")),
    }
    cuts = {"tiles": dict(tile=(32, 16)), "strips": dict(rowsperstrip=10), "strip": {}}
    for n, (dtype, compression, predictor, layout, order, cut) in enumerate(
            itertools.product(TYPES, COMPRESSIONS, (1, 2, 3), layouts, "<>", cuts)):
        if not fits(np.dtype(dtype), compression, predictor) or cut == "strip" and compression not in ("none", "lzw"):
            continue
        if layout == "five" and cut != "tiles":
            continue
        name = f"{np.dtype(dtype).name}/{compression}-p{predictor}/{layout}-{cut}-{'big' if order == '>' else 'little'}"
        last, options = layouts[layout]
        data = w.picture(name, dtype, ((4,) if layout == "planes" else ()) + SIDES + last)
        w.file(name, lambda path: tifffile.imwrite(
            path, data, compression=None if compression == "none" else compression, predictor=predictor if predictor > 1 else None,
            byteorder=order, bigtiff=n % 5 == 0, metadata=None, **options, **cuts[cut]))


def fits(dtype, compression, predictor):
    """Which predictors tifffile has for a type."""
    if predictor == 1:
        return True
    if compression in ("none", "packbits"):
        return False
    return dtype.kind == "f" if predictor == 3 else dtype.kind in "iu"


def lossy(w):
    """JPEG in all its kinds, which must decode to what libjpeg-turbo makes of it."""
    y, x = np.mgrid[:SIDES[0], :SIDES[1]]
    grey = (128 + 60 * np.sin(x / 9 + y / 31) + 50 * np.cos(y / 7)).astype(np.uint8)
    rgb = np.stack([grey, grey.T[:1].repeat(SIDES[0], 0)[:, :1].repeat(SIDES[1], 1), 255 - grey], -1)
    rgb = rgb ^ w.rng("jpeg").integers(0, 8, rgb.shape, np.uint8)
    for quality, cut in itertools.product((20, 75, 99), ("tiles", "strips")):
        how = dict(tile=(32, 32)) if cut == "tiles" else dict(rowsperstrip=16)
        args = dict(compression="jpeg", compressionargs={"level": quality}, metadata=None, **how)
        w.file(f"jpeg/grey-q{quality}-{cut}", lambda path: tifffile.imwrite(path, grey, photometric="minisblack", **args))
        w.file(f"jpeg/rgb-q{quality}-{cut}", lambda path: tifffile.imwrite(
            path, rgb, photometric="rgb", **{**args, "compressionargs": {"level": quality, "outcolorspace": "rgb"}}))
        for sampling in ((1, 1), (2, 1), (2, 2), (4, 1)):
            w.file(f"jpeg/ycbcr{sampling[0]}{sampling[1]}-q{quality}-{cut}",
                   lambda path: tifffile.imwrite(path, rgb, photometric="rgb", subsampling=sampling, **args))


def others(w):
    """Samples that are not whole bytes, and other meanings of samples."""
    bits = w.rng("bits")
    w.file("odd/bool-strips", lambda path: tifffile.imwrite(path, bits.integers(0, 2, SIDES).astype(bool), metadata=None))
    w.file("odd/bool-packbits", lambda path: tifffile.imwrite(
        path, bits.integers(0, 2, SIDES).astype(bool), compression="packbits", metadata=None))
    w.file("odd/miniswhite", lambda path: tifffile.imwrite(path, w.picture("w", "u1", SIDES), photometric="miniswhite", metadata=None))
    w.file("odd/palette", lambda path: tifffile.imwrite(
        path, w.picture("p", "u1", SIDES), photometric="palette", colormap=w.picture("c", "u2", (3, 256)), metadata=None))
    w.file("odd/cmyk", lambda path: tifffile.imwrite(path, w.picture("cmyk", "u1", (*SIDES, 4)), photometric="separated", metadata=None))
    w.file("odd/rgba", lambda path: tifffile.imwrite(
        path, w.picture("rgba", "u2", (*SIDES, 4)), photometric="rgb", extrasamples=["unassalpha"], metadata=None, tile=(16, 16)))
    w.file("odd/one-pixel", lambda path: tifffile.imwrite(path, w.picture("1", "u2", (1, 1)), metadata=None))
    w.file("odd/one-column", lambda path: tifffile.imwrite(path, w.picture("1", "u2", (50, 1)), metadata=None, compression="lzw"))
    for compression in ("webp", "jpeg2000", "png", "jpegxr", "jpegxl", "lerc"):
        data = w.picture(compression, "u1", (*SIDES, 3))
        w.file(f"unknown/{compression}", lambda path: tifffile.imwrite(path, data, photometric="rgb", compression=compression, metadata=None))
    w.file("unknown/volume", lambda path: tifffile.imwrite(path, w.picture("v", "u1", (20, *SIDES)), tile=(16, 16, 16), volumetric=True, metadata=None))


def stacks(w):
    """Pages that belong together: stacks, hyperstacks, pyramids, several images."""
    def stack(name, shape, dtype="u2", **options):
        w.file("stack/" + name, lambda path: tifffile.imwrite(path, w.picture(name, dtype, shape), **options), pages=True)

    plane = dict(photometric="minisblack")
    stack("shaped", (3, *SIDES), **plane)
    stack("shaped-4-d", (2, 3, *SIDES), **plane)
    stack("shaped-axes", (2, 3, *SIDES), **plane, metadata={"axes": "TZYX"})
    stack("shaped-rgb", (4, *SIDES, 3), "u1", photometric="rgb", tile=(16, 16), compression="zlib")
    stack("shaped-planes", (4, 3, *SIDES), "u1", photometric="rgb", planarconfig="separate")
    stack("bare", (3, *SIDES), **plane, metadata=None)
    stack("bare-big", (3, *SIDES), **plane, metadata=None, bigtiff=True, byteorder=">")
    stack("imagej", (2, 3, 4, *SIDES), **plane, imagej=True, metadata={"axes": "TZCYX", "unit": "um", "spacing": 0.5}, resolution=(4, 2))
    stack("imagej-z", (5, *SIDES), "f4", **plane, imagej=True, metadata={"axes": "ZYX"})
    stack("imagej-rgb", (2, *SIDES, 3), "u1", imagej=True, photometric="rgb", metadata={"axes": "TYXS"})
    stack("imagej-bytes", SIDES, "u1", imagej=True)
    ome = {"axes": "TCZYX", "PhysicalSizeX": 0.25, "PhysicalSizeXUnit": "µm", "PhysicalSizeY": 0.5, "PhysicalSizeYUnit": "µm",
           "PhysicalSizeZ": 2.0, "PhysicalSizeZUnit": "µm", "TimeIncrement": 0.1, "TimeIncrementUnit": "s"}
    stack("ome", (2, 3, 4, *SIDES), **plane, ome=True, metadata=ome)
    stack("ome-tiles-big", (2, 3, 4, *SIDES), **plane, ome=True, metadata=ome, tile=(16, 16), compression="lzw", byteorder=">", bigtiff=True)
    stack("ome-zct", (2, 3, 4, *SIDES), "i2", **plane, ome=True, metadata={"axes": "CTZYX"})
    stack("ome-rgb", (3, *SIDES, 3), "u1", photometric="rgb", ome=True, metadata={"axes": "ZYXS"})
    stack("ome-planes", (2, 3, *SIDES), "u1", photometric="rgb", planarconfig="separate", ome=True, metadata={"axes": "ZSYX"})
    stack("ome-f8", (1, 3, *SIDES), "f8", **plane, ome=True, metadata={"axes": "ZCYX"})

    def pyramid(name, shape, by_sub, levels=(2, 4), dtype="u2", series=1, **options):
        def write(path):
            with tifffile.TiffWriter(path, ome=options.pop("ome", False)) as f:
                for k in range(series):
                    at = len(shape) - (3 if shape[-1] == 3 else 2)
                    for n in (1, *levels):
                        size = [s if not at <= i < at + 2 else s // n for i, s in enumerate(shape)]
                        more = dict(subifds=len(levels)) if by_sub and n == 1 else {}
                        if n > 1:
                            more["subfiletype"] = 1
                        f.write(w.picture(f"{name}{k}{n}", dtype, tuple(size)), **options, **more)
        w.file("pyramid/" + name, write, pages=True)

    tiled = dict(tile=(32, 32), compression="zlib", predictor=True)
    pyramid("sub", (128, 96), True, **plane, **tiled)
    pyramid("sub-bare", (128, 96), True, **plane, **tiled, metadata=None)
    pyramid("pages", (128, 96), False, **plane, **tiled, metadata=None)
    pyramid("pages-rgb", (128, 96, 3), False, dtype="u1", photometric="rgb", **tiled, metadata=None)
    pyramid("ome", (2, 3, 128, 96), True, ome=True, **plane, **tiled, metadata={"axes": "CZYX"})
    pyramid("ome-rgb", (128, 96, 3), True, dtype="u1", ome=True, photometric="rgb", **tiled, metadata={"axes": "YXS"})
    pyramid("ome-two", (2, 128, 96), True, ome=True, series=2, **plane, **tiled, metadata={"axes": "CYX"})
    pyramid("two", (128, 96), True, series=2, **plane, **tiled)

    def several(path):
        with tifffile.TiffWriter(path) as f:
            f.write(w.picture("a", "u2", SIDES), **plane, metadata=None)
            f.write(w.picture("b", "u1", (20, 30, 3)), photometric="rgb", metadata=None)
            f.write(w.picture("c", "u2", SIDES), **plane, metadata=None)
            f.write(w.picture("d", "f4", (7, 9)), **plane, compression="zstd", metadata=None)
    w.file("stack/several", several, pages=True)


def write(folder):
    w = Writer(folder)
    for part in (matrix, lossy, others, stacks):
        part(w)
    save(folder, w.cases)


class Complaints(logging.Handler):
    """What tifffile logs, which is as good as an error; but for nodata of GDAL that it takes for too large."""

    def emit(self, record):
        said = record.getMessage()
        if "parsing GDAL_NODATA tag raised" not in said:
            raise ValueError(said)


def read(path, case):
    with tifffile.TiffFile(path) as f:
        images = [{"axes": s.axes, "levels": [planes_first(level.asarray(), level.axes)[0] for level in s.levels]} for s in f.series]
        if f.is_bigtiff != case["bigtiff"]:
            raise ValueError(f"BigTIFF: {f.is_bigtiff}")
        check_counts(case["images"], images)
        check_made(case, images)
        check_units(f, case)
    return images


def check_units(f, case):
    """The distances of pixels, which all sources with units have alike."""
    if not case["name"].startswith("pyramid/") or case["cog"]:
        return
    pixels = tifffile.xml2dict(f.ome_metadata)["OME"]["Image"]["Pixels"]
    want = {"PhysicalSizeY": 0.5, "PhysicalSizeX": 0.25}
    if "Z" in case["images"][0]["axes"]:
        want |= {"PhysicalSizeZ": 2, "TimeIncrement": 0.5}
    for name, value in want.items():
        if (pixels[name], pixels[name + "Unit"]) != (value, "s" if name == "TimeIncrement" else "µm"):
            raise ValueError(f"{name} is {pixels[name]} {pixels[name + 'Unit']}")


def same(folder, copies, results):
    """Compares what tifffile finds in copies with what it finds in its own files."""
    def read(path, case):
        with tifffile.TiffFile(os.path.join(folder, case["path"])) as a, tifffile.TiffFile(path) as b:
            if len(a.series) != len(b.series):
                raise ValueError(f"{len(b.series)} images, not {len(a.series)}")
            for p, q in zip(a.series, b.series):
                if seen(p) != seen(q):
                    raise ValueError(f"{seen(q)}, not {seen(p)}")
            if a.is_ome and any(sizes(a)) and sizes(a) != sizes(b):
                raise ValueError(f"sizes {sizes(b)}, not {sizes(a)}")
        return []

    compare_files([{**case, "images": []} for case in load(copies)], copies, results, read)


def seen(series):
    """Axes, types, shapes and values of all levels, samples before rows: Omnizarr writes no planes."""
    out = []
    for level in series.levels:
        data, names = planes_first(level.asarray(), level.axes)
        out.append((names, data.shape, data.dtype.name, digest(data)[:8]))
    return out


def sizes(f):
    """The sizes of pixels by OME-XML."""
    images = tifffile.xml2dict(f.ome_metadata)["OME"]["Image"]
    return [{k: v for k, v in image["Pixels"].items() if k.startswith(("PhysicalSize", "TimeIncrement"))}
            for image in (images if isinstance(images, list) else [images])]


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(sys.argv[2])
        sys.exit()
    tifffile.logger().addHandler(Complaints())
    tifffile.logger().propagate = False
    if sys.argv[1] == "same":
        same(*sys.argv[2:])
    else:
        compare_files(load(sys.argv[2]), sys.argv[2], sys.argv[3], read)
