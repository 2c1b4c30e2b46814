"""libtiff's side, with its tools tiffinfo and tiffcp: writes TIFF files, and reads those that Omnizarr wrote.

    libtiff_peer.py write DIR
    libtiff_peer.py read DIR RESULTS
"""
import os
import subprocess
import sys
import tempfile
import zlib

import numpy as np
import tifffile

import libtiff
from common import digest, load, random, save
from tiff_images import check_counts, compare_files


def directories(path):
    """The pixels of every directory, and of the SubIFDs of each: [[image, sub, sub]]."""
    out = []
    with libtiff.File(path) as f:
        while True:
            at = len(out)
            subs = f.sub_offsets()
            out.append([f.pixels()])
            for offset in subs:
                f.sub(offset)
                out[-1].append(f.pixels())
            if subs:
                f.to(at)
            if not f.next():
                return out


def read(path, case):
    pages = directories(path)
    images = []
    for want in case["images"]:
        if case["cog"]:  # levels are directories of their own
            mine, pages = [[p[0] for p in pages]], []
        else:
            shape = want["levels"][0]["shape"]
            n = len(pages) if len(case["images"]) == 1 else int(np.prod(shape[:len(want["axes"].rstrip("S")) - 2]))
            mine, pages = pages[:n], pages[n:]
        if len({len(p) for p in mine}) != 1:
            raise ValueError("pages with more levels than others")
        levels = [np.stack(planes) for planes in zip(*mine)]
        images.append({"levels": [level.reshape(w["shape"]) for level, w in zip(levels, want["levels"])] + levels[len(want["levels"]):]})
    if pages:
        raise ValueError(f"{len(pages)} pages too many")
    check_counts(case["images"], images)
    check_tools(path, case)
    return images


def check_tools(path, case):
    """tiffinfo decodes everything and must have nothing to say; what tiffcp copies must be the same."""
    subsampled = "YCbCr" in tool("tiffinfo", path)
    if not subsampled:  # of which tiffinfo decodes nothing
        tool("tiffinfo", "-D", path)
    if case["images"][0]["type"].startswith("complex"):  # which tiffcp does not copy
        return
    with tempfile.NamedTemporaryFile(suffix=".tif") as copy:
        tool("tiffcp", "-c", "none", path, copy.name)
        for i, (a, b) in enumerate(zip(directories(path), directories(copy.name), strict=True)):
            if a[0].tobytes() != b[0].tobytes():
                raise ValueError(f"tiffcp gives different values in directory {i}")


def tool(*args):
    run = subprocess.run(args, capture_output=True, text=True)
    said = "; ".join(filter(libtiff.serious, run.stderr.strip().splitlines()))
    if run.returncode or said:
        raise ValueError(f"{args[0]}: {said}")
    return run.stdout


def write(folder):
    """What tiffcp makes of images of some types, which tifffile writes plainly. It rearranges bytes only, and JPEG only in tiles."""
    cuts = {"strips": ["-s", "-r", "7"], "strip": ["-s", "-r", "1000"], "tiles": ["-t", "-w", "32", "-l", "48"]}
    orders = {"little": ["-L"], "big": ["-B"], "big-bigtiff": ["-B", "-8"], "bits-backwards": ["-L", "-f", "lsb2msb"]}
    cases = []
    for name, dtype, samples in (("grey8", "u1", 1), ("rgb8", "u1", 3), ("bool", "?", 1), ("u2", "u2", 1), ("rgb16", "u2", 3), ("u4", "u4", 1), ("f4", "f4", 1), ("f8", "f8", 2)):
        data = random(dtype, (samples, 75, 90), np.random.default_rng(zlib.crc32(name.encode())))
        data[:, :, 20:60] = data[:, :, 20:21]
        plain = os.path.join(folder, name + ".plain")
        tifffile.imwrite(plain, np.moveaxis(data, 0, -1) if samples > 1 else data[0], photometric="rgb" if samples == 3 else "minisblack",
                         planarconfig="contig" if samples > 1 else None, metadata=None)
        for compression in compressions(np.dtype(dtype), samples):
            for cut, order, planar in ((c, o, p) for c in cuts for o in orders for p in ("contig", "separate")):
                if planar == "separate" and (samples == 1 or dtype != "u1") or compression.startswith("jpeg") and (cut != "tiles" or planar == "separate"):
                    continue
                path = f"{name}/{compression.replace(':', '-p')}-{cut}-{order}-{planar}.tif"
                file = os.path.join(folder, path)
                os.makedirs(os.path.dirname(file), exist_ok=True)
                tool("tiffcp", "-c", compression, *cuts[cut], *orders[order], "-p", planar, plain, file)
                with libtiff.File(file) as f:
                    got = f.pixels()
                # It swaps bytes that the floating-point predictor swaps too; what it reads then is still right for the file.
                if not compression.startswith("jpeg") and not (compression.endswith(":3") and "big" in order) and got.tobytes() != data.tobytes():
                    raise ValueError(f"{path}: tiffcp loses something")
                cases.append({"name": path.removesuffix(".tif"), "path": path, "type": got.dtype.name, "sha256": digest(got),
                              "shape": list(got.shape)[samples == 1:]})
    save(folder, cases)


def compressions(dtype, samples):
    """Those of tiffcp that Omnizarr decodes, with the predictors that go with a type."""
    out = ["none", "lzw", "packbits", "zip", "lzma", "zstd"]
    if dtype.kind == "f":
        out += ["lzw:3", "zip:3", "zstd:3"]
    if dtype.kind == "u":
        out += ["lzw:2", "zip:2", "zstd:2"]
    if dtype == np.uint8:
        out += ["jpeg", "jpeg:r"] if samples == 3 else ["jpeg"]
    return out


if sys.argv[1] == "write":
    write(sys.argv[2])
else:
    compare_files(load(sys.argv[2]), sys.argv[2], sys.argv[3], read)
