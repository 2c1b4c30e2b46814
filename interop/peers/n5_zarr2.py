"""zarr-python 2 with its N5FSStore as a peer. Its arrays have the axes of N5 in the opposite order.

    n5_zarr2.py read  DIR RESULTS
    n5_zarr2.py write DIR [TYPES...]
    n5_zarr2.py change DIR             write a part of arrays that are there
"""
import sys
import warnings

import numcodecs
import zarr

import common
import n5_arrays

warnings.simplefilter("ignore")


def read(store, case):
    if not case["sha256"]:
        common.check_attributes(zarr.open_group(store, mode="r", path=case["path"]).attrs.asdict(), case)
        return None
    a = zarr.open_array(store, mode="r", path=case["path"])
    common.check_attributes(a.attrs.asdict(), case)
    return a[...].T


def compressions():
    out = {
        "raw": None, "gzip": numcodecs.GZip(5), "zlib": numcodecs.Zlib(1), "bz2": numcodecs.BZ2(3), "zstd": numcodecs.Zstd(3),
        "zstd-checksum": numcodecs.Zstd(1, checksum=True), "xz": numcodecs.LZMA(preset=1), "lzma-xz": numcodecs.LZMA(check=1, preset=2),
        "lzma": numcodecs.LZMA(format=2, preset=1), "lz4": numcodecs.LZ4(2),
    }
    for cname in ("blosclz", "lz4", "lz4hc", "zlib", "zstd"):
        for shuffle in (-1, 0, 1, 2):
            out[f"blosc-{cname}-{shuffle}".replace("--1", "-auto")] = numcodecs.Blosc(cname, 5, shuffle)
    return out


def write(folder, types):
    store = zarr.N5FSStore(folder, auto_mkdir=True)
    zarr.open_group(store, mode="w").attrs.put({"root": True})
    cases = []
    for name, dtype, shape, blocks, compressor in n5_arrays.arrays(types, compressions(), ("raw", "gzip", "zlib"), ()):
        a = zarr.open_array(store, mode="w", path=name, shape=shape[::-1], chunks=blocks[::-1], dtype=dtype, compressor=compressor, fill_value=0,
                            write_empty_chunks=False)
        values = n5_arrays.data(name, dtype, shape, blocks)
        a[...] = values.T
        a.attrs.put(n5_arrays.ATTRIBUTES)
        cases.append({"name": name, "path": name, "shape": shape, "type": dtype, "sha256": common.digest(values), "attributes": n5_arrays.ATTRIBUTES})
    for path, attributes in (("group", {}), ("group/below", {"a": [1, None], "ü": "x"})):
        zarr.open_group(store, mode="a", path=path).attrs.put(attributes)
        cases.append({"name": path, "path": path, "sha256": "", "attributes": attributes})
    return cases


def change(store, case, box, values):
    zarr.open_array(store, mode="r+", path=case["path"])[box[::-1]] = values.T


command, folder, *more = sys.argv[1:]
if command == "read":
    store = zarr.N5FSStore(folder, mode="r")
    n5_arrays.compare(common.load(folder), more[0], lambda case: read(store, case))
elif command == "change":
    store = zarr.N5FSStore(folder, auto_mkdir=True)
    common.save(folder, n5_arrays.change(common.load(folder), lambda case: read(store, case), lambda *args: change(store, *args)))
else:
    common.save(folder, write(folder, more))
