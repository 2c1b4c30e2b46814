"""tensorstore as a peer.

    tensorstore_peer.py read  DIR RESULTS
    tensorstore_peer.py write DIR
"""
import json
import sys

import numpy as np
import tensorstore as ts

import common


def read_case(folder, case):
    path = "/".join([folder, *([case["group"]] if "group" in case else []), case["path"], ""])
    spec = {"driver": "zarr3", "kvstore": {"driver": "file", "path": path}}
    if case.get("type", "").startswith("struct"):
        return read_fields(spec)
    a = ts.open(spec, open=True, read=True).result()
    names = case.get("dimension_names")
    if names and [label or None for label in a.domain.labels] != names:
        raise ValueError("different dimension names")
    values = a.read().result()
    if values.itemsize == 0:
        raise ValueError("values without bytes")
    return values


def read_fields(spec):
    """A struct: tensorstore opens one field at a time."""
    with open(spec["kvstore"]["path"] + "zarr.json", encoding="utf-8") as f:
        fields = json.load(f)["data_type"]["configuration"]["fields"]
    names = [x[0] if isinstance(x, list) else x["name"] for x in fields]
    values = [ts.open({**spec, "field": n}, open=True, read=True).result().read().result() for n in names]
    out = np.empty(values[0].shape, [(n, v.dtype) for n, v in zip(names, values)])
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


command, folder, *results = sys.argv[1:]
if command == "read":
    common.read_all(common.load(folder), results[0], lambda case: read_case(folder, case))
else:
    common.save(folder, write_all(folder))
