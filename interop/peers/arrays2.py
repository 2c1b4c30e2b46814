"""The arrays of Zarr v2 that zarr-python writes, in version 2 and in version 3."""
import common

ZLIB = {"id": "zlib", "level": 1}
BLOSC = {"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0}
LZ4 = {"id": "lz4", "acceleration": 1}
COMPRESSORS = {"zlib", "gzip", "bz2", "zstd", "lz4", "lzma", "blosc", "zfpy", "pcodec"}
OBJECTS = {"vlen-utf8", "vlen-bytes", "vlen-array", "json2", "msgpack2", "pickle"}
KINDS = {"words": "string", "binary": "variable_length_bytes", "json": "omnizarr.json", "lists": "omnizarr.list"}

TYPES = {  # and a fill value; @ stands for the byte order
    "|b1": True, "|i1": -2, "|u1": 3, "@i2": -2, "@i4": -2, "@i8": -2, "@u2": 3, "@u4": 3, "@u8": 3, "@f2": 1.5,
    "@f4": float("nan"), "@f8": float("-inf"), "@c8": complex(float("inf"), 2), "@c16": 0.5 - 1j,
    "@M8[ns]": "NaT", "@M8[D]": 5, "@m8[25ms]": -5, "|S1": b"a", "|S7": b"ab", "@U1": "ü", "@U5": "grün",
    "|V1": None, "|V5": None,
}
STRUCTS = {
    "struct": [("a", "@u2"), ("b", "@f8"), ("c", "|i1")],
    "struct-text": [("t", "@U2"), ("s", "|S3"), ("k", "|b1")],
    "struct-nested": [("p", [("x", "@f4"), ("y", "@f4")]), ("t", "@M8[s]")],
    "struct-subarray": [("m", "@i2", (2, 3)), ("s", "|u1")],
    "struct-mixed": [("a", "<u2"), ("b", ">f8"), ("c", "|i1")],
}


def ordered(dtype, order):
    """A NumPy type with its byte order in place."""
    if isinstance(dtype, str):
        return dtype.replace("@", order)
    return [(name, ordered(of, order), *shape) for name, of, *shape in dtype]


def label(dtype):
    return dtype.replace("<", "little-").replace(">", "big-").replace("|", "").replace("[", "-").replace("]", "")


def layouts():
    """Ways to store an array."""
    return {
        "plain": {},
        "fortran-zlib": dict(order="F", compressor=ZLIB),
        "slash-blosc": dict(separator="/", compressor=BLOSC),
    }


def types():
    for t, fill in TYPES.items():
        for order in "<>" if "@" in t else "|":
            dtype = ordered(t, order)
            for name, kw in layouts().items():
                yield dict(name=f"type/{label(dtype)}/{name}", dtype=dtype, fill=fill, **kw)
            yield dict(name=f"type/{label(dtype)}/no-fill", dtype=dtype, fill=None)
    for name, fields in STRUCTS.items():
        for order in "<>":
            for layout, kw in layouts().items():
                yield dict(name=f"type/{name}-{'little' if order == '<' else 'big'}/{layout}", dtype=ordered(fields, order), fill=None, **kw)


def with_codecs():
    for c in common.codecs():
        if not c.get("arrays", True):
            continue
        codec = c["codec"]
        for dtype in c["dtypes"]:
            out = dict(name=f"codec/{c['name']}/{label(dtype)}", dtype=dtype, fill=0, values=c.get("values"), items=codec.get("dtype"))
            if dtype == "|O":
                out["fill"] = "" if c["values"] in ("words", "labels") else None
            elif "U" in dtype:
                out["fill"] = ""
            elif "V" in dtype:
                out["fill"] = None
            if codec["id"] in COMPRESSORS:
                yield {**out, "compressor": codec}
            else:
                yield {**out, "filters": [codec]}
                # numcodecs' bitround stores chunks of order F in order C, and so do documents: nobody reads them.
                order = "C" if codec["id"] in ("bitround", "json2", "msgpack2") else "F"
                yield {**out, "filters": [codec], "compressor": LZ4, "order": order, "name": out["name"] + "-lz4"}


def edited():
    delta = {"id": "delta", "dtype": "<u2", "astype": "<u2"}
    for name, kw in {**layouts(), "delta-shuffle-zlib": dict(filters=[delta, {"id": "shuffle", "elementsize": 2}], compressor=ZLIB),
                     "crc32-bz2": dict(filters=[{"id": "crc32"}], compressor={"id": "bz2", "level": 1}),
                     "lzma": dict(compressor={"id": "lzma", "format": 1, "check": -1, "preset": None, "filters": None})}.items():
        yield dict(name=f"edit/uint16/{name}", dtype="<u2", fill=3, **kw)
    yield dict(name="edit/uint16/big", dtype=">u2", fill=0, compressor=ZLIB)
    yield dict(name="edit/uint16/big-delta", dtype=">u2", fill=3, filters=[{"id": "delta", "dtype": ">u2", "astype": ">u2"}])
    for name in ("vlen-utf8", "json2", "msgpack2", "pickle"):
        yield dict(name=f"edit/string/{name}", dtype="|O", fill="" if name == "vlen-utf8" else None, values="words", filters=[{"id": name}], compressor=ZLIB)


def arrays():
    yield from types()
    yield from with_codecs()
    yield from edited()


def data(array, shape, rng):
    return common.values(array.get("values"), array["dtype"], shape, rng, array.get("items") or "<i4")


def kind(array):
    """The name of the data type where digests depend on it."""
    if any(f["id"] in ("json2", "msgpack2", "pickle") for f in array.get("filters", [])):
        return "omnizarr.json"
    return KINDS.get(array.get("values"), "")
