"""What zarr-python, tensorstore, xarray and dask read from `omnizarr serve`.

    served_python.py BASE CASES RESULTS    CASES is what run-served wrote: which part of what holds which elements
"""

import functools
import json
import sys
import urllib.request

import dask.array
import numpy as np
import tensorstore
import xarray
import zarr

import common

base, cases, results = sys.argv[1], json.load(open(sys.argv[2], encoding="utf-8")), open(sys.argv[3], "a", encoding="utf-8")


case = functools.partial(common.case, results)


def same(got, want, what="elements"):
    got = np.asarray(got)
    assert got.dtype == want.dtype and got.shape == want.shape, f"{got.dtype} {got.shape}, not {want.dtype} {want.shape}"
    assert np.array_equal(got, want), f"other {what}"


def index(text):
    return tuple(slice(*[int(n) if n else None for n in part.split(":")]) if ":" in part else int(part) for part in text.split(","))


def sent():
    """How many values were sent so far, by what the server counts."""
    with urllib.request.urlopen(f"{base}/metrics") as answer:
        lines = answer.read().decode().splitlines()
    return sum(float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith("omnizarr_http_requests_total") and 'route="/zarr' in line)


for c in cases:
    want, part = np.load(c["npy"]), index(c["slice"])
    for version, driver in ((3, "zarr3"), (2, "zarr")):
        root = f"{base}/zarr{'' if version == 3 else '2'}/{c['name']}"
        at = root + c["path"]
        label = f"{c['name']}{c['path']} as v{version}"
        case(f"zarr-python: {label}", lambda: same(zarr.open_array(at, mode="r", zarr_format=version)[part], want))
        case(f"zarr-python, any version: {label}", lambda: same(zarr.open(at, mode="r")[part], want))
        case(f"zarr-python, consolidated: {label}", lambda: same(zarr.open_consolidated(root, mode="r", zarr_format=version)[c["path"].strip("/")][part], want))
        case(f"tensorstore: {label}", lambda: same(tensorstore.open({"driver": driver, "kvstore": at + "/"}, open=True, read=True).result()[part].read().result(), want))
        case(f"dask: {label}", lambda: same(dask.array.from_zarr(at, zarr_format=version)[part].compute() if version == 3 else dask.array.from_zarr(zarr.open_array(at, mode="r", zarr_format=2))[part].compute(), want))


def members():
    listed = sorted(k for k, _ in zarr.open_group(f"{base}/zarr/session.nwb.zarr/acquisition", mode="r", use_consolidated=False).members(max_depth=None))
    assert listed == ["lfp", "lfp/data", "lfp/electrodes", "lfp/starting_time"], listed


case("zarr-python lists what a group holds", members)


def lazily(version):
    before = sent()
    with xarray.open_dataset(f"{base}/zarr{'' if version == 3 else '2'}/planet.zarr", engine="zarr", chunks={}, zarr_format=version) as data:
        assert data["temperature"].dims == ("time", "lat", "lon"), data["temperature"].dims
        opened = sent() - before
        july = data["temperature"].sel(time="2025-07-14", method="nearest").sel(lat=slice(30, 20))
        assert sent() - before == opened, "elements were read before they were wanted"
        values = july.compute()
        assert sent() > before + opened, "nothing was read"
        assert values.shape == (10, 360) and float(values.min()) > -40 and float(values.max()) < 60, values
        assert str(data.time.values[0])[:10] == "2025-01-15", data.time.values[0]
        assert opened <= 60, f"{opened} requests to open"


for version in (3, 2):
    case(f"xarray with dask opens v{version} lazily", lambda: lazily(version))
results.close()
