"""Lets Omnizarr record into a session of pynwb's, and reads it all the while.

    hdmf_record.py INTEROP FOLDER RESULTS    by a Python with pynwb and an hdmf-zarr of either version
"""
import datetime
import functools
import signal
import subprocess
import sys
import warnings

import numpy as np
import zarr
from hdmf_zarr import ZarrDataIO
from hdmf_zarr.nwb import NWBZarrIO
from pynwb import NWBFile, TimeSeries
from pynwb.core import VectorData, VectorIndex
from pynwb.misc import Units

import common

CHANNELS, UNITS = 4, 3  # as in hdmfrecord.go


def make(path):
    nwb = NWBFile("a session to be recorded", "rig", datetime.datetime(2026, 11, 16, tzinfo=datetime.timezone.utc))
    nwb.add_acquisition(TimeSeries(
        name="ap", unit="V", data=ZarrDataIO(np.zeros((0, CHANNELS), "<i2"), chunks=(64, CHANNELS)),
        timestamps=ZarrDataIO(np.zeros(0), chunks=(100,))))
    times = VectorData(name="spike_times", description="in seconds", data=np.zeros(0))
    index = VectorIndex(name="spike_times_index", data=np.zeros(UNITS, "u1"), target=times)
    nwb.units = Units(name="units", description="sorted while it runs", columns=[times, index], colnames=["spike_times"], id=np.arange(UNITS))
    with NWBZarrIO(path, "w") as io:
        io.write(nwb)


def look(nwb, least, spikes):
    """Checks what is there, which is at least so many samples; gives their number."""
    ap = nwb.acquisition["ap"]
    n = len(ap.timestamps)
    assert n >= least, f"{n} samples, {least} were committed"
    assert ap.data.shape == (n, CHANNELS), f"{ap.data.shape} of {n} samples"
    rows = np.arange(n)
    assert np.array_equal(ap.data[:], (rows[:, None] * 7 + np.arange(CHANNELS)).astype("i2")), "other samples"
    assert np.array_equal(ap.timestamps[:], rows / 30000), "other times"
    found = 0
    for unit in range(UNITS):
        have, want = np.asarray(nwb.units["spike_times"][unit]), rows[unit::UNITS].astype(float)
        assert np.array_equal(have, want[:len(have)]), f"unit {unit} has other spikes"
        found += len(have)
    assert not spikes or found >= n - n / 60 - 1, f"{found} of {n} spikes"
    return n, found


def main(interop, folder, results):
    warnings.simplefilter("ignore")
    path = f"{folder}/recorded.nwb.zarr"
    make(path)
    layout3 = zarr.__version__.startswith("3")
    n = 0
    with open(results, "a", encoding="utf-8") as out:
        case = functools.partial(common.case, out)

        def again(least):
            with NWBZarrIO(path, "r") as io:
                return look(io.read(), least, layout3)[0]

        for turn in range(3):
            p = subprocess.Popen([interop, "nwb-record", path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            watcher, watched, seen = None, None, 0
            for step in range(6):
                p.stdin.write(f"{1 + 37 * step}\n")
                p.stdin.flush()
                n = int(p.stdout.readline())
                case(f"committed-{turn}-{step}", lambda: again(n))
                if step == 4:  # and who has the file open keeps what he knows of
                    watcher = NWBZarrIO(path, "r")
                    watched = watcher.read()
                    seen = look(watched, n, layout3)
            case(f"watched-{turn}", lambda: check_same(look(watched, 0, False), seen))
            watcher.close()
            if turn == 2:
                p.stdin.close()
                case("closed", lambda: check_same(p.wait(), 0))
            else:
                p.stdin.write("100000\n")  # and in the middle of that
                p.stdin.flush()
                p.send_signal(signal.SIGKILL)
                p.wait()
                case(f"killed-{turn}", lambda: again(n))

        def whole():
            with NWBZarrIO(path, "r") as io:
                samples, spikes = look(io.read(), n, layout3)
                assert not layout3 or samples == spikes, f"{spikes} of {samples} spikes"
        case("whole", whole)


def check_same(got, want):
    assert got == want, f"{got}, not {want}"


main(*sys.argv[1:])
