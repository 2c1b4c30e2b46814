"""tensorstore's driver n5 as a peer. Its arrays are in the order of N5.

    n5_tensorstore.py read  DIR RESULTS
    n5_tensorstore.py write DIR [TYPES...]
    n5_tensorstore.py change DIR             write a part of arrays that are there
"""
import os
import sys

import tensorstore as ts

import common
import n5_arrays


UNHURRIED = ts.Context({"file_io_sync": False})


def spec(folder, path):
    return {"driver": "n5", "kvstore": {"driver": "file", "path": f"{folder}/{path}/"}}


def read(folder, case):
    if not case["sha256"]:
        return None  # it has no groups
    a = ts.open(spec(folder, case["path"]), open=True, read=True).result()
    names = case.get("dimension_names")
    if names and list(a.domain.labels) != names:
        raise ValueError(f"dimension names {a.domain.labels}")
    attributes = case.get("attributes", {})
    if "resolution" in attributes:
        want = [ts.Unit(r, u) for r, u in zip(attributes["resolution"], attributes["units"])]
        if list(a.dimension_units) != want:
            raise ValueError(f"units {a.dimension_units}")
    values = a.read().result()
    if case["name"].startswith(("type/", "reversed/")) and "/raw/" in case["name"] and not case["name"].endswith("-cut"):
        same_blocks(folder, case, a, values)
    return values


def same_blocks(folder, case, a, values):
    """What is neither cut nor compressed must have the bytes that tensorstore would write."""
    memory = ts.Context()
    ts.open({"driver": "n5", "kvstore": {"driver": "memory"}, "metadata": a.spec().to_json()["metadata"]}, create=True, context=memory).result().write(values).result()
    theirs = ts.KvStore.open({"driver": "memory"}, context=memory).result()
    want = {key.decode(): theirs[key] for key in theirs.list().result()}
    del want["attributes.json"]
    have = {}
    for path, _, names in os.walk(f"{folder}/{case['path']}"):
        for name in names:
            with open(os.path.join(path, name), "rb") as f:
                have[os.path.relpath(f.name, f"{folder}/{case['path']}")] = f.read()
    for document in ("attributes.json", "zarr.json"):
        have.pop(document, None)
    if have != want:
        raise ValueError(f"different blocks: {sorted(have)}, not {sorted(want)}")


def compressions():
    out = {
        "raw": {"type": "raw"}, "gzip": {"type": "gzip"}, "gzip-9": {"type": "gzip", "level": 9},
        "gzip-zlib": {"type": "gzip", "useZlib": True, "level": 1}, "bzip2": {"type": "bzip2"}, "bzip2-1": {"type": "bzip2", "blockSize": 1},
        "xz": {"type": "xz"}, "xz-0": {"type": "xz", "preset": 0}, "zstd": {"type": "zstd"}, "zstd-19": {"type": "zstd", "level": 19},
        "zstd-fast": {"type": "zstd", "level": -5},
    }
    for cname in ("blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"):
        for shuffle in range(3):
            out[f"blosc-{cname}-{shuffle}"] = {"type": "blosc", "cname": cname, "clevel": 5, "shuffle": shuffle}
    return out


def write(folder, types):
    cases = []
    for name, dtype, shape, blocks, compression in n5_arrays.arrays(types, compressions(), ("raw", "gzip", "zstd")):
        axes = ["x", "y", "z", ""][:len(shape)]
        attributes = {**n5_arrays.ATTRIBUTES, "axes": axes, "units": ["nm"] * len(shape), "resolution": [4.0] * len(shape)}
        a = ts.open({**spec(folder, name), "metadata": {
            "dimensions": shape, "blockSize": blocks, "dataType": dtype, "compression": compression, **attributes}}, create=True, context=UNHURRIED).result()
        values = n5_arrays.data(name, dtype, shape, blocks)
        a.write(values).result()
        cases.append({"name": name, "path": name, "shape": shape, "type": dtype, "sha256": common.digest(values), "attributes": attributes,
                      "dimension_names": [axis or None for axis in axes]})
    return cases


def change(folder, case, box, values):
    ts.open(spec(folder, case["path"]), open=True, context=UNHURRIED).result()[box].write(values).result()


command, folder, *more = sys.argv[1:]
folder = os.path.abspath(folder)
if command == "read":
    n5_arrays.compare(common.load(folder), more[0], lambda case: read(folder, case))
elif command == "change":
    common.save(folder, n5_arrays.change(common.load(folder), lambda case: read(folder, case), lambda *args: change(folder, *args)))
else:
    common.save(folder, write(folder, more))
