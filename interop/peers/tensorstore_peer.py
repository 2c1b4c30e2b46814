"""tensorstore as a peer.

    tensorstore_peer.py read  DIR RESULTS
    tensorstore_peer.py write DIR
    tensorstore_peer.py write2 DIR           arrays of Zarr v2
"""
import json
import os
import sys

import numpy as np
import tensorstore as ts

import common


def read_case(folder, case):
    path = "/".join([folder, *([case["group"]] if "group" in case else []), case["path"], ""])
    driver = "zarr" if os.path.exists(path + ".zarray") else "zarr3"
    spec = {"driver": driver, "kvstore": {"driver": "file", "path": path}}
    names = fields(path + (".zarray" if driver == "zarr" else "zarr.json"))
    if names:
        return read_fields(spec, names)
    a = ts.open(spec, open=True, read=True).result()
    names = case.get("dimension_names")
    if names and [label or None for label in a.domain.labels] != names:
        raise ValueError("different dimension names")
    values = a.read().result()
    if values.itemsize == 0:
        raise ValueError("values without bytes")
    return values


def fields(path):
    """The names of the fields that a document tells of."""
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as f:
        document = json.load(f)
    t = document.get("dtype", document.get("data_type"))
    if isinstance(t, dict):
        t = t.get("configuration", {}).get("fields")
    return [x[0] if isinstance(x, list) else x["name"] for x in t] if isinstance(t, list) else []


def read_fields(spec, names):
    """A struct: tensorstore opens one field at a time."""
    values = [ts.open({**spec, "field": n}, open=True, read=True).result().read().result() for n in names]
    shape = min((v.shape for v in values), key=len)  # those with a shape of their own have more axes
    out = np.empty(shape, [(n, v.dtype, v.shape[len(shape):]) for n, v in zip(names, values)])
    for n, v in zip(names, values):
        out[n] = v
    return out


TYPES = {
    "bool": True, "int2": -2, "int4": -5, "int8": -5, "uint8": 3, "int16": -5, "uint16": 3, "int32": -5, "uint32": 3,
    "int64": -5, "uint64": 3, "float16": 1.5, "bfloat16": 1.5, "float32": "NaN", "float64": "-Infinity",
    "float8_e3m4": 1.5, "float8_e4m3fn": 1.5, "float8_e4m3fnuz": 1.5, "float8_e4m3b11fnuz": 1.5, "float8_e5m2": 1.5,
    "float8_e5m2fnuz": 1.5, "float4_e2m1fn": 1.5, "complex64": [1.5, "NaN"], "complex128": [0.5, -1],
}


def chains(endian):
    e = {"name": "bytes"} if endian is None else {"name": "bytes", "configuration": {"endian": endian}}
    gzip = {"name": "gzip", "configuration": {"level": 5}}
    zstd = {"name": "zstd", "configuration": {"level": 3}}
    order = {"name": "transpose", "configuration": {"order": [1, 0]}}
    index = [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}]

    def shard(inner, codecs, location="end"):
        return {"name": "sharding_indexed", "configuration": {
            "chunk_shape": inner, "codecs": codecs, "index_codecs": index, "index_location": location}}

    return {
        "plain": [e],
        "gzip": [e, gzip],
        "zstd-crc32c": [e, zstd, {"name": "crc32c"}],
        "transpose": [order, e],
        "blosc": [e, {"name": "blosc", "configuration": {"cname": "lz4", "clevel": 5, "shuffle": "shuffle"}}],
        "shard-blosc": [shard([2, 3], [e, {"name": "blosc", "configuration": {"cname": "zstd", "clevel": 1, "shuffle": "bitshuffle"}}])],
        "shard": [shard([2, 3], [e, zstd])],
        "shard-start": [shard([2, 2], [order, e, gzip], "start")],
        "shard-nested": [shard([4, 3], [shard([2, 3], [e], "start")])],
    }


def arrays():
    """(name, type, metadata) of what tensorstore writes; no codecs: its default."""
    for t, fill in TYPES.items():
        yield f"type/{t}/default", t, {"fill_value": fill}
        for endian in ("little", "big") if np.dtype(ts.dtype(t).numpy_dtype).itemsize > 1 else (None,):
            for chain, codecs in chains(endian).items():
                yield f"type/{t}/{endian or 'byte'}-{chain}", t, {"fill_value": fill, "codecs": codecs}
    for chain, codecs in chains("little").items():
        yield f"edit/uint16/{chain}", "uint16", {"fill_value": 3, "codecs": codecs}


def write_all(folder):
    rng = np.random.default_rng(2)
    cases = []
    for name, t, metadata in arrays():
        metadata = {"shape": [7, 9], "data_type": t, "dimension_names": ["y", None],
                    "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [4, 6]}}, **metadata}
        a = ts.open({"driver": "zarr3", "kvstore": {"driver": "file", "path": f"{folder}/{name}/"}, "metadata": metadata},
                    create=True, delete_existing=True).result()
        data = common.random(a.dtype.numpy_dtype, (7, 9), rng)
        data[4:, 6:] = a.fill_value
        a.write(data).result()
        cases.append({"name": name, "path": name, "sha256": common.digest(data), "dimension_names": ["y", None]})
    return cases


TYPES2 = {  # and a fill value; @ stands for the byte order
    "|b1": True, "|i1": -2, "|u1": 3, "@i2": -2, "@i4": -2, "@i8": -2, "@u2": 3, "@u4": 3, "@u8": 3, "@f2": 1.5, "bfloat16": 1.5,
    "@f4": "NaN", "@f8": "-Infinity", "@c8": [1.5, "NaN"], "@c16": [0.5, -1], "int4": -5, "float8_e4m3fn": 1.5, "float8_e5m2": 1.5,
}
LAYOUTS2 = {
    "plain": {"compressor": None},
    "default": {},
    "fortran-zlib": {"order": "F", "compressor": {"id": "zlib", "level": 1}},
    "slash-blosc": {"dimension_separator": "/", "compressor": {"id": "blosc", "cname": "zstd", "clevel": 5, "shuffle": 2}},
    "bz2": {"compressor": {"id": "bz2", "level": 1}},
    "zstd": {"order": "F", "compressor": {"id": "zstd", "level": 3}},
    "no-fill": {"fill_value": None},
}


def arrays2():
    """(name, metadata) of what tensorstore writes as Zarr v2."""
    for t, fill in TYPES2.items():
        for order in "<>" if "@" in t else "|":
            dtype = t.replace("@", order)
            name = dtype.replace("<", "little-").replace(">", "big-").replace("|", "")
            for layout, kw in LAYOUTS2.items():
                yield f"type/{name}/{layout}", {"dtype": dtype, "fill_value": fill, **kw}
    for layout, kw in list(LAYOUTS2.items())[:-1]:
        yield f"edit/uint16/{layout}", {"dtype": "<u2", "fill_value": 3, **kw}


def write_all2(folder):
    rng = np.random.default_rng(3)
    cases = []
    for name, metadata in arrays2():
        a = ts.open({"driver": "zarr", "kvstore": {"driver": "file", "path": f"{folder}/{name}/"},
                     "metadata": {"shape": [7, 9], "chunks": [4, 6], **metadata}}, create=True, delete_existing=True).result()
        data = common.random(a.dtype.numpy_dtype, (7, 9), rng)
        if a.fill_value is not None:
            data[4:, 6:] = a.fill_value
        a.write(data).result()
        cases.append({"name": name, "path": name, "sha256": common.digest(data)})
    return cases


command, folder, *results = sys.argv[1:]
if command == "read":
    common.read_all(common.load(folder), results[0], lambda case: read_case(folder, case))
elif command == "write2":
    common.save(folder, write_all2(folder))
else:
    common.save(folder, write_all(folder))
