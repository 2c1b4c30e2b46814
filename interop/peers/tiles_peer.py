"""Decodes tiles that Omnizarr made, for tifffile and libtiff in a file around each; or reads whole arrays of them with
zarr-python and the codec of osml-imagery-io.

    tiles_peer.py tifffile|libtiff|osml|osml-arrays DIR RESULTS
"""
import base64
import os
import sys
import tempfile

import numpy as np

from common import load, read_all
from container import wrap


def planes(image, shape):
    """(samples, rows, columns) of what may be (rows, columns, samples)."""
    return image.reshape(shape) if shape[0] == 1 or image.shape == tuple(shape) else np.moveaxis(image, -1, 0)


def by_tifffile(case, tile):
    import io

    import tifffile
    with tifffile.TiffFile(io.BytesIO(wrap(case, tile))) as f:
        return planes(f.pages[0].asarray(), case["shape"])


def by_libtiff(case, tile):
    import libtiff
    with tempfile.NamedTemporaryFile(suffix=".tif") as f:
        f.write(wrap(case, tile))
        f.flush()
        with libtiff.File(f.name) as t:
            return t.pixels()


def by_osml(case, tile):
    from aws.osml.io.zarr_codecs import decode_tiff_tile
    c = dict(case["configuration"])
    tables = c.pop("jpeg_tables")
    for name in ("level", "quality", "subsampling"):
        c.pop(name, None)
    if more := {"byte_order", "packed_bits"} & c.keys():
        raise ValueError(f"not in the codec's text: {', '.join(sorted(more))}")
    out = decode_tiff_tile(tile, **c, jpeg_tables=base64.b64decode(tables) if tables else None)
    return out.astype(bool) if case["type"] == "bool" else out  # of bytes that are 0 or 1


def read_arrays(folder, results):
    import zarr
    read_all(load(folder), results, lambda case: zarr.open_array(os.path.join(folder, case["path"]), mode="r")[...])


def main(peer, folder, results):
    if peer == "osml-arrays":
        return read_arrays(folder, results)
    decode = {"tifffile": by_tifffile, "libtiff": by_libtiff, "osml": by_osml}[peer]

    def read(case):
        with open(os.path.join(folder, case["path"]), "rb") as f:
            out = decode(case, f.read())
        if list(out.shape) != case["shape"] or out.dtype.name != case["type"]:
            raise ValueError(f"{out.dtype.name} of shape {list(out.shape)}")
        return out

    read_all(load(folder), results, read)


main(*sys.argv[1:])
