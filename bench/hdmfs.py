"""The rows hdmf/*: NWB files of both layouts, opened and read by pynwb with the hdmf-zarr that wrote them. See README.md.

    hdmfs.py DIR SHRINK ROWS...    write the files of rows below DIR; by a Python that has hdmf-zarr
"""
import datetime
import os
import sys
import warnings
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
LAYOUTS = ["v2", "v3"]
WORK = ["walk", "units", "series"]
ROWS = [f"hdmf/{work}/{layout}" for work in WORK for layout in LAYOUTS]
COLUMNS = ["omnizarr", "pynwb"]
DATASETS, UNITS, PICKED, CHANNELS = 2000, 200_000, 2000, 64


def python(row):
    """The interpreter with the hdmf-zarr of a row's layout."""
    return f"{HERE}/../interop/.peers/hdmf{row[-1]}/bin/python"


def path(folder, name):
    return f"{folder}/{name.replace('/', '-')}.nwb.zarr"


def picked(shrink):
    """Rows of the units table, in an order and at places that a program of any language can tell."""
    units = UNITS // shrink
    return [i * 7919 * 13 % units for i in range(1, PICKED // shrink + 1)]


def make(folder, shrink, rows):
    """Writes the files that are not there yet, with chunks and compressors that the writer chooses."""
    from hdmf_zarr.nwb import NWBZarrIO
    warnings.simplefilter("ignore")
    os.makedirs(folder, exist_ok=True)
    for name in (row.removeprefix("hdmf/") for row in rows):
        to = path(folder, name)
        if os.path.exists(to):
            continue
        with NWBZarrIO(to + ".tmp", "w") as io:
            io.write(session(name.split("/")[0], shrink))
        os.rename(to + ".tmp", to)


def session(kind, shrink):
    import numpy as np
    from pynwb import NWBFile, TimeSeries
    from pynwb.core import VectorData, VectorIndex
    from pynwb.ecephys import ElectricalSeries
    from pynwb.misc import Units
    rng = np.random.default_rng(20261115)
    nwb = NWBFile("a session to be measured", kind, datetime.datetime(2026, 11, 15, tzinfo=datetime.timezone.utc))
    if kind == "walk":
        for i in range(DATASETS // 2 // shrink):
            nwb.add_acquisition(TimeSeries(name=f"series{i:04}", data=rng.standard_normal(100), timestamps=np.arange(100) / 30, unit="V"))
    elif kind == "units":
        lengths = rng.integers(0, 21, UNITS // shrink)
        times = VectorData(name="spike_times", description="in seconds", data=np.round(rng.random(lengths.sum()) * 3600 * 30000) / 30000)
        quality = VectorData(name="quality", description="how sure", data=rng.random(len(lengths)))
        index = VectorIndex(name="spike_times_index", data=np.cumsum(lengths), target=times)
        nwb.units = Units(name="units", description="whole columns, since row by row takes minutes", columns=[quality, times, index],
                          colnames=["quality", "spike_times"], id=np.arange(len(lengths)))
    else:
        shank = nwb.create_electrode_group("shank", "electrodes", "CA1", nwb.create_device("probe"))
        for _ in range(CHANNELS):
            nwb.add_electrode(group=shank, location="CA1")
        samples = (256 << 20) // 2 // CHANNELS // shrink
        data = (np.cumsum(rng.integers(-20, 21, (samples, CHANNELS), np.int16), axis=0) % 2000).astype(np.int16)
        nwb.add_acquisition(ElectricalSeries("recording", data, nwb.create_electrode_table_region(list(range(CHANNELS)), "all"), rate=30000.0))
    return nwb


def objects(nwb):
    """All objects with a type and an id, and the lengths of their data."""
    found = [(o.neurodata_type, o.object_id) for o in nwb.objects.values()]
    return found, sum(len(s.data) + len(s.timestamps) for s in nwb.acquisition.values())


def sum_of_objects(result):
    return sum(zlib.crc32(f"{t} {i}".encode()) for t, i in result[0]) + result[1]


def work(workload, folder, name):
    """The bytes that are read, what is timed, and what sums up the result for the driver to compare."""
    from hdmf_zarr.nwb import NWBZarrIO
    warnings.simplefilter("ignore")
    where = path(folder, name)

    def units(nwb):
        shrink = UNITS // len(nwb.units)
        return nwb.units["spike_times"][picked(shrink)]

    def series(nwb):
        return nwb.acquisition["recording"].data[:]

    def do():
        with NWBZarrIO(where, "r") as io:
            return {"walk": objects, "units": units, "series": series}[workload](io.read())

    def check(result):
        import numpy as np
        if workload == "walk":
            return sum_of_objects(result)
        if workload == "units":
            return sum(zlib.crc32(np.ascontiguousarray(row).tobytes()) for row in result)
        return zlib.crc32(np.ascontiguousarray(result).tobytes())

    size = 0
    if workload == "series":
        with NWBZarrIO(where, "r") as io:
            size = io.read().acquisition["recording"].data.nbytes
    return size, do, check, lambda: None


def show(r):
    memory = f"{r['rss'] / r['bytes']:.2f}×" if r["bytes"] else f"{r['rss'] / 2**20:.0f} MiB"
    return f"{r['s'] * 1e3:.1f} / {r['cpu'] * 1e3:.1f} ms ({memory})"


def compare(row, cells):
    """Everybody must have found the same."""
    sums = {who: r["sum"] for who, r in cells.items()}
    if len(set(sums.values())) > 1:
        raise SystemExit(f"{row}: different results: {sums}")


def table(results):
    lines = ["| | Omnizarr | pynwb | to pynwb, wall / CPU |", "|---|---|---|---|"]
    for row, cells in results.items():
        ours, theirs = (cells[c] for c in COLUMNS)
        ratios = " / ".join(f"{theirs[k] / max(ours[k], 1e-9):.1f}" for k in ("s", "cpu"))
        lines.append(f"| {row} | **{show(ours)}** | {show(theirs)} | {ratios} |")
    return "\n".join(lines)


if __name__ == "__main__":
    make(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
