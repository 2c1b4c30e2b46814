"""xarray's side: datasets of all kinds, written in either version of Zarr, and compared with their copies.

xarray_peer.py write FOLDER VERSION    a dataset per case; VERSION is 2, 3 or 3-v2-keys, which can be migrated
xarray_peer.py compare FOLDER COPIES RESULTS
"""
import json
import os
import sys
import warnings

import numpy as np
import xarray as xr
import zarr

warnings.simplefilter("ignore")
OLD = zarr.__version__.startswith("2.")


def masked(dtype, fill, values, **encoding):
    """Values of a type with the given encoding; NaN is missing."""
    return ("x", np.array(values), {}, {"dtype": dtype, "_FillValue": fill, **encoding})


def datasets():
    nan = np.nan
    out = {}
    for kind in "iu":
        for size in (1, 2, 4, 8):
            t = f"{kind}{size}"
            info = np.iinfo(t)
            variables = {
                "plain": ("x", np.array([0, 1, 2, info.max], t)),
                "zero": masked(t, np.dtype(t).type(0), [1.0, nan, 2, 3]),
                "most": masked(t, info.max, [0.0, nan, 2, 3]),
                "zeros": ("x", np.zeros(4, t)),
            }
            if kind == "i":
                variables["least"] = masked(t, info.min, [0.0, nan, 2, 3])
            out[t] = xr.Dataset(variables)
    for t in ("f2", "f4", "f8"):
        out[t] = xr.Dataset({
            "nan": ("x", np.array([0, 1.5, nan, -2], t)),
            "none": ("x", np.array([0, 1.5, nan, -2], t), {}, {"_FillValue": None}),
            "number": masked(t, np.dtype(t).type(-999.9), [0, 1.5, nan, -2]),
            "zero": masked(t, np.dtype(t).type(0), [1.5, nan, -2, 4]),
            "infinite": masked(t, np.dtype(t).type(np.inf), [1.5, nan, 0, 4]),
            "both": masked(t, np.dtype(t).type(-9), [1.5, nan, 0, 4], missing_value=np.dtype(t).type(-9)),
            "missing": ("x", np.array([1.5, nan, 0, 4]), {}, {"dtype": t, "_FillValue": None, "missing_value": np.dtype(t).type(-9)}),
            "empty": ("y", np.zeros(0, t)),
        })
    for t in ("c8", "c16"):
        out[t] = xr.Dataset({"plain": ("x", np.array([0, 1j, complex(nan, 1), 2], t))})
    out["bool"] = xr.Dataset({"plain": ("x", np.array([True, False, True, False]))})
    out["text"] = xr.Dataset({
        "fixed": ("x", np.array(["a", "", "grün", "数据"])),
        "bytes": ("x", np.array([b"a", b"", b"abc", b"b"])),
        "any": ("x", np.array(["a", "", "grün", "a longer piece"], dtype=object)),
        "one": ((), "hello"),
    })
    out["packed"] = xr.Dataset({
        "i2": masked("i2", -9999, [0.0, 0.1, nan, 5], scale_factor=0.1, add_offset=2.0),
        "i2zero": masked("i2", 0, [0.1, 0.2, nan, 5], scale_factor=0.1),
        "u1": masked("u1", 255, [0.0, 1, nan, 5], scale_factor=0.5),
        "f4": masked("f4", np.float32(-1), [0.0, 1, nan, 5], scale_factor=0.5),
        "unsigned": masked("i1", np.int8(-1), [0.0, 1, nan, 200], _Unsigned="true"),
    })
    days = np.array(["2000-01-01", "2000-01-02", "2000-01-05", "2000-03-01"], "M8[ns]")
    with_nat = days.copy()
    with_nat[1] = "NaT"
    out["times"] = xr.Dataset({
        "plain": ("x", days),
        "first": ("x", days, {}, {"units": "days since 2000-01-01", "dtype": "i4"}),
        "nat": ("x", with_nat),
        "natfill": ("x", with_nat, {}, {"units": "hours since 2000-01-01", "dtype": "i8", "_FillValue": -1}),
        "float": ("x", with_nat, {}, {"units": "hours since 2000-01-01", "dtype": "f8", "calendar": "noleap"}),
        "delta": ("x", np.array([0, 1, 5, 7], "m8[D]").astype("m8[ns]")),
        "deltanat": ("x", np.array([0, "NaT", 5, 7], "m8[D]").astype("m8[ns]")),
    }, coords={"x": days})
    out["scalars"] = xr.Dataset({"i": ((), np.int32(0)), "f": ((), np.float32(nan)), "t": ((), days[0])}, attrs={"title": "scalars"})
    rng = np.random.default_rng(1)
    sparse = np.zeros((8, 6), "f4")
    sparse[0, 0] = 1
    out["chunks"] = xr.Dataset({
        # Zarr leaves out chunks of nothing but the fill value.
        "zeros": (("y", "x"), sparse.astype("i4"), {}, {"chunks": (2, 3)}),
        "nan": (("y", "x"), np.where(sparse > 0, sparse, nan), {}, {"chunks": (2, 3)}),
        "masked": (("y", "x"), np.where(sparse > 0, sparse, nan), {}, {"chunks": (2, 3), "_FillValue": np.float32(-9), "dtype": "f4"}),
        "none": (("y", "x"), sparse, {"units": "K"}, {"chunks": (2, 3), "_FillValue": None}),
        "full": (("y", "x"), rng.random((8, 6)), {}, {"chunks": (4, 4)}),
    }, coords={"y": np.arange(8.0), "x": np.arange(6), "lat": (("y", "x"), rng.random((8, 6))), "height": 2.0}, attrs={"history": "made"})
    return out


def trees():
    if not hasattr(xr, "DataTree"):
        return {}
    all_sets = datasets()
    return {"tree": xr.DataTree.from_dict({"/": xr.Dataset(attrs={"title": "root"}), "/a": all_sets["chunks"], "/a/b": all_sets["scalars"], "/c": all_sets["times"]})}


def plain(path):
    """Arrays of Zarr v2 that xarray reads, with documents that it would not write."""
    dims = {"_ARRAY_DIMENSIONS": ["x"]}
    cases = {
        "bool": ("?", False, [True, False, True, False], {}),
        "text": ("<U3", "", ["a", "", "b", "c"], {}),
        "named": ("<U3", "a", ["a", "", "b", "c"], {}),
        "complex": ("c8", 0j, [0, 1, 2, 3], {}),
        "complexnan": ("c16", complex(np.nan, np.nan), [0, 1, 2, 3], {}),
        "attribute": ("i4", None, [-9, 1, 2, 3], {"_FillValue": -9}),
        "float": ("f4", None, [-9, 1, 2, 3], {"_FillValue": -9.0}),
        "double": ("f4", None, [-999.9, 1, 2, 3], {"_FillValue": -999.9}),
        "two": ("i4", -1, [-9, -1, 2, 3], {"missing_value": -9}),
        "over": ("i4", -1, [-9, -1, 2, 3], {"_FillValue": -9}),
        "absent": ("i4", 7, None, {}),
        "datetime": ("<M8[s]", None, np.array([0, 1, 2, 3], "M8[s]"), {}),
        "timedelta": ("<m8[s]", None, np.array([0, 1, 2, 3], "m8[s]"), {}),
        "bytes": ("S3", None, [b"a", b"", b"b", b"c"], {}),
    }
    group = zarr.open_group(path, mode="w") if OLD else zarr.open_group(path, mode="w", zarr_format=2)
    for name, (dtype, fill, values, attributes) in cases.items():
        a = group.create(name, shape=(4,), chunks=(2,), dtype=dtype, fill_value=fill)
        a.attrs.update({**dims, **attributes})
        if values is not None:
            a[:] = np.array(values, dtype)


def write(folder, version):
    os.makedirs(folder, exist_ok=True)
    for name, ds in {**datasets(), **({} if version == "3-v2-keys" else trees())}.items():
        path = os.path.join(folder, name + ".zarr")
        options = {} if OLD else {"zarr_format": int(version[0])}
        if version == "3-v2-keys" and isinstance(ds, xr.Dataset):
            keys = {"name": "v2", "separator": "."}
            options["encoding"] = {v: {"chunk_key_encoding": keys} for v in ds.variables}
        ds.to_zarr(path, consolidated=name not in ("i1", "text", "times"), **options)
    if version == "2":
        plain(os.path.join(folder, "plain.zarr"))


def same(x, y):
    """Whether two missing values are the same, whatever NumPy type they have."""
    if x is None or y is None:
        return x is y
    return bool(np.all((x == y) | ((x != x) & (y != y))))


def differences(one, other):
    for mode in ({}, {"mask_and_scale": False, "decode_times": False}):
        with xr.open_zarr(one, consolidated=False, **mode) as a, xr.open_zarr(other, consolidated=False, **mode) as b:
            for name in sorted(set(a.variables) | set(b.variables)):
                if name not in b.variables or name not in a.variables:
                    yield f"{name} is missing"
                    continue
                x, y = a[name].load(), b[name].load()
                # xarray has no _FillValue of text in Zarr v3: missing_value says it there.
                missing = [v.encoding.get("_FillValue", v.attrs.get("_FillValue")) for v in (x, y)]
                text = any(isinstance(m, str) for m in missing) and x.dtype.kind in "OUT"
                if mode:
                    x, y = x.copy(), y.copy()
                    for v in (x, y):  # the raw attributes of versions differ
                        v.attrs.pop("_FillValue", None)
                        if text:
                            v.attrs.pop("missing_value", None)
                if not x.identical(y) or x.dtype != y.dtype:
                    yield f"{name} differs: {x.dtype} {x.values.ravel()[:4]} {x.attrs}, {y.dtype} {y.values.ravel()[:4]} {y.attrs}"
                if not mode and not text and not same(x.encoding.get("_FillValue"), y.encoding.get("_FillValue")):
                    yield f"{name}: _FillValue {x.encoding.get('_FillValue')!r}, {y.encoding.get('_FillValue')!r}"
            if not mode and not a.identical(b):
                yield "datasets differ"


def is_array(folder):
    if os.path.exists(os.path.join(folder, ".zarray")):
        return True
    try:
        with open(os.path.join(folder, "zarr.json"), encoding="utf-8") as f:
            return json.load(f)["node_type"] == "array"
    except FileNotFoundError:
        return False


def groups(path):
    """The groups that hold arrays."""
    for at, folders, _ in os.walk(path):
        if any(is_array(os.path.join(at, f)) for f in folders):
            yield os.path.relpath(at, path)


def compare(folder, copies, results):
    with open(results, "a", encoding="utf-8") as out:
        for name in sorted(os.listdir(folder)):
            found = []
            try:
                of = sorted(groups(os.path.join(folder, name)))
                if not of or of != sorted(groups(os.path.join(copies, name))):
                    found.append(f"groups {of}")
                for group in of:
                    found += differences(os.path.join(folder, name, group), os.path.join(copies, name, group))
                with xr.open_zarr(os.path.join(folder, name)) as one, xr.open_zarr(os.path.join(copies, name)) as other:
                    if not one.identical(other):
                        found.append("opened by consolidated metadata they differ")
            except Exception as e:
                found.append(f"{type(e).__name__}: {e}")
            out.write(json.dumps({"case": name.removesuffix(".zarr"), "error": "; ".join(found)}) + "\n")


if __name__ == "__main__":
    {"write": write, "compare": compare}[sys.argv[1]](*sys.argv[2:])
