"""The rows n5/* and n5-straight/*: the volume as a dataset of N5, read whole. See README.md.

    n5s.py DIR ROWS...    write the datasets of rows below DIR/n5, from DIR/volume.raw
"""
import os
import shutil
import sys

import ratios

COMPRESSIONS = {"zstd": {"type": "zstd", "level": 3}, "gzip": {"type": "gzip", "level": 5}}
ROWS = [f"{order}/{compression}" for order in ("n5", "n5-straight") for compression in COMPRESSIONS]
COLUMNS = ["omnizarr", "tensorstore", "zarr-python2"]
PYTHON2 = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../interop/.peers/python2/bin/python")


def columns(row):
    """Who takes part in a row: zarr-python 2 has one order only."""
    return COLUMNS if row.startswith("n5/") else COLUMNS[:2]


def make(folder, rows):
    """Writes the datasets that are not there yet, with tensorstore. N5 has x first, the volume has it last."""
    import tensorstore as ts
    import peers
    data = peers.volume(folder)
    for name in dict.fromkeys(row.partition("/")[2] for row in rows):
        path = f"{folder}/n5/{name}"
        if os.path.exists(path):
            continue
        shutil.rmtree(path + ".tmp", ignore_errors=True)
        a = ts.open({"driver": "n5", "kvstore": {"driver": "file", "path": path + ".tmp"}, "metadata": {
            "dimensions": data.shape[::-1], "blockSize": [128] * 3, "dataType": "uint16", "compression": COMPRESSIONS[name]}}, create=True,
            context=ts.Context({"file_io_sync": False})).result()
        a.write(data.T).result()
        os.rename(path + ".tmp", path)


def work(peer, workload, folder, name):
    """The size, what is timed, and what compares it with the volume."""
    import numpy as np
    import peers
    path = f"{folder}/n5/{name}"
    if peer == "zarr-python2":
        import warnings
        import zarr
        warnings.simplefilter("ignore")
        do = lambda: zarr.open_array(zarr.N5Store(f"{folder}/n5"), path=name, mode="r")[...]
    else:
        import tensorstore as ts
        spec = {"driver": "n5", "kvstore": {"driver": "file", "path": path}}
        order = "F" if workload == "n5" else "C"
        do = lambda: ts.open(spec, open=True, read=True).result().read(order=order).result()

    def check(result):
        got = result if peer == "zarr-python2" else result.T
        assert np.array_equal(got, peers.volume(folder)), "wrong values"

    return os.path.getsize(f"{folder}/volume.raw"), do, check, lambda: None


def table(results, speed):
    lines = ["| | Omnizarr | " + " | ".join(COLUMNS[1:]) + " | to the better peer |", "|---" * (len(COLUMNS) + 2) + "|"]
    for row, cells in results.items():
        shown = [f"**{speed(cells['omnizarr'])}**"] + [speed(cells[c]) if c in cells else "" for c in COLUMNS[1:]]
        shown.append(ratios.to_best(cells["omnizarr"], ratios.others(cells)))
        lines.append(f"| {row} | " + " | ".join(shown) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    make(sys.argv[1], sys.argv[2:])
