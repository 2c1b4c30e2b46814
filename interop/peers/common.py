"""What the Python peers share: manifests, digests and the data of the arrays they write."""
import hashlib
import json
import os

import numpy as np

WORDS = ["", "a", "grün", "数据", "a longer piece of text, longer than most"]


def encode_object(v, kind):
    """A value of any length as digests have it; kind is the name of the data type."""
    if kind == "omnizarr.json":
        return json.dumps(v, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    if isinstance(v, np.ndarray):
        return v.astype(v.dtype.newbyteorder("<")).tobytes()
    if v is None or isinstance(v, int) and v == 0:  # where nothing was stored, and there is no fill value
        return b""
    return v.encode() if isinstance(v, str) else bytes(v)


def digest(a, kind=""):
    """SHA-256 of the elements in C order: little-endian, values of any length behind their length."""
    a = np.asarray(a)
    h = hashlib.sha256()
    if a.dtype.kind in "TO":
        for v in a.ravel():
            b = encode_object(v, kind)
            h.update(len(b).to_bytes(4, "little") + b)
        return h.hexdigest()
    if a.dtype.name in ("int2", "int4"):  # of ml_dtypes: upper bits have no meaning
        a = a.astype(np.int8)
    else:
        a = a.astype(a.dtype.newbyteorder("<"), copy=False)
    h.update(np.ascontiguousarray(a).tobytes())
    return h.hexdigest()


def read_all(cases, results, read, prefix=""):
    """Calls read(case) for every case; it returns the array's elements or raises."""
    with open(results, "a", encoding="utf-8") as out:
        for case in cases:
            error = ""
            try:
                if digest(read(case), case.get("type", "")) != case["sha256"]:
                    error = "different values"
            except Exception as e:
                error = f"{type(e).__name__}: {e}"
            out.write(json.dumps({"case": prefix + case["name"], "error": error}) + "\n")


def case(out, name, check):
    """Writes down whether check() raises, and gives what it returns."""
    error, result = "", None
    try:
        result = check()
    except Exception as e:  # of any library
        error = f"{type(e).__name__}: {e}"
    out.write(json.dumps({"case": name, "error": error}) + "\n")
    return result


def check_attributes(attributes, case):
    if "attributes" in case and attributes != case["attributes"]:
        raise ValueError("different attributes")
    for name, value in case.get("odd", {}).items():
        if not isinstance(attributes[name], float) or json.dumps(attributes[name]) != value:
            raise ValueError("different attributes")


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
    if dtype.names:
        out = np.empty(shape, dtype)
        for name in dtype.names:
            field = dtype[name]
            out[name] = random(field.base, (*shape, *field.shape), rng)
        return out
    raw = rng.integers(0, 256, n * dtype.itemsize, np.uint8)
    if dtype.name == "float4_e2m1fn":
        raw &= 15
    return raw.view(dtype).reshape(shape)


OBJECTS = [None, True, 0, -17, 123456789012, 1.5, "", "grün", "line\nbreak", {}, {"a": 1, "b": [None, False, "数据"]}, {"a": [1, [2, "x"]]}]
LABELS = ["a", "grün", "数据"]


def values(kind, dtype, shape, rng, items="<i4"):
    """Values of a kind of codecs.json: those that a lossy filter gives back as they were, or objects; else any."""
    dtype, n = np.dtype(dtype), int(np.prod(shape))
    pick = lambda of: [of[i] for i in rng.integers(0, len(of), n)]
    numbers = {
        "small": lambda: rng.integers(0, 100, n),
        "quarters": lambda: rng.integers(-400, 400, n) / 4,
        "even": lambda: 2 * rng.integers(-100, 100, n),
        "powers": lambda: np.ldexp(1.0, rng.integers(-8, 8, n)),
        "normal": lambda: 50 * rng.standard_normal(n),
    }
    objects = {
        "labels": lambda: pick(LABELS),
        "words": lambda: pick(WORDS),
        "binary": lambda: [w.encode() for w in pick(WORDS)],
        "json": lambda: pick(OBJECTS),
        "lists": lambda: [rng.integers(-500, 500, k).astype(items) for k in rng.integers(0, 5, n)],
    }
    if kind in numbers:
        return numbers[kind]().astype(dtype).reshape(shape)
    if kind not in objects:
        return random(dtype, shape, rng)
    out = np.empty(n, dtype)
    for i, v in enumerate(objects[kind]()):
        out[i] = v
    return out.reshape(shape)


def codecs():
    """The table of numcodecs' configurations."""
    with open(os.path.join(os.path.dirname(__file__), "..", "codecs.json"), encoding="utf-8") as f:
        return json.load(f)
