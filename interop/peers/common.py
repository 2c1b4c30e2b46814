"""What the Python peers share: manifests, digests and the data of the arrays they write."""
import hashlib
import json
import os

import numpy as np

WORDS = ["", "a", "grün", "数据", "a longer piece of text, longer than most"]


def digest(a):
    """SHA-256 of the elements in C order: little-endian, values of any length behind their length."""
    a = np.asarray(a)
    h = hashlib.sha256()
    if a.dtype.kind in "TO":
        for v in a.ravel().tolist():
            b = v.encode() if isinstance(v, str) else bytes(v)
            h.update(len(b).to_bytes(4, "little") + b)
        return h.hexdigest()
    if a.dtype.name in ("int2", "int4"):  # of ml_dtypes: upper bits have no meaning
        a = a.astype(np.int8)
    elif a.dtype.names is None:
        a = a.astype(a.dtype.newbyteorder("<"), copy=False)
    h.update(np.ascontiguousarray(a).tobytes())
    return h.hexdigest()


def read_all(cases, results, read, prefix=""):
    """Calls read(case) for every case; it returns the array's elements or raises."""
    with open(results, "a", encoding="utf-8") as out:
        for case in cases:
            error = ""
            try:
                if digest(read(case)) != case["sha256"]:
                    error = "different values"
            except Exception as e:
                error = f"{type(e).__name__}: {e}"
            out.write(json.dumps({"case": prefix + case["name"], "error": error}) + "\n")


def load(folder):
    with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as f:
        return json.load(f)["cases"]


def save(folder, cases):
    with open(os.path.join(folder, "manifest.json"), "w", encoding="utf-8") as f:
        json.dump({"cases": cases}, f)


def random(dtype, shape, rng):
    """Any pattern of bits that a type has."""
    dtype = np.dtype(dtype)
    n = int(np.prod(shape))
    if dtype.kind in "TO":
        values = [WORDS[i] for i in rng.integers(0, len(WORDS), n)]
        if dtype.kind == "O":
            values = [v.encode() for v in values]
        out = np.empty(n, dtype)
        out[:] = values
        return out.reshape(shape)
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind == "U":
        return rng.choice(["", "ab", "grün"], shape).astype(dtype)
    if dtype.name in ("int2", "int4"):
        half = 2 if dtype.name == "int2" else 8
        return rng.integers(-half, half, shape).astype(dtype)
    raw = rng.integers(0, 256, n * dtype.itemsize, np.uint8)
    if dtype.name == "float4_e2m1fn":
        raw &= 15
    return raw.view(dtype).reshape(shape)
