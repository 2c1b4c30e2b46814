"""h5py's side of run-hdf5: random files by h5py, pynwb, netCDF4 and anndata, what h5py reads of them, and what others see in copies.

hdf5_peer.py write FOLDER SEED      write files of all four
hdf5_peer.py expect FOLDER FILE     a line of JSON for every selection of every dataset, with the SHA-256 of its elements
hdf5_peer.py refers FOLDER RESULTS  zarr-python reads FOLDER/NAME.json, which refers to the chunks of FOLDER/NAME
hdf5_peer.py xarray FOLDER RESULTS  xarray finds FOLDER/NAME.nc identical in FOLDER/NAME.zarr
hdf5_peer.py nwb FOLDER RESULTS     pynwb finds FOLDER/NAME.nwb in FOLDER/NAME.nwb.zarr, which is valid
"""
import glob
import hashlib
import json
import os
import sys
import warnings

import h5py
import hdf5plugin
import numpy as np

warnings.simplefilter("ignore")
TYPES = ["i1", "u1", "<i2", ">i2", "<u4", ">i8", "<u8", "<f2", "<f4", ">f4", "<f8", ">f8", "?", "<c8", "<c16", "S5", "text",
         [("a", "<i2"), ("b", ">f8"), ("c", "u1", (3,))], "enum"]
LIBRARIES = ["earliest", "v108", "v110", "v112", "v114", "latest"]


def dtype_of(kind):
    if kind == "text":
        return h5py.string_dtype()
    if kind == "enum":
        return h5py.enum_dtype({"no": 0, "yes": 1, "perhaps": 7}, "<i2")
    return np.dtype(kind)


def random_values(rng, dtype, shape):
    """Values that compress, with all bits somewhere."""
    if h5py.check_string_dtype(dtype) and dtype.kind == "O":
        words = np.array(["", "a", "grün", "数据", "longer " * 9], dtype=object)
        return words[rng.integers(0, len(words), shape)]
    if h5py.check_enum_dtype(dtype):
        return np.array([0, 1, 7], dtype)[rng.integers(0, 3, shape)]
    if dtype.fields:
        out = np.zeros(shape, dtype)
        for name, (field, _) in dtype.fields.items():
            out[name] = random_values(rng, field.base, tuple(np.shape(out[name])))
        return out
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind == "S":
        return np.array([b"", b"ab", b"abcde"], dtype)[rng.integers(0, 3, shape)]
    if dtype.kind in "fc":
        return (rng.integers(-1000, 1000, shape) / 8).astype(dtype)
    info = np.iinfo(dtype)
    some = rng.integers(max(info.min, -99), 100, shape)
    return np.where(rng.random(shape) < 0.1, rng.integers(info.min, info.max, shape, dtype=dtype.newbyteorder("="), endpoint=True), some.astype(dtype))


def random_filters(rng, dtype):
    """Options of h5py for a random chain."""
    if dtype.kind == "O":
        return rng.choice([{}, {"compression": "gzip"}])
    more = {"shuffle": bool(rng.integers(0, 2)), "fletcher32": bool(rng.integers(0, 4) == 0)}
    kinds = [{}, {"compression": "gzip", "compression_opts": int(rng.integers(1, 10))}, {"compression": "lzf"}, hdf5plugin.Zstd(), hdf5plugin.BZip2(),
             hdf5plugin.LZ4(), hdf5plugin.Blosc(cname=str(rng.choice(["blosclz", "lz4", "lz4hc", "zlib", "zstd"])), shuffle=int(rng.integers(0, 3))),
             hdf5plugin.Blosc2(cname=str(rng.choice(["blosclz", "lz4", "zlib", "zstd"])))]
    if dtype.kind in "iuf":
        kinds += [hdf5plugin.Bitshuffle(cname=str(rng.choice(["none", "lz4", "zstd"])))]
        if dtype.itemsize <= 8 and dtype.kind in "iu":
            kinds += [{"scaleoffset": 0}]
        if h5py.h5z.filter_avail(h5py.h5z.FILTER_SZIP) and dtype.itemsize <= 4:
            kinds += [{"compression": "szip", "compression_opts": ("nn", 8)}]
    chosen = kinds[rng.integers(0, len(kinds))]
    if "scaleoffset" in chosen:
        more = {}  # which does not go with a checksum
    if chosen.get("compression") in ("szip", 32008):
        more.pop("shuffle")
    return {**dict(chosen), **more}


def write_h5py(path, rng):
    """Datasets of all types, in all layouts, with holes; links and attributes."""
    library = str(rng.choice(LIBRARIES))
    with h5py.File(path, "w", libver=library if library in ("earliest", "latest") else (library, library), userblock_size=int(rng.choice([0, 0, 512]))) as f:
        for i in range(30):
            kind = TYPES[rng.integers(0, len(TYPES))]
            dtype = dtype_of(kind)
            rank = int(rng.integers(0, 5))
            shape = tuple(int(n) for n in rng.integers(1, [60, 60, 24, 12, 7][rank], rank))
            options = {}
            if rank and rng.integers(0, 4):
                options = {"chunks": tuple(int(rng.integers(1, n + 1)) for n in shape), **random_filters(rng, dtype)}
                if rng.integers(0, 2):
                    options["maxshape"] = tuple(None if rng.integers(0, 3) == 0 else n + int(rng.integers(0, 9)) for n in shape)
            if rng.integers(0, 3) == 0 and dtype.kind in "iuf":
                options["fillvalue"] = random_values(rng, dtype, ())[()]
            group = f.require_group(f"group{i % 4}" + ("/deep" if i % 3 == 0 else "") if i % 5 else "/")
            try:
                d = group.create_dataset(f"data{i:02}", shape, dtype, **options)
            except (ValueError, OSError):  # a chain that this type cannot have
                d = group.create_dataset(f"data{i:02}", shape, dtype)
            part = tuple(slice(int(a), int(a) + int(rng.integers(1, n - a + 1))) for n, a in ((n, rng.integers(0, n)) for n in shape)) if rng.integers(0, 3) == 0 else ...
            d[part] = random_values(rng, dtype, np.zeros(shape, bool)[part].shape)
            d.attrs["number"] = i
            d.attrs["list"] = rng.random(3)
            d.attrs["text"] = "grün"


def write_netcdf(path, rng):
    import netCDF4
    with netCDF4.Dataset(path, "w") as f:
        sizes = {"time": None, "y": int(rng.integers(2, 9)), "x": int(rng.integers(2, 30))}
        for name, n in sizes.items():
            f.createDimension(name, n)
        steps = int(rng.integers(1, 20))
        time = f.createVariable("time", "f8", ("time",))
        time.units, time.calendar = "hours since 2020-01-01", "standard"
        time[:] = np.arange(steps) * 6
        x = f.createVariable("x", "f4", ("x",))
        x[:] = np.linspace(0, 1, sizes["x"])
        for i in range(6):
            dims = [("time", "y", "x"), ("y", "x"), ("time",), ("x",), (), ("time", "x")][i]
            kind = str(rng.choice(["i2", "f4", "f8", "u1", "i8"]))
            options = [{}, {"zlib": True, "complevel": 3, "shuffle": bool(rng.integers(0, 2))}, {"fletcher32": True}, {"compression": "zstd"}][rng.integers(0, 4)] if dims else {}
            fill = None if rng.integers(0, 2) or kind not in ("f4", "f8", "i2") else -99
            v = f.createVariable(f"v{i}", kind, dims, fill_value=fill, **options)
            shape = tuple(steps if d == "time" else sizes[d] for d in dims)
            values = rng.integers(0, 90, shape)
            v[...] = np.ma.masked_array(values, rng.random(shape) < 0.2) if fill is not None else values
            v.long_name, v.valid_range = f"variable {i}", np.array([0, 90], kind)
        words = f.createVariable("words", str, ("y",))
        words[:] = np.array([f"wort ä {i}" for i in range(sizes["y"])], dtype=object)
        f.title, f.history = "a random dataset", "made by a test"


def write_anndata(path, rng):
    import anndata
    import pandas as pd
    import scipy.sparse
    rows, columns = int(rng.integers(5, 60)), int(rng.integers(3, 20))
    dense = rng.integers(0, 5, (rows, columns)).astype("f4")
    x = [dense, scipy.sparse.csr_matrix(dense), scipy.sparse.csc_matrix(dense)][rng.integers(0, 3)]
    obs = pd.DataFrame({"kind": pd.Categorical(rng.choice(["a", "b", "c"], rows)), "size": rng.random(rows), "count": rng.integers(0, 9, rows),
                        "good": rng.integers(0, 2, rows).astype(bool)}, index=[f"cell {i}" for i in range(rows)])
    a = anndata.AnnData(x, obs=obs, var=pd.DataFrame(index=[f"gene {i}" for i in range(columns)]))
    a.layers["raw"], a.obsm["pca"], a.uns["note"] = dense, rng.random((rows, 2)), "text"
    a.write_h5ad(path, compression=[None, "gzip", "lzf"][rng.integers(0, 3)])


def write_nwb(path, seed):
    import hdmf_sessions
    from hdmf.backends.hdf5 import H5DataIO
    from pynwb import NWBHDF5IO
    hdmf_sessions.ZarrDataIO = lambda data, chunks, **_: H5DataIO(data, chunks=chunks, compression="gzip", shuffle=True, fletcher32=True)
    with NWBHDF5IO(path, "w") as io:
        io.write(hdmf_sessions.session("session", seed))


def write(folder, seed):
    seed = int(seed)
    rng = np.random.default_rng(seed)
    for i in range(6):
        write_h5py(f"{folder}/h5py-{i}.h5", rng)
    for i in range(3):
        write_netcdf(f"{folder}/netcdf-{i}.nc", rng)
        write_anndata(f"{folder}/anndata-{i}.h5ad", rng)
    write_nwb(f"{folder}/pynwb-0.nwb", seed)


def is_only_dimension(o):
    """netCDF-4's mark of a dimension without a variable, which is no array of the dataset."""
    return bytes(o.attrs.get("NAME", b"")).startswith(b"This is a netCDF dimension but not a netCDF variable")


def selections(rng, shape):
    """Everything, and parts with steps, as text."""
    yield ""
    if not shape or 0 in shape:
        return
    for _ in range(4):
        parts = []
        for n in shape:
            first = int(rng.integers(0, n))
            parts.append(f"{first}:{int(rng.integers(first, n)) + 1}:{int(rng.choice([1, 1, 1, 2, 3, 7]))}")
        yield ",".join(parts)


def read_part(a, text=""):
    got = a[tuple(slice(*map(int, p.split(":"))) for p in text.split(","))] if text else a[()]
    return np.asarray(got, a.dtype)  # a scalar text forgets how long it may be


def has_references(dtype):
    return h5py.check_ref_dtype(dtype) is not None or bool(dtype.fields) and any(has_references(t) for t, *_ in dtype.fields.values())


def digest(a):
    """The SHA-256 of elements, little-endian without gaps; text with its length before it. None of what has no such form."""
    a = np.asarray(a)
    h = hashlib.sha256()
    if a.dtype.kind == "O":
        for x in a.reshape(-1):
            x = x.encode() if isinstance(x, str) else x
            if not isinstance(x, bytes):
                return None
            h.update(len(x).to_bytes(4, "little") + x)
        return h.hexdigest()
    h.update(a.astype(a.dtype.newbyteorder("<")).tobytes())
    return h.hexdigest()


def expect(folder, out):
    with open(out, "w", encoding="utf-8") as lines:
        for path in sorted(glob.glob(f"{folder}/*")):
            rng = np.random.default_rng(len(path))
            with h5py.File(path) as f:
                datasets = []
                f.visititems(lambda name, o: datasets.append(o) if isinstance(o, h5py.Dataset) and not is_only_dimension(o) else None)
                for d in datasets:
                    for part in selections(rng, d.shape or ()):
                        line = {"file": os.path.basename(path), "path": d.name, "part": part, "shape": None, "sha256": None}
                        if d.shape is not None:
                            got = read_part(d, part)
                            line.update(shape=got.shape, sha256=None if has_references(d.dtype) else digest(got))
                        lines.write(json.dumps(line) + "\n")


def has_arrays(dtype):
    return bool(dtype.fields) and any(t.subdtype for t, *_ in dtype.fields.values())


class Results:
    def __init__(self, path):
        self.path, self.lines = path, []

    def case(self, name, do):
        error = ""
        try:
            do()
        except Exception as e:
            error = f"{type(e).__name__}: {e}"
        self.lines.append(json.dumps({"case": name, "error": error}))

    def save(self):
        with open(self.path, "w", encoding="utf-8") as f:
            f.write("\n".join(self.lines) + "\n")


def refers(folder, results):
    import fsspec
    import zarr
    out = Results(results)
    for manifest in sorted(glob.glob(f"{folder}/*.json")):
        file = manifest.removesuffix(".json")
        fs = fsspec.filesystem("reference", fo=manifest, asynchronous=True, remote_protocol="file", remote_options={"asynchronous": True, "auto_mkdir": False})
        group = zarr.open_group(zarr.storage.FsspecStore(fs), mode="r", zarr_format=3)
        with h5py.File(file) as f:
            datasets = []
            f.visititems(lambda name, o: datasets.append(o) if isinstance(o, h5py.Dataset) and not is_only_dimension(o) else None)
            for d in datasets:
                # zarr-python has no types for lists, nor for fields that are arrays.
                if d.shape is None or has_references(d.dtype) or d.dtype.kind == "O" and not h5py.check_string_dtype(d.dtype) or has_arrays(d.dtype):
                    continue

                def same(d=d):
                    a = group[d.name.lstrip("/")]
                    got = np.asarray(a[...], a.dtype)
                    if got.shape != d.shape or not (same_text(got, d) if d.dtype.kind == "O" else digest(got) == digest(read_part(d))):
                        raise ValueError("other values")

                out.case(f"{os.path.basename(file)}{d.name}", same)
    out.save()


def same_text(got, d):
    """zarr-python has text of any length as NumPy's own."""
    return [str(x) for x in got.reshape(-1)] == [str(x) for x in np.asarray(d.asstr()[()]).reshape(-1)]


def xarray(folder, results):
    import xarray
    out = Results(results)
    for path in sorted(glob.glob(f"{folder}/*.nc")):
        for how in ({}, {"decode_cf": False}):
            def same(path=path, how=how):
                with xarray.open_dataset(path, engine="h5netcdf", **how) as want, xarray.open_zarr(path.removesuffix("nc") + "zarr", consolidated=None, **how) as got:
                    xarray.testing.assert_identical(want.load(), got.load())
            out.case(os.path.basename(path) + ("-plain" if how else ""), same)
    out.save()


def nwb(folder, results):
    from hdmf_zarr.nwb import NWBZarrIO
    from pynwb import NWBHDF5IO, validate
    out = Results(results)
    for path in sorted(glob.glob(f"{folder}/*.nwb")):
        copy = path + ".zarr"

        def same():
            with NWBHDF5IO(path, "r") as theirs, NWBZarrIO(copy, "r") as ours:
                want, got = theirs.read().objects, ours.read().objects
                if set(want) != set(got):
                    raise ValueError(f"other objects: {len(want)} and {len(got)}")
                for key, o in want.items():
                    same_objects(o, got[key])

        def valid():
            with NWBZarrIO(copy, "r") as io:
                if found := validate(io=io):
                    raise ValueError("findings: " + "; ".join(map(str, found)))

        out.case(os.path.basename(path), same)
        out.case(os.path.basename(path) + "-valid", valid)
    out.save()


def same_objects(want, got):
    """All fields that are numbers or text; data and tables whole."""
    where = f"{want.data_type} {want.name}"
    if want.data_type != got.data_type or want.name != got.name:
        raise ValueError(f"{where} is {got.data_type} {got.name}")
    if set(want.fields) != set(got.fields):
        raise ValueError(f"{where} has other fields: {set(want.fields) ^ set(got.fields)}")
    for name, x in want.fields.items():
        y = got.fields[name]
        if hasattr(x, "object_id"):
            if x.object_id != y.object_id:
                raise ValueError(f"{where}: {name} is another object")
        elif hasattr(x, "shape") or isinstance(x, (str, int, float, bool)):
            a, b = np.asarray(x[()] if hasattr(x, "shape") else x), np.asarray(y[()] if hasattr(y, "shape") else y)
            if a.dtype.kind == "O" or b.dtype.kind == "O":
                if [str(text(v)) for v in a.reshape(-1)] != [str(text(v)) for v in b.reshape(-1)] and not refers_to_objects(a):
                    raise ValueError(f"{where}: other {name}")
            elif not np.array_equal(a, b, equal_nan=a.dtype.kind in "fc"):
                raise ValueError(f"{where}: other {name}")
    if hasattr(want, "to_dataframe"):
        a, b = want.to_dataframe(), got.to_dataframe()
        if list(a.columns) != list(b.columns) or len(a) != len(b):
            raise ValueError(f"{where}: another table")


def text(x):
    return x.decode() if isinstance(x, bytes) else x


def refers_to_objects(a):
    return a.size > 0 and not isinstance(a.reshape(-1)[0], (str, bytes, int, float))


if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    globals()[sys.argv[1]](*sys.argv[2:])
