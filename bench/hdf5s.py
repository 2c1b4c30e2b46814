"""The rows hdf5/*: HDF5 files read whole, walked, opened as NWB and over HTTP. See README.md.

    hdf5s.py DIR SHRINK ROWS...    write the files of rows below DIR; by a Python that has h5py and pynwb
"""
import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
import warnings
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
WORK = f"{HERE}/.work"
PYTHON = f"{HERE}/../interop/.peers/hdf5/bin/python"
LINDI = f"{HERE}/../interop/.peers/lindi/bin/python"
DELAY = 50  # milliseconds
READS = {"shuffle-gzip": dict(chunks=True, shuffle=True, compression="gzip", compression_opts=4), "shuffle-zstd": dict(chunks=True, shuffle=True),
         "chunks": dict(chunks=True), "contiguous": {}}
ROWS = [f"hdf5/read/{kind}" for kind in READS] + ["hdf5/walk", "hdf5/nwb", "hdf5/http"]
SAMPLES, CHANNELS, CHUNK = (512 << 20) // 2 // 64, 64, (4096, 64)  # chunks of 512 KiB
DATASETS, SERIES = 10_000, 1000


def columns(row):
    """Who takes part in a row. lindi needs another zarr-python than everybody else, and is left out where it is not installed."""
    if row == "hdf5/http":
        return ["omnizarr", "remfile", "kerchunk"] + (["lindi"] if os.path.exists(LINDI) else [])
    return ["omnizarr", "pynwb" if row == "hdf5/nwb" else "h5py"]


def name(row):
    """The file of a row."""
    return {"hdf5/walk": "walk.h5", "hdf5/nwb": "series.nwb", "hdf5/http": "series.nwb"}.get(row, row.split("/")[-1] + ".h5")


def make(folder, shrink, rows):
    """Writes the files that are not there yet."""
    warnings.simplefilter("ignore")
    os.makedirs(folder, exist_ok=True)
    for row in rows:
        path = f"{folder}/{name(row)}"
        if os.path.exists(path):
            continue
        if path.endswith(".nwb"):
            make_series(path + ".tmp", SERIES // shrink)
        elif row == "hdf5/walk":
            make_datasets(path + ".tmp", DATASETS // shrink)
        else:
            make_samples(path + ".tmp", row.split("/")[-1], SAMPLES // shrink)
        os.rename(path + ".tmp", path)


def make_samples(path, kind, samples):
    """Samples as probes give them: slow waves, and noise of a few bits."""
    import h5py
    import hdf5plugin
    import numpy as np
    options = dict(READS[kind])
    if "chunks" in options:
        options["chunks"] = CHUNK
    if kind == "shuffle-zstd":
        options.update(hdf5plugin.Zstd(clevel=3))
    rng = np.random.default_rng(20261116)
    with h5py.File(path, "w") as f:
        d = f.create_dataset("data", (samples, CHANNELS), "int16", **options)
        for at in range(0, samples, CHUNK[0]):
            t = np.arange(at, min(at + CHUNK[0], samples))[:, None] / 3000
            d[at:at + len(t)] = (800 * np.sin(t + np.arange(CHANNELS)) + rng.normal(0, 6, (len(t), CHANNELS))).astype("int16")


def make_datasets(path, count):
    import h5py
    import numpy as np
    with h5py.File(path, "w") as f:
        for i in range(count):
            d = f.create_dataset(f"group{i // 100:03}/dataset{i:05}", data=np.arange(10, dtype="float32"))
            d.attrs["units"], d.attrs["index"], d.attrs["scale"] = "volts", i, i / 7


def make_series(path, count):
    import datetime
    import numpy as np
    from pynwb import NWBHDF5IO, NWBFile, TimeSeries
    rng = np.random.default_rng(20261116)
    nwb = NWBFile("a session to be measured", "series", datetime.datetime(2026, 11, 16, tzinfo=datetime.timezone.utc))
    for i in range(count):
        nwb.add_acquisition(TimeSeries(name=f"series{i:04}", data=rng.standard_normal(100), timestamps=np.arange(100) / 30, unit="V"))
    with NWBHDF5IO(path, "w") as io:
        io.write(nwb)


def work(peer, workload, folder, file):
    """The bytes that are read, what is timed, and what sums up the result for the driver to compare."""
    where = f"{folder}/{file}"
    warnings.simplefilter("ignore")
    if workload == "hdf5-nwb":
        import hdmfs
        from pynwb import NWBHDF5IO

        def do():
            with NWBHDF5IO(where, "r") as io:
                return hdmfs.objects(io.read())

        return 0, do, hdmfs.sum_of_objects, lambda: None
    if workload == "hdf5-walk":
        opened = {"h5py": lambda: open_h5py(where), "remfile": lambda: open_remfile(where), "kerchunk": lambda: open_kerchunk(where), "lindi": lambda: open_lindi(where)}[peer]
        walk = {"kerchunk": walk_zarr, "lindi": walk_lindi}.get(peer, walk_h5py)
        return 0, lambda: walk(opened()), lambda found: found, lambda: None
    import h5py
    import hdf5plugin  # noqa: F401
    with h5py.File(where) as f:
        size = f["data"].nbytes

    def do():
        with h5py.File(where) as f:
            return f["data"][...]

    return size, do, lambda a: zlib.crc32(a.tobytes()), lambda: None


def open_h5py(path):
    import h5py
    return h5py.File(path)


def open_remfile(url):
    import h5py
    import remfile
    return h5py.File(remfile.File(url), "r")


def open_kerchunk(url):
    """References that are made now, as a group of zarr-python's."""
    import fsspec
    import kerchunk.hdf
    import zarr
    refs = kerchunk.hdf.SingleHdf5ToZarr(url).translate()
    fs = fsspec.filesystem("reference", fo=refs, asynchronous=True, remote_protocol="http", remote_options={"asynchronous": True})
    return zarr.open_group(zarr.storage.FsspecStore(fs), mode="r", zarr_format=2)


def open_lindi(url):
    import lindi
    return lindi.LindiH5pyFile.from_hdf5_file(url)


def walk_h5py(f):
    """How many attributes datasets have, and the sum of those that are numbers called index."""
    import h5py
    found = 0

    def visit(_, o):
        nonlocal found
        attrs = dict(o.attrs)
        if isinstance(o, h5py.Dataset):
            found += len(attrs) + int(attrs.get("index", 0)) + len(o.shape)

    f.visititems(visit)
    f.close()
    return found


def walk_lindi(g):
    """The same without visititems, which lindi's groups do not have."""
    found = 0
    for key in g.keys():
        o = g[key]
        attrs = dict(o.attrs)
        found += len(attrs) + len(o.shape) if hasattr(o, "shape") else walk_lindi(o)
    return found


def walk_zarr(g):
    found = 0
    for _, o in g.members(max_depth=None):
        attrs = dict(o.attrs)
        if hasattr(o, "shape"):
            found += len(attrs) + int(attrs.get("index", 0)) + len(o.shape)
    return found


class Server:
    """The files of a folder, each request of which takes a while and is counted."""

    def __init__(self, folder):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        self.process = subprocess.Popen([f"{WORK}/omnizarr", "files", f"127.0.0.1:{port}", folder, str(DELAY)])
        for _ in range(200):
            try:
                self.requests()
                break
            except OSError:
                time.sleep(0.05)

    def requests(self):
        """How many there were since this was asked before, and their bytes."""
        with urllib.request.urlopen(f"{self.url}/requests") as r:
            return json.load(r)

    def stop(self):
        self.process.terminate()
        self.process.wait(20)


def show(r):
    text = f"{r['s'] * 1e3:.1f} / {r['cpu'] * 1e3:.1f} ms"
    if r["bytes"]:
        text = f"{r['bytes'] / r['s'] / 1e9:.2f} / {r['bytes'] / max(r['cpu'], 1e-9) / 1e9:.2f} GB/s"
    return text + (f", {r['requests']:.0f} requests, {r['sent'] / 2**20:.1f} MiB" if "requests" in r else "")


def compare(row, cells):
    """Everybody must have found the same; over HTTP others see other nodes."""
    sums = {who: r["sum"] for who, r in cells.items()}
    if row != "hdf5/http" and len(set(sums.values())) > 1:
        raise SystemExit(f"{row}: different results: {sums}")


def table(results):
    lines = ["| | Omnizarr | others | to the best of them, wall / CPU |", "|---|---|---|---|"]
    for row, cells in results.items():
        ours = cells["omnizarr"]
        others = [c for c in columns(row)[1:] if c in cells]
        best = {k: min(cells[c][k] for c in others) for k in ("s", "cpu")}
        ratios = " / ".join(f"{best[k] / max(ours[k], 1e-9):.2f}" for k in ("s", "cpu"))
        lines.append(f"| {row} | **{show(ours)}** | " + "; ".join(f"{c} {show(cells[c])}" for c in others) + f" | {ratios} |")
    return "\n".join(lines)


if __name__ == "__main__":
    make(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
