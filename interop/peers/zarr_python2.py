"""zarr-python 2 as a peer.

    zarr_python2.py read     DIR RESULTS
    zarr_python2.py write2   DIR
    zarr_python2.py portable DIR   arrays that Zarr v3 can describe too, in groups with consolidated metadata
"""
import itertools
import sys
import warnings

import numcodecs
import numpy as np
import zarr

import arrays2
import common

warnings.simplefilter("ignore")


def read_case(folder, case):
    if "group" in case:
        a = zarr.open_consolidated(f"{folder}/{case['group']}", mode="r")[case["path"]]
    else:
        a = zarr.open_array(f"{folder}/{case['path']}", mode="r")
    common.check_attributes(a.attrs.asdict(), case)
    if a.fill_value is None and a.dtype != object and any(
            a._chunk_key(c) not in a.chunk_store for c in itertools.product(*map(range, a.cdata_shape))):
        raise ValueError("no fill value: zarr-python leaves in memory what was there")
    values = a[...]
    return values if isinstance(values, np.ndarray) else np.asarray(values, a.dtype)


def write_array(folder, array, rng):
    filters = [numcodecs.get_codec(dict(f)) for f in array.get("filters", [])]
    kw = dict(filters=filters or None)
    if array["dtype"] == "|O" and array["filters"][0]["id"] in arrays2.OBJECTS:
        kw = dict(filters=filters[1:] or None, object_codec=filters[0])
    compressor = array.get("compressor")
    a = zarr.open_array(
        f"{folder}/{array['name']}", mode="w", shape=(7, 9), chunks=(4, 6), dtype=array["dtype"], fill_value=array["fill"],
        order=array.get("order", "C"), dimension_separator=array.get("separator", "."),
        compressor=numcodecs.get_codec(dict(compressor)) if compressor else None, **kw)
    data = arrays2.data(array, (7, 9), rng)
    if array["fill"] is not None:
        data[4:, 6:] = a.fill_value
    a[...] = data
    if array["fill"] is not None:
        del a.store[a._chunk_key((1, 1))]
    a.attrs.put({"by": "zarr-python 2"})
    return {"name": array["name"], "path": array["name"], "type": arrays2.kind(array), "sha256": common.digest(data, arrays2.kind(array)),
            "attributes": {"by": "zarr-python 2"}}


def write_all(folder, arrays):
    zarr.open_group(folder, mode="w")
    rng = np.random.default_rng(5)
    return [write_array(folder, array, rng) for array in arrays]


def portable(array):
    """Whether zarr-python 3 and Zarr v3 have names for it all."""
    ids = {f["id"] for f in array.get("filters", [])}
    if array["name"].startswith(("edit/", "type/struct-mixed")):  # Zarr v3 has one byte order
        return False
    return not ids & (arrays2.OBJECTS - {"vlen-utf8", "vlen-bytes"} | {"categorize", "base64"})


def write_portable(folder):
    cases = write_all(folder, filter(portable, arrays2.arrays()))
    for name in ("", "type", "codec"):
        zarr.open_group(f"{folder}/{name}").attrs.put({"group": name})
    zarr.consolidate_metadata(folder)
    return cases


command, folder, *results = sys.argv[1:]
if command == "read":
    common.read_all(common.load(folder), results[0], lambda case: read_case(folder, case))
elif command == "write2":
    common.save(folder, write_all(folder, arrays2.arrays()))
else:
    common.save(folder, write_portable(folder))
