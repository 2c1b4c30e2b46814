"""zarr-python as a peer, with its own codec pipeline or that of zarrs.

    zarr_python.py [--zarrs] read   DIR RESULTS
    zarr_python.py           write  DIR
    zarr_python.py           pack   DIR
    zarr_python.py           unpack DIR RESULTS
    zarr_python.py           filter   DIR
    zarr_python.py           unfilter DIR RESULTS
"""
import glob
import json
import os
import sys
import warnings
import zipfile

import numcodecs
import numpy as np
import zarr
from zarr.codecs import BytesCodec, Crc32cCodec, GzipCodec, TransposeCodec, ZstdCodec, ShardingCodec
from zarr.codecs.numcodecs import PackBits
from zarr.storage import ZipStore

import common

warnings.simplefilter("ignore")  # about types without a specification
zarr.config.set({"array.rectilinear_chunks": True})


def open_case(store_or_path, case):
    if "group" in case:
        group = zarr.open_group(f"{store_or_path}/{case['group']}", mode="r", use_consolidated=True)
        return group[case["path"]]
    if isinstance(store_or_path, str):
        return zarr.open_array(f"{store_or_path}/{case['path']}", mode="r")
    return zarr.open_array(store_or_path, path=case["path"], mode="r")


def read_case(store_or_path, case):
    a = open_case(store_or_path, case)
    if "attributes" in case and dict(a.attrs) != case["attributes"]:
        raise ValueError("different attributes")
    if "dimension_names" in case and list(a.metadata.dimension_names) != case["dimension_names"]:
        raise ValueError("different dimension names")
    return np.asarray(a[...], a.dtype)


TYPES = {t: np.dtype(t) for t in (
    "bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64",
    "complex64", "complex128", "S5", "V6", "U4", "datetime64[ns]", "timedelta64[10ms]")}
TYPES["struct"] = np.dtype([("a", "<u2"), ("b", "<f8"), ("c", "i1")])
TYPES["string"] = np.dtypes.StringDType()
TYPES["variable_length_bytes"] = np.dtype(object)
VARIABLE = ("string", "variable_length_bytes")  # zarr-python is told these names, and NumPy's types otherwise
FILLS = {"bool": True, "uint16": 3, "float32": float("nan"), "S5": b"ab", "U4": "ab", "datetime64[ns]": np.datetime64("NaT"),
         "string": "none", "variable_length_bytes": b"none"}

CHAINS = {
    "default": {},
    "plain": dict(compressors=None),
    "gzip": dict(compressors=GzipCodec(level=5)),
    "zstd-crc32c": dict(compressors=[ZstdCodec(level=3, checksum=True), Crc32cCodec()]),
    "transpose": dict(filters=TransposeCodec(order=(1, 0))),
    "big": dict(serializer=BytesCodec(endian="big"), compressors=None),
    "shard": dict(shards=(4, 6), chunks=(2, 3)),
    "shard-start": dict(shards={"shape": (4, 6), "index_location": "start"}, chunks=(2, 2), compressors=GzipCodec(level=1)),
    "shard-nested": dict(chunks=(4, 6), compressors=None, serializer=ShardingCodec(chunk_shape=(4, 3), codecs=[
        ShardingCodec(chunk_shape=(2, 3), codecs=[BytesCodec(), ZstdCodec()])])),
    "keys-v2": dict(chunk_key_encoding={"name": "v2", "separator": "."}),
    "keys-dot": dict(chunk_key_encoding={"name": "default", "separator": "."}),
}


def arrays():
    """(name, type, arguments of create_array) of what zarr-python writes."""
    for t in TYPES:
        for chain, kw in CHAINS.items():
            if "serializer" in kw and t in VARIABLE:
                continue  # bytes is for elements of a fixed size
            yield f"type/{t}/{chain}", t, kw
    for chain in ("default", "plain", "big", "shard", "shard-start", "shard-nested"):
        yield f"edit/uint16/{chain}", "uint16", CHAINS[chain]
    for chain in ("default", "shard"):
        yield f"edit/string/{chain}", "string", CHAINS[chain]
    for chain in ("plain", "gzip", "zstd-crc32c", "shard", "shard-start", "keys-v2"):
        yield f"numcodecs.packbits/{chain}", "bool", {**CHAINS[chain], "filters": PackBits()}
    yield "numcodecs.packbits/transpose", "bool", dict(filters=[TransposeCodec(order=(1, 0)), PackBits()])
    yield "rectilinear", "uint16", dict(chunks=[[4, 3], [1, 5, 3]])


def write_all(store, holes=True):
    """Writes arrays; without holes, no chunk is all fill value."""
    rng = np.random.default_rng(1)
    about = {"attributes": {"by": "zarr-python"}, "dimension_names": ["y", None]}
    cases = []
    for name, t, kw in arrays():
        data = common.random(TYPES[t], (7, 9), rng)
        a = zarr.create_array(store, name=name, shape=data.shape, dtype=t if t in VARIABLE else TYPES[t],
                              **{"chunks": (4, 6), "fill_value": FILLS.get(t), **about, **kw})
        if holes:
            data[4:, 6:] = a.fill_value
        a[...] = data
        cases.append({"name": name, "path": name, "sha256": common.digest(data), **about})
    return cases


def write_filter(folder):
    """Truth values, a byte each, in NAME.raw, and what numcodecs' filter makes of them in NAME.packed."""
    rng = np.random.default_rng(2)
    for n in [*range(41), 127, 128, 129, 511, 512, 513, 2047, 2048, 99_999]:
        for kind, a in ("random", rng.integers(0, 2, n).astype(bool)), ("false", np.zeros(n, bool)), ("true", np.ones(n, bool)):
            a.tofile(f"{folder}/{kind}-{n:06}.raw")
            np.asarray(numcodecs.PackBits().encode(a)).tofile(f"{folder}/{kind}-{n:06}.packed")


def read_filter(folder, results):
    """Each file of a pair must give the other."""
    with open(results, "w", encoding="utf-8") as out:
        for path in sorted(glob.glob(f"{folder}/*.raw")):
            raw, packed = np.fromfile(path, bool), np.fromfile(path[:-4] + ".packed", np.uint8)
            error = ""
            try:
                if bytes(numcodecs.PackBits().encode(raw)) != packed.tobytes():
                    error = "encodes to different bytes"
                elif not np.array_equal(numcodecs.PackBits().decode(packed), raw):
                    error = "decodes to different values"
            except Exception as e:
                error = f"{type(e).__name__}: {e}"
            out.write(json.dumps({"case": os.path.basename(path)[:-4], "error": error}) + "\n")


def main():
    args = sys.argv[1:]
    if args[0] == "--zarrs":
        import zarrs  # noqa: F401
        zarr.config.set({"codec_pipeline.path": "zarrs.ZarrsCodecPipeline", "codec_pipeline.strict": True})
        args = args[1:]
    command, folder, *results = args
    if command == "read":
        common.read_all(common.load(folder), results[0], lambda case: read_case(folder, case))
    elif command == "write":
        common.save(folder, write_all(folder))
    elif command == "filter":
        write_filter(folder)
    elif command == "unfilter":
        read_filter(folder, results[0])
    elif command == "pack":
        for name, method in (("stored.zip", zipfile.ZIP_STORED), ("deflated.zip", zipfile.ZIP_DEFLATED)):
            with ZipStore(f"{folder}/{name}", mode="w", compression=method) as store:
                cases = write_all(store, holes=False)  # which a ZipStore would have to delete
        common.save(folder, cases)
    elif command == "unpack":
        for path in sorted(glob.glob(f"{folder}/*.zip")):
            with ZipStore(path, mode="r") as store:
                common.read_all(common.load(folder), results[0], lambda case: read_case(store, case), os.path.basename(path) + "/")


main()
