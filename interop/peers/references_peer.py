"""zarr-python reading TIFF files by references that Omnizarr wrote, with fsspec and imagecodecs: references_peer.py read DIR RESULTS."""
import os
import sys
import warnings

import fsspec
import imagecodecs.zarr
import zarr
from zarr.storage import FsspecStore

from common import load, read_all

warnings.simplefilter("ignore")
imagecodecs.zarr.register_codecs()
zarr.config.set({"array.rectilinear_chunks": True})


def read(case):
    files = fsspec.filesystem("reference", fo=os.path.join(folder, case["path"]), remote_protocol="file", asynchronous=True, skip_instance_cache=True)
    a = zarr.open_array(FsspecStore(files, read_only=True), path=case.get("group", ""), mode="r")
    if list(a.shape) != case["shape"] or list(a.metadata.dimension_names) != case["dimension_names"]:
        raise ValueError(f"shape {a.shape} of {a.metadata.dimension_names}")
    return a[...]


folder = sys.argv[2]
read_all(load(folder), sys.argv[3], read)
