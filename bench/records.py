"""The rows record/*: a session that is recorded, sample by sample, into NWB files. See README.md.

    records.py DIR    write the samples and the empty sessions below DIR; by a Python that has hdmf-zarr
"""
import datetime
import os
import shutil
import sys
import time
import warnings
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
PYTHON = f"{HERE}/../interop/.peers/hdmf3/bin/python"
RATE, CHANNELS, UNITS, SPIKES, PACKET = 30000, 384, 100, 10, 300
CHUNKS, TIMES = (1024, CHANNELS), 16384
# Commits in each second of samples, whether they wait for the disk, and how many seconds are recorded.
ROWS = {"record/second": (1, False, 20), "record/second-sync": (1, True, 20), "record/hundred": (100, False, 10)}
COLUMNS = ["omnizarr", "hdmf-zarr", "h5py"]


def seconds(row, quick, who):
    """How many are recorded: at a hundred commits in each, others take minutes for what Omnizarr has in a moment."""
    length = 1 if row == "record/hundred" and who != "omnizarr" else ROWS[row][2]
    return max(length // (10 if quick else 1), 1)


def make(folder):
    """Two seconds of samples, which are recorded over and over: noise of a few bits on slow waves, and spikes."""
    import numpy as np
    os.makedirs(folder, exist_ok=True)
    if os.path.exists(f"{folder}/session.nwb"):
        return
    rng = np.random.default_rng(20261116)
    n = 2 * RATE
    slow = np.cumsum(rng.standard_normal((n // 300 + 1, CHANNELS)), axis=0)
    data = np.repeat(slow, 300, axis=0)[:n] * 3 + rng.standard_normal((n, CHANNELS)) * 5
    for at, channel in zip(rng.integers(0, n - 40, 2 * UNITS * SPIKES), rng.integers(0, CHANNELS - 4, 2 * UNITS * SPIKES)):
        data[at:at + 40, channel:channel + 4] -= 60 * np.exp(-np.arange(40) / 8)[:, None]
    np.round(data).astype("<i2").tofile(f"{folder}/samples.raw")
    session(f"{folder}/session.nwb.zarr")
    session(f"{folder}/session.nwb")


def session(path):
    """A session of 384 electrodes with a series without samples and units without spikes."""
    import numpy as np
    from hdmf_zarr import ZarrDataIO
    from hdmf_zarr.nwb import NWBZarrIO
    from pynwb import H5DataIO, NWBFile, NWBHDF5IO
    from pynwb.core import VectorData, VectorIndex
    from pynwb.ecephys import ElectricalSeries
    from pynwb.misc import Units
    warnings.simplefilter("ignore")
    zarr = path.endswith(".zarr")
    nwb = NWBFile("a session to be recorded", "rig", datetime.datetime(2026, 11, 16, tzinfo=datetime.timezone.utc))
    shank = nwb.create_electrode_group("shank", "electrodes", "CA1", nwb.create_device("probe"))
    for _ in range(CHANNELS):
        nwb.add_electrode(group=shank, location="CA1")

    def growing(data, chunks):
        if zarr:
            return ZarrDataIO(data, chunks=chunks)
        return H5DataIO(data, chunks=chunks, maxshape=(None, *data.shape[1:]), compression="gzip", compression_opts=1)

    nwb.add_acquisition(ElectricalSeries(
        "ap", growing(np.zeros((0, CHANNELS), "<i2"), CHUNKS), nwb.create_electrode_table_region(list(range(CHANNELS)), "all"),
        timestamps=growing(np.zeros(0), (TIMES,))))
    times = VectorData(name="spike_times", description="in seconds", data=growing(np.zeros(0), (TIMES,)))
    index = VectorIndex(name="spike_times_index", data=growing(np.zeros(UNITS, "<u8"), (UNITS,)), target=times)
    nwb.units = Units(name="units", description="sorted while it runs", columns=[times, index], colnames=["spike_times"], id=np.arange(UNITS))
    with (NWBZarrIO if zarr else NWBHDF5IO)(path, "w") as io:
        io.write(nwb)


def work(who, row, folder, length):
    """The bytes that are recorded, what is timed, what sums up the result for the driver to compare, and what cleans up."""
    import numpy as np
    commits, sync, _ = ROWS[row]
    length = int(length)
    samples = np.fromfile(f"{folder}/samples.raw", "<i2").reshape(-1, CHANNELS)
    end = ".nwb" if who == "h5py" else ".nwb.zarr"
    path = f"{folder}/out-{os.getpid()}{end}"
    worst = [0.0]

    def prepare():
        if end == ".nwb":
            shutil.copy(f"{folder}/session{end}", path)
        else:
            shutil.rmtree(path, ignore_errors=True)
            shutil.copytree(f"{folder}/session{end}", path)

    def opened():
        if who == "h5py":
            import h5py
            return h5py.File(path, "r+")
        import zarr
        return zarr.open_group(path, mode="r+", use_consolidated=False)

    def committed(f):
        if who == "h5py":
            f.flush()
            if sync:
                os.fsync(f.id.get_vfd_handle())
            return
        import zarr
        zarr.consolidate_metadata(path)
        if sync:
            os.sync()

    def grow(array, rows):
        n = array.shape[0]
        array.resize((n + len(rows), *array.shape[1:]))
        array[n:] = rows

    def do():
        f = opened()
        data, times = f["acquisition/ap/data"], f["acquisition/ap/timestamps"]
        column, index = f["units/spike_times"], f["units/spike_times_index"]
        spikes = [[] for _ in range(UNITS)]
        unit, worst[0] = 0, 0.0
        step = RATE // commits
        for n in range(0, length * RATE, step):
            at = np.arange(n, n + step) / RATE
            for packet in range(0, step, PACKET):
                for _ in range(UNITS * SPIKES * PACKET // RATE):
                    spikes[unit].append(at[packet] + unit * 1e-5)
                    unit = (unit + 1) % UNITS
            start = time.perf_counter()
            grow(data, samples[n % len(samples):n % len(samples) + step])
            grow(times, at)
            # The spikes of a unit lie together: all are written again.
            flat = np.concatenate([np.asarray(u) for u in spikes])
            column.resize((len(flat),))
            column[:] = flat
            index[:] = np.cumsum([len(u) for u in spikes])
            committed(f)
            worst[0] = max(worst[0], time.perf_counter() - start)
        if who == "h5py":
            f.close()

    def check(_):
        f = opened()
        data = f["acquisition/ap/data"]
        total = data.shape[0] + zlib.crc32(np.ascontiguousarray(data[-RATE:]).tobytes())
        for at in ("acquisition/ap/timestamps", "units/spike_times"):
            total += zlib.crc32(np.asarray(f[at][:]).tobytes())
        total += zlib.crc32(np.asarray(f["units/spike_times_index"][:]).astype("<i8").tobytes())
        if who == "h5py":
            f.close()
        return total

    prepare()
    return length * RATE * CHANNELS * 2, do, check, prepare, lambda: worst[0]


def show(r):
    faster = r["bytes"] / r["s"] / (RATE * CHANNELS * 2)
    return f"{faster:.1f} × real time, {r['bytes'] / r['s'] / 1e9:.3f} GB/s / {r['bytes'] / r['cpu'] / 1e9:.3f} ({r['rss'] / 2**20:.0f} MiB), worst commit {r['worst'] * 1e3:.0f} ms"


def compare(row, cells):
    """Everybody must have recorded the same."""
    sums = {who: r["sum"] for who, r in cells.items() if r["bytes"] == cells["omnizarr"]["bytes"]}
    if len(set(sums.values())) > 1:
        raise SystemExit(f"{row}: different results: {sums}")


def table(results):
    lines = ["| | Omnizarr | hdmf-zarr | h5py | to hdmf-zarr | to h5py |", "|---|---|---|---|---|---|"]
    for row, cells in results.items():
        ours = cells["omnizarr"]
        ratios = [f"{ours['bytes'] / ours['s'] / (cells[c]['bytes'] / cells[c]['s']):.1f}" for c in COLUMNS[1:]]
        lines.append(f"| {row} | **{show(cells['omnizarr'])}** | " + " | ".join([show(cells[c]) for c in COLUMNS[1:]] + ratios) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    make(sys.argv[1])
