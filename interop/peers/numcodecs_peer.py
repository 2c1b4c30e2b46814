"""numcodecs as a peer: what its codecs do to buffers, without arrays around them. See buffers.go.

    numcodecs_peer.py encode DIR
    numcodecs_peer.py decode DIR RESULTS
"""
import json
import struct
import sys
import warnings

import numcodecs
import numpy as np
from numcodecs.compat import ensure_bytes

import arrays2
import common

warnings.simplefilter("ignore")
# Numbers of elements, the last one of bytes.
LENGTHS = [0, 1, 2, 3, 4, 6, 7, 8, 11, 13, 16, 24, 31, 32, 40, 47, 63, 64, 99, 127, 128, 200, 255, 256, 511, 777, 3000, -69_999]


def elements(a, kind):
    """What digests are made of."""
    if a.dtype.kind == "O":
        return b"".join(struct.pack("<I", len(b)) + b for b in (common.encode_object(v, kind) for v in a.ravel()))
    return a.astype(a.dtype.newbyteorder("<")).tobytes()


def array(raw, dtype, kind, items):
    """The array of elements."""
    dtype = np.dtype(dtype)
    if dtype.kind != "O":
        return np.frombuffer(raw, dtype.newbyteorder("<")).astype(dtype)
    values = []
    while raw:
        n = 4 + struct.unpack("<I", raw[:4])[0]
        values.append(raw[4:n])
        raw = raw[n:]
    make = {
        "omnizarr.json": json.loads, "variable_length_bytes": bytes,
        "omnizarr.list": lambda b: np.frombuffer(b, np.dtype(items).newbyteorder("<")).astype(items),
    }.get(kind, bytes.decode)
    out = np.empty(len(values), object)
    for i, v in enumerate(values):
        out[i] = make(v)
    return out


def decode(codec, encoded, dtype):
    out = codec.decode(encoded)
    if np.dtype(dtype).kind == "O":
        return out
    return np.frombuffer(ensure_bytes(out), dtype) if not isinstance(out, np.ndarray) else out.ravel().view(dtype)


def configurations():
    """(name, table row, codec, type, kind, type of items) of all files."""
    for c in common.codecs():
        codec = numcodecs.get_codec(dict(c["codec"]))
        kind = arrays2.kind({"filters": [c["codec"]], "values": c.get("values")})
        for dtype in c["dtypes"]:
            yield f"{c['name']}/{arrays2.label(dtype)}", c, codec, dtype, kind, c["codec"].get("dtype")


def path(folder, name):
    return f"{folder}/{name.replace('/', '-')}.bin"


def write(folder):
    rng = np.random.default_rng(7)
    for name, c, codec, dtype, kind, items in configurations():
        with open(path(folder, name), "wb") as out:
            for i, n in enumerate(LENGTHS):
                n = n if n >= 0 else -n // np.dtype(dtype).itemsize
                if n < c.get("from", 0):
                    continue
                a = common.values(c.get("buffers", c.get("values")), dtype, (n,), rng, items)
                if i % 3 == 1 and a.dtype.kind != "O":
                    a = np.repeat(a[::9], 9)[:n]
                encoded = ensure_bytes(codec.encode(a))
                for part in elements(a, kind), encoded, elements(decode(codec, encoded, dtype), kind):
                    out.write(struct.pack("<I", len(part)) + part)


def compare(text, c, codec, dtype, kind, items):
    if not text:
        return "no buffers"
    while text:
        parts = []
        for _ in range(3):
            n = 4 + struct.unpack("<I", text[:4])[0]
            parts.append(text[4:n])
            text = text[n:]
        raw, encoded, decoded = parts
        a = array(raw, dtype, kind, items)
        if c.get("exact") and ensure_bytes(codec.encode(a)) != encoded:
            return f"{len(a)} elements: encodes to different bytes"
        if elements(decode(codec, encoded, dtype), kind) != decoded:
            return f"{len(a)} elements: decodes to different values"
    return ""


def read(folder, results):
    with open(results, "w", encoding="utf-8") as out:
        for name, *config in configurations():
            try:
                with open(path(folder, name), "rb") as f:
                    error = compare(f.read(), *config)
            except Exception as e:
                error = f"{type(e).__name__}: {e}"
            out.write(json.dumps({"case": name, "error": error}) + "\n")


command, folder, *results = sys.argv[1:]
if command == "encode":
    write(folder)
else:
    read(folder, results[0])
