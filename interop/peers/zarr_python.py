"""zarr-python as a peer, with its own codec pipeline or that of zarrs.

    zarr_python.py [--zarrs] read   DIR RESULTS
    zarr_python.py           write  DIR
    zarr_python.py           write2 DIR           arrays of Zarr v2
    zarr_python.py           pack   DIR
    zarr_python.py           unpack DIR RESULTS
"""
import glob
import os
import sys
import warnings
import zipfile

import numcodecs
import numpy as np
import zarr
from zarr.codecs import BytesCodec, Crc32cCodec, GzipCodec, TransposeCodec, ZstdCodec, ShardingCodec
from zarr.codecs import BloscCodec, CastValue, ScaleOffset
from zarr.codecs.numcodecs import PackBits
from zarr.dtype import VariableLengthBytes
from zarr.registry import get_codec_class
from zarr.storage import ZipStore

import arrays2
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
    common.check_attributes(dict(a.attrs), case)
    if "dimension_names" in case and list(a.metadata.dimension_names) != case["dimension_names"]:
        raise ValueError("different dimension names")
    values = a[...]
    return values if isinstance(values, np.ndarray) else np.asarray(values, a.dtype)


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
    yield from with_codecs()
    yield "rectilinear", "uint16", dict(chunks=[[4, 3], [1, 5, 3]])


UNNAMED = {"base64", "categorize", "json2", "msgpack2", "pickle", "vlen-array", "vlen-utf8", "vlen-bytes"}
FILTERS = {"astype", "delta", "fixedscaleoffset", "quantize", "bitround", "packbits"}
SERIALIZERS = {"zfpy", "pcodec"}
VALUES = {}  # of arrays that a codec loses something of, by name; see codecs.json


def with_codecs():
    """Arrays with the codecs of numcodecs under their names in Zarr v3, and with others."""
    for c in common.codecs():
        codec, config = c["codec"]["id"], {k: v for k, v in c["codec"].items() if k != "id"}
        if not c.get("arrays", True) or ">" in str(config) or codec in UNNAMED or c["name"] in ("quantize-narrow", "blosc-blocks", "shuffle-3"):
            continue  # zarr-python does not read what it writes with quantize to another type
        codec = get_codec_class("numcodecs." + codec)(**config)
        kw = dict(filters=codec, compressors=None)
        if c["codec"]["id"] in SERIALIZERS:
            kw = dict(serializer=codec, compressors=None)
        elif c["codec"]["id"] not in FILTERS:
            kw = dict(compressors=codec)
        for dtype in c["dtypes"]:
            t = np.dtype(dtype).name
            if dtype[0] != ">" and t in TYPES:
                name = f"numcodecs/{c['name']}/{t}"
                VALUES[name] = c.get("values")
                yield name, t, {**kw, "fill_value": 0}
    for cname in ("lz4", "zstd", "zlib", "blosclz", "lz4hc"):
        for shuffle in ("noshuffle", "shuffle", "bitshuffle"):
            yield f"blosc/{cname}-{shuffle}", "uint16", dict(compressors=BloscCodec(cname=cname, shuffle=shuffle))
    for name, t, codecs in (
            ("cast_value/float32", "float64", [CastValue(data_type="float32")]),
            ("cast_value/int16", "float64", [CastValue(data_type="int16", rounding="towards-zero", out_of_range="clamp")]),
            ("scale_offset/float64", "float64", [ScaleOffset(offset=-8.0, scale=4.0)]),
            ("scale_offset/cast", "float64", [ScaleOffset(offset=-8.0, scale=2.0), CastValue(data_type="int16")])):
        VALUES[name] = "small"
        yield name, t, dict(filters=codecs, fill_value=0)


def write_all(store, holes=True):
    """Writes arrays; without holes, no chunk is all fill value."""
    rng = np.random.default_rng(1)
    about = {"attributes": {"by": "zarr-python"}, "dimension_names": ["y", None]}
    cases = []
    for name, t, kw in arrays():
        data = common.values(VALUES.get(name), TYPES[t], (7, 9), rng)
        a = zarr.create_array(store, name=name, shape=data.shape, dtype=t if t in VARIABLE else TYPES[t],
                              **{"chunks": (4, 6), "fill_value": FILLS.get(t), **about, **kw})
        if holes:
            data[4:, 6:] = a.fill_value
        a[...] = data
        cases.append({"name": name, "path": name, "sha256": common.digest(data), **about})
    return cases


def write_all2(folder):
    """Arrays of Zarr v2. Filters and compressors come from numcodecs, and of objects only text and bytes are there."""
    rng = np.random.default_rng(6)
    cases = []
    zarr.create_group(folder, zarr_format=2)
    for array in arrays2.arrays():
        objects = array["dtype"] == "|O"
        if objects and array["filters"][0]["id"] not in ("vlen-utf8", "vlen-bytes") or "subarray" in array["name"]:
            continue  # zarr-python 3 has no type for these
        if array.get("compressor", {}).get("id") == "blosc" and "m8" in str(array["dtype"]).lower():
            continue  # numcodecs' Blosc refuses times
        data = arrays2.data(array, (7, 9), rng)
        filters = [numcodecs.get_codec(dict(f)) for f in array.get("filters", [])]
        kw = dict(filters=filters, dtype=array["dtype"])
        if objects:
            kw = dict(dtype="string" if array["values"] == "words" else VariableLengthBytes())
        compressor = array.get("compressor")
        a = zarr.create_array(
            folder, name=array["name"], shape=data.shape, chunks=(4, 6), fill_value=array["fill"], zarr_format=2, order=array.get("order", "C"),
            compressors=numcodecs.get_codec(dict(compressor)) if compressor else None, attributes={"by": "zarr-python"},
            chunk_key_encoding={"name": "v2", "separator": array.get("separator", ".")}, **kw)
        if a.fill_value is not None:
            data[4:, 6:] = a.fill_value
        a[...] = data
        kind = arrays2.kind(array)
        cases.append({"name": array["name"], "path": array["name"], "type": kind, "sha256": common.digest(data, kind),
                      "attributes": {"by": "zarr-python"}})
    return cases


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
    elif command == "write2":
        common.save(folder, write_all2(folder))
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
