"""Reads the chunks of the arrays in a manifest as TIFF files, and whole arrays as N5 datasets.

peer.py DIR: prints what differs and how much was compared; the exit code is 1 if anything does.
"""
import itertools
import json
import os
import subprocess
import sys
import warnings

import numpy as np
import tensorstore as ts
import tifffile


def chunks(a, data):
    """The file and the elements of every chunk, as they are stored."""
    counts = [-(-n // c) for n, c in zip(a["shape"], a["chunks"])]
    for index in itertools.product(*map(range, counts)):
        chunk = np.zeros(a["chunks"], data.dtype)
        part = data[tuple(slice(i * c, (i + 1) * c) for i, c in zip(index, a["chunks"]))]
        chunk[tuple(slice(0, n) for n in part.shape)] = part
        yield "/".join(map(str, index)), chunk.transpose(a["order"]) if a.get("order") else chunk


def read_n5(folder, a, data):
    got = ts.open({"driver": "n5", "kvstore": {"driver": "file", "path": os.path.abspath(folder)}}).result().read().result()
    if got.tobytes() != data.tobytes():
        raise ValueError("different values")
    return 1


def read_tifffile(folder, a, data):
    n = 0
    for key, chunk in chunks(a, data):
        path = os.path.join(folder, key)
        if not os.path.exists(path):
            if chunk.any():
                raise ValueError(f"chunk {key} is missing")
            continue
        with tifffile.TiffFile(path) as f:
            if len(f.pages) != 1:
                raise ValueError(f"chunk {key} has {len(f.pages)} pages")
            got = f.pages[0].asarray()
        want = chunk
        if want.dtype == bool:
            want = want.astype(np.uint8)
        if got.dtype != want.dtype:
            raise ValueError(f"chunk {key} is {got.dtype}")
        squeezed = tuple(k for k in want.shape if k > 1)
        if tuple(k for k in got.shape if k > 1) != squeezed and len(squeezed) <= 2:
            raise ValueError(f"chunk {key} is of shape {got.shape}, not {want.shape}")
        if got.tobytes() != np.ascontiguousarray(want).tobytes():
            raise ValueError(f"chunk {key} has different values")
        n += 1
    return n


def tool(*args):
    """Runs a program that must have nothing to complain about."""
    run = subprocess.run(args, capture_output=True, text=True)
    if run.returncode or run.stderr.strip():
        raise ValueError(f"{' '.join(args[:2])}: {run.stderr.strip()}")
    return run.stdout


def read_libtiff(folder, a, data):
    """libtiff's own tools: tiffinfo decodes everything, tiffcp makes a plain copy that tifffile reads."""
    stored = [(os.path.join(folder, key), chunk) for key, chunk in chunks(a, data)]
    stored = [(path, chunk) for path, chunk in stored if os.path.exists(path)]
    text = tool("tiffinfo", "-D", *(path for path, _ in stored))
    # tiffcp does not copy complex numbers, and mixes up bands in tiles, also those of other writers.
    if data.dtype.kind == "c" or "Tile Width" in text and "separate image planes" in text:
        return len(stored)
    for path, chunk in stored:
        tool("tiffcp", "-c", "none", path, path + ".plain")
        got = tifffile.imread(path + ".plain")
        os.remove(path + ".plain")
        want = chunk.astype(np.uint8) if chunk.dtype == bool else chunk
        if got.tobytes() != np.ascontiguousarray(want).tobytes():
            raise ValueError(f"{path} has different values after tiffcp")
    return len(stored)


def main(folder):
    with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as f:
        arrays = json.load(f)
    readers = {"tiff": [read_tifffile, read_libtiff], "n5": [read_n5]}
    bad, counts = 0, {}
    for a in arrays:
        path = os.path.join(folder, a["path"])
        data = np.fromfile(path + ".raw", a["type"]).reshape(a["shape"])
        for read in readers[a["format"]]:
            try:
                n = read(path, a, data)
                counts[read.__name__] = counts.get(read.__name__, 0) + n
            except Exception as e:
                bad += 1
                print(f"{read.__name__} {a['name']}: {e}")
    for name, n in counts.items():
        print(f"{name}: {n} {'arrays' if name == 'read_n5' else 'chunks'} are equal")
    return 1 if bad else 0


if __name__ == "__main__":
    warnings.simplefilter("error")
    sys.exit(main(sys.argv[1]))
