"""GDAL's side, by rasterio: writes GeoTIFFs, and reads what Omnizarr wrote.

    gdal_peer.py write DIR
    gdal_peer.py read DIR RESULTS
    gdal_peer.py same DIR COPIES RESULTS
"""
import math
import os
import sys
import tempfile
import warnings
import zlib

import numpy as np
import rasterio
from rasterio.enums import Resampling
from rasterio.errors import NotGeoreferencedWarning
from rio_cogeo import cog_validate

from common import digest, load, random, save
from tiff_images import check_counts, compare_files

PLACE = rasterio.Affine(10, 0, 399960, 0, -10, 5500020)


class Writer:
    """Files below a folder, and what Omnizarr must find in them."""

    def __init__(self, folder):
        self.folder, self.cases = folder, []

    def file(self, name, dtype, count, nodata=None, tags=None, epsg=32633, place=PLACE, overviews=(), clear=None, mask=False, shape=(150, 203),
             driver="GTiff", data=None, shown=None, **options):
        """Writes a file with random values, and takes what GDAL reads from it for right."""
        path = os.path.join(self.folder, name + ".tif")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if data is None:
            data = random(dtype, (count, *shape), np.random.default_rng(zlib.crc32(name.encode())))
        if nodata is not None:
            data[:, 20:70, 30:90] = nodata
        if clear is not None:
            data[:, :64, :64] = clear
        profile = dict(driver=driver, dtype=dtype, count=count, height=data.shape[1], width=data.shape[2], nodata=nodata, transform=place, **options)
        if epsg:
            profile["crs"] = rasterio.CRS.from_epsg(epsg)
        with rasterio.Env(GDAL_TIFF_INTERNAL_MASK=True), rasterio.open(path, "w", **profile) as f:
            if clear is None:
                f.write(data)
            else:  # nothing is written where a sparse file has no tiles
                for (_, window) in f.block_windows(1):
                    if window.row_off >= 64 or window.col_off >= 64:
                        rows, columns = window.toslices()
                        f.write(data[:, rows, columns], window=window)
            if tags:
                f.update_tags(**tags)
            if mask:
                f.write_mask(np.arange(data[0].size).reshape(data[0].shape) % 7 > 2)
        if overviews:
            with rasterio.open(path, "r+") as f:
                f.build_overviews(overviews, Resampling.average)
        self.expect(name, path, shown or dtype, tags, epsg, place, nodata, mask)

    def expect(self, name, path, dtype, tags, epsg, place, nodata, mask):
        with rasterio.open(path) as f:
            levels = f.overviews(1)
            arrays = [f.read()] + [read_level(path, i) for i in range(len(levels))]
        about = {}
        if epsg:
            about["proj:code"] = f"EPSG:{epsg}"
        about["spatial:transform"] = list(place)[:6]
        if tags:
            about["gdal_metadata"] = [{"name": k, "value": v} for k, v in tags.items()]
        base = name + ".tif" + "/0" * mask  # a mask is an image of its own
        if levels:
            self.cases.append({"name": name, "path": base, "has": about, "sha256": ""})
        for i, data in enumerate(arrays):
            data = (data if len(data) > 1 else data[0]).astype(dtype, copy=False)
            if levels:
                by = [arrays[0].shape[k] / data.shape[k] for k in (-1, -2)]
                about = {"spatial:shape": list(data.shape[-2:]), "spatial:transform": list(place @ rasterio.Affine.scale(*by))[:6]}
            self.cases.append({
                "name": f"{name}/{i}" if levels else name, "path": f"{base}/{i}" if levels else base, "type": dtype, "shape": list(data.shape),
                "sha256": digest(data), "has": about, "fill_value": fill(nodata, dtype),
            })
        if mask:
            with rasterio.open(path) as f:
                data = f.dataset_mask() > 0
            self.cases.append({"name": name + "/mask", "path": name + ".tif/1", "type": "bool", "shape": list(data.shape), "sha256": digest(data)})


def read_level(path, i):
    with rasterio.open(path, OVERVIEW_LEVEL=i) as f:
        return f.read()


def fill(nodata, dtype):
    """The fill value as metadata spells it."""
    if nodata is None:
        nodata = 0
    if dtype == "bool":
        return bool(nodata)
    if dtype.startswith("complex"):
        return [0.0, 0.0]
    if dtype.startswith("float"):
        return "NaN" if math.isnan(nodata) else float(nodata)
    return int(nodata)


def write(folder):
    w = Writer(folder)
    for dtype in ("uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float32", "float64", "complex64", "complex128"):
        for n, compress in enumerate(("none", "lzw", "deflate", "zstd", "packbits", "lzma")):
            predictor = 1
            if compress in ("lzw", "deflate", "zstd") and not dtype.startswith("complex"):
                predictor = 3 if dtype.startswith("float") else 2
            tiled = dict(tiled=True, blockxsize=64, blockysize=48) if n % 2 else dict(blockysize=20)
            for interleave in ("pixel", "band"):
                w.file(f"type/{dtype}/{compress}-{interleave}", dtype, 3, compress=compress, interleave=interleave,
                       **(dict(predictor=predictor) if predictor > 1 else {}), **tiled, bigtiff="yes" if n == 3 else "no", endianness="big" if n == 2 else "little")
    tiles = dict(tiled=True, blockxsize=64, blockysize=64)
    tags = {"mission": "<a&b>", "pass": "7"}
    w.file("geo/plain", "uint16", 1, **tiles)
    w.file("geo/tags", "uint16", 1, tags=tags, **tiles)
    w.file("geo/wgs84", "float32", 1, epsg=4326, place=rasterio.Affine(0.25, 0, -20, 0, -0.5, 60), **tiles)
    w.file("geo/rotated", "uint8", 1, place=rasterio.Affine(8, 6, 399960, 6, -8, 5500020), **tiles)
    w.file("geo/no-crs", "uint8", 1, epsg=None, **tiles)
    for dtype, nodata in (("uint8", 255), ("int16", -9999), ("float32", math.nan), ("float64", -1e30), ("uint32", 4294967295)):
        w.file(f"nodata/{dtype}", dtype, 1, nodata=nodata, **tiles)
        w.file(f"sparse/{dtype}", dtype, 1, nodata=nodata, clear=nodata, sparse_ok=True, **tiles)
    w.file("sparse/zero", "uint16", 3, clear=0, sparse_ok=True, compress="deflate", **tiles)
    w.file("sparse/bands", "uint16", 3, clear=0, sparse_ok=True, compress="deflate", interleave="band", **tiles)
    w.file("overviews/uint16", "uint16", 1, overviews=[2, 4, 8], compress="lzw", **tiles)
    w.file("overviews/rgb", "uint8", 3, overviews=[2, 4], photometric="rgb", compress="deflate", tags=tags, **tiles)
    w.file("mask/uint8", "uint8", 1, mask=True, compress="deflate", **tiles)
    w.file("mask/rgb", "uint8", 3, mask=True, photometric="rgb", **tiles)
    y, x = np.mgrid[:150, :203]
    wave = (128 + 60 * np.sin(x / 9 + y / 31) + 50 * np.cos(y / 7)).astype(np.uint8)
    colours = np.stack([wave, wave[::-1], 255 - wave])
    w.file("jpeg/ycbcr", "uint8", 3, data=colours, compress="jpeg", photometric="ycbcr", **tiles)
    w.file("jpeg/ycbcr-strips", "uint8", 3, data=colours, compress="jpeg", photometric="ycbcr", blockysize=16)
    w.file("jpeg/rgb", "uint8", 3, data=colours, compress="jpeg", photometric="rgb", **tiles)
    w.file("jpeg/grey", "uint8", 1, data=colours[:1], compress="jpeg", jpeg_quality=95, **tiles)
    w.file("jpeg/bands", "uint8", 3, data=colours, compress="jpeg", interleave="band", **tiles)
    w.file("nbits/1", "uint8", 1, data=colours[:1] % 2, nbits=1, shown="bool", **tiles)
    w.file("nbits/12", "uint16", 1, data=colours[:1].astype(np.uint16) * 16, nbits=12, **tiles)
    for compress in ("lzw", "deflate", "zstd", "lerc"):
        w.file(f"cog/{compress}", "uint16", 1, driver="COG", shape=(301, 410), compress=compress, blocksize=128,
               **({} if compress == "lerc" else dict(predictor="yes")))
    w.file("cog/jpeg", "uint8", 3, data=np.tile(colours, (1, 3, 3)), driver="COG", compress="jpeg", blocksize=128)
    w.file("cog/nodata", "float32", 1, driver="COG", shape=(301, 410), nodata=math.nan, blocksize=128, compress="deflate")
    save(folder, w.cases)


def read(path, case):
    """All directories of a file; of a COG its levels and what GDAL makes of the tags."""
    if case["cog"]:
        return [{"levels": read_cog(path, case)}]
    check_place(path, case)
    with rasterio.open(path) as f:
        pages = max(1, len(f.subdatasets))
    images = []
    at = 1
    for want in case["images"]:
        shape = want["levels"][0]["shape"]
        n = math.prod(shape) // math.prod(shape[-2 - ("S" in want["axes"]):])
        planes = []
        for i in range(at, at + n):
            with rasterio.open(f"GTIFF_DIR:{i}:{path}") as f:
                planes.append(f.read())
        at += n
        data = np.stack(planes).reshape(shape)
        images.append({"levels": [data.astype(bool) if want["type"] == "bool" else data]})
    if at <= pages:
        raise ValueError(f"{pages} directories, not {at - 1}")
    return images


def same(folder, copies, results):
    """Compares what GDAL finds in copies with what it finds in its own files."""
    def read(path, case):
        check_cog(path)
        with rasterio.open(os.path.join(folder, case["path"])) as a, rasterio.open(path) as b:
            for what in ("crs", "transform", "count", "dtypes", "shape"):
                if getattr(a, what) != getattr(b, what):
                    raise ValueError(f"{what} {getattr(b, what)}, not {getattr(a, what)}")
            if not equal(a.nodata, b.nodata):
                raise ValueError(f"nodata {b.nodata}, not {a.nodata}")
            if own(a.tags()) != own(b.tags()):
                raise ValueError(f"tags {own(b.tags())}, not {own(a.tags())}")
            if a.read().tobytes() != b.read().tobytes():
                raise ValueError("different values")
        return []

    compare_files([{**case, "images": []} for case in load(copies)], copies, results, read)


def own(tags):
    """Tags but for those about who wrote the file."""
    return {k: v for k, v in tags.items() if not k.startswith(("TIFFTAG_", "OVR_"))}


def equal(a, b):
    return a == b or a is not None and b is not None and math.isnan(a) and math.isnan(b)


def read_cog(path, case):
    check_place(path, case)
    check_cog(path)
    with rasterio.open(path) as f:
        count = len(f.overviews(1))
        levels = [f.read()]
    levels += [read_level(path, i) for i in range(count)]
    levels = [level if len(level) > 1 else level[0] for level in levels]
    check_counts(case["images"], [{"levels": levels}])
    check_made(case, levels)
    return levels


def check_made(case, levels):
    """Levels that Omnizarr made must be GDAL's, where lengths are even: others GDAL weighs differently."""
    how = case["images"][0].get("made")
    if not how or any(n % 2 for level in levels[:-1] for n in level.shape[-2:]):
        return
    data = levels[0] if levels[0].ndim == 3 else levels[0][None]
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/a.tif"
        with rasterio.open(path, "w", driver="GTiff", dtype=data.dtype, count=len(data), height=data.shape[1], width=data.shape[2],
                           nodata=nodata_of(case), transform=PLACE) as f:
            f.write(data)
        with rasterio.open(path, "r+") as f:
            f.build_overviews([2 ** (i + 1) for i in range(len(levels) - 1)], Resampling[how])
        for i, level in enumerate(levels[1:]):
            want, exact = read_level(path, i), data.dtype.kind != "f"
            same = want == level if exact else np.isclose(want, level, rtol=1e-6, equal_nan=True)
            if not same.all():
                raise ValueError(f"level {i + 1} is not what GDAL makes: {np.count_nonzero(~same)} of {want.size} differ")


def check_cog(path):
    valid, errors, remarks = cog_validate(path, strict=True, quiet=True)
    if not valid or errors or remarks:
        raise ValueError(f"not a valid COG: {errors} {remarks}")


def check_place(path, case):
    with rasterio.open(path) as f:
        if case["crs"] and (f.crs is None or f.crs.to_epsg() != case["crs"]):
            raise ValueError(f"CRS {f.crs}, not EPSG:{case['crs']}")
        if case["transform"] and list(f.transform)[:6] != case["transform"]:
            raise ValueError(f"transform {list(f.transform)[:6]}, not {case['transform']}")
        if not equal(f.nodata, nodata_of(case)):
            raise ValueError(f"nodata {f.nodata}, not {nodata_of(case)}")


def nodata_of(case):
    value = case["nodata"]
    return float(value.replace("Infinity", "inf")) if isinstance(value, str) else value


if __name__ == "__main__":
    warnings.simplefilter("ignore", NotGeoreferencedWarning)
    if sys.argv[1] == "write":
        write(sys.argv[2])
    elif sys.argv[1] == "same":
        same(*sys.argv[2:])
    else:
        compare_files(load(sys.argv[2]), sys.argv[2], sys.argv[3], read)
