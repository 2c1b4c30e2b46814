"""Blosc frames by c-blosc: that of numcodecs, and for Snappy, which it lacks, that of imagecodecs.

    blosc_peer.py write DIR
    blosc_peer.py read  DIR RESULTS

A frame is a pair of files: NAME.raw is the data and NAME.blosc the frame. The name says how it was made:
COMPRESSOR-LEVEL-SHUFFLE-TYPESIZE-BLOCKSIZE-KIND-BYTES.
"""
import glob
import json
import os
import sys

import imagecodecs
import numcodecs
import numpy as np

COMPRESSORS = ("blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd")
KINDS = ("noise", "zero", "smooth", "steps")


def frames(rng):
    """The arguments of every frame, with sizes around the edges of blocks."""
    for cname in COMPRESSORS:
        for level in range(10):
            for shuffle in range(3):
                for _ in range(3):
                    size = int(rng.choice([rng.integers(1, 18), 1 << rng.integers(0, 5), 255]))
                    n = int(rng.choice([rng.integers(300), 8 * size * rng.integers(500), rng.integers(65516, 65557),
                                        rng.integers(70000), rng.choice([1 << 18, 1 << 17])]))
                    if level > 5:
                        n = min(n, 70000)
                    if cname == "snappy":
                        n -= n % size  # imagecodecs takes elements
                    blocks = int(rng.choice([0, 0, 128, rng.integers(1, 100000)]))
                    yield cname, level, shuffle, size, blocks, str(rng.choice(KINDS)), n


def data(rng, kind, size, n):
    if kind == "noise":
        return rng.integers(0, 256, n, np.uint8)
    if kind == "zero":
        return np.zeros(n, np.uint8)
    if kind == "steps":
        return (np.arange(n) // 50).astype(np.uint8)
    count = n // size + 1
    values = (1000 + np.cumsum(rng.standard_normal(count)) + 5 * rng.standard_normal(count)).astype("<i8")
    out = np.zeros((count, size), np.uint8)
    out[:, : min(size, 8)] = values.view(np.uint8).reshape(-1, 8)[:, : min(size, 8)]
    return out.ravel()[:n].copy()


def encode(raw, cname, level, shuffle, size, blocks):
    if cname != "snappy":
        return numcodecs.Blosc(cname, level, shuffle, blocks, typesize=size).encode(raw if len(raw) else b"")
    return imagecodecs.blosc_encode(raw.view(f"V{size}"), level=level, compressor=cname, shuffle=shuffle, blocksize=blocks or None)


def write(folder):
    rng = np.random.default_rng(1)
    for f in frames(rng):
        cname, level, shuffle, size, blocks, kind, n = f
        if n == 0 and cname == "snappy":
            continue  # imagecodecs writes nothing
        raw = data(rng, kind, size, n)
        path = os.path.join(folder, "-".join(map(str, f)))
        raw.tofile(path + ".raw")
        with open(path + ".blosc", "wb") as out:
            out.write(bytes(encode(raw, cname, level, shuffle, size, blocks)))


def decode(frame, cname, n):
    if n == 0:  # numcodecs cannot decode what it encodes from nothing
        if len(frame) != 16:
            raise ValueError("more than a header")
        return b""
    return bytes(imagecodecs.blosc_decode(frame) if cname == "snappy" else numcodecs.Blosc().decode(frame))


def read(folder, results):
    with open(results, "w", encoding="utf-8") as out:
        for path in sorted(glob.glob(os.path.join(folder, "*.blosc"))):
            name = os.path.basename(path).removesuffix(".blosc")
            with open(path, "rb") as a, open(path.removesuffix(".blosc") + ".raw", "rb") as b:
                frame, raw = a.read(), b.read()
            error = ""
            try:
                if decode(frame, name.split("-")[0], len(raw)) != raw:
                    error = "different values"
            except Exception as e:
                error = f"{type(e).__name__}: {e}"
            out.write(json.dumps({"case": name, "error": error}) + "\n")


{"write": write, "read": read}[sys.argv[1]](*sys.argv[2:])
