"""pynwb with one of two versions of hdmf-zarr, 0.13 for Zarr v2 and 0.14 for Zarr v3, as a peer.

    hdmf_peer.py write DIR          write sessions, some of which refer to others
    hdmf_peer.py read WORK READER FOLDERS...
                                    read and validate the files of folders below WORK by pynwb, into WORK/results;
                                    WORK/seen/READER.FOLDER/NAME.json is what is in them
    hdmf_peer.py edited DIR RESULTS look for what Omnizarr's editor added to sessions
    hdmf_peer.py findings DIR OUT   validate broken files; OUT/NAME.json is what pynwb finds
"""
import json
import os
import sys
import warnings

import hdmf.common
import zarr
from hdmf_zarr import ZarrIO
from hdmf_zarr.nwb import NWBZarrIO
from pynwb import get_manager, validate

import hdmf_nodes
import hdmf_sessions
import hdmf_types

warnings.simplefilter("ignore")
END = ".nwb.zarr"
TYPES = "types"  # is no session: what is in it has no schemas
V3 = zarr.__version__.startswith("3")


def write(folder):
    def to(name, nwb, manager=None, **options):
        with NWBZarrIO(f"{folder}/{name}{END}", "w", manager=manager) as io:
            io.write(nwb, **options)

    to("session", hdmf_sessions.session("session", 1))
    to("plain", hdmf_sessions.session("plain", 2), consolidate_metadata=False)
    to("source", hdmf_sessions.source())
    manager = get_manager()
    with NWBZarrIO(f"{folder}/source{END}", "r", manager=manager) as io:
        source = io.read()
        to("linked", hdmf_sessions.linked(source), manager, link_data=True)
        to("linked-references", hdmf_sessions.linked_references(source), manager, link_data=True)
    with ZarrIO(f"{folder}/{TYPES}{END}", "w", manager=hdmf.common.get_manager()) as io:
        io.write_builder(hdmf_types.build())


def files(folder):
    return sorted(name.removesuffix(END) for name in os.listdir(folder) if name.endswith(END))


def readers(path):
    """The classes for a file: hdmf-zarr 0.14 has others for the layout of its past."""
    if V3 and os.path.exists(f"{path}/.zgroup"):
        from hdmf_zarr.backend_zarrv2 import ZarrV2IO
        from hdmf_zarr.nwb_zarrv2 import NWBZarrV2IO
        return ZarrV2IO, NWBZarrV2IO
    return ZarrIO, NWBZarrIO


def look(path, out):
    """What is in a file as the reader sees it; fails if pynwb cannot read it or finds anything wrong."""
    plain_io, nwb_io = readers(path)
    with plain_io(path, manager=hdmf.common.get_manager(), mode="r") as io:
        nodes = hdmf_nodes.read(io.read_builder(), os.path.abspath(path))
    with open(out, "w", encoding="utf-8") as f:
        json.dump(nodes, f)
    if os.path.basename(path) == TYPES + END:
        return
    with nwb_io(path, mode="r") as io:
        touch(io.read())
    with nwb_io(path, mode="r") as io:
        if found := validate(io=io):
            raise ValueError("findings: " + "; ".join(map(str, found)))


def touch(nwb):
    """Reads everything in a session as users do."""
    for o in nwb.objects.values():
        if hasattr(o, "to_dataframe"):
            o.to_dataframe()
        elif getattr(o, "data", None) is not None and hasattr(o.data, "shape"):
            o.data[...]


def read(work, reader, *folders):
    for folder in folders:
        out = f"{work}/seen/{reader}.{folder}"
        os.makedirs(out, exist_ok=True)
        with open(f"{work}/results/{reader}.{folder}.jsonl", "a", encoding="utf-8") as f:
            for name in files(f"{work}/{folder}"):
                error = ""
                try:
                    look(f"{work}/{folder}/{name}{END}", f"{out}/{name}.json")
                except Exception as e:
                    error = f"{type(e).__name__}: {e}"
                f.write(json.dumps({"case": name, "error": error}) + "\n")


def edited(folder, results):
    """Compares with what interop nwb-edit does; sessions had 5 units, 4 trials, 33 to 50 samples."""
    with open(results, "a", encoding="utf-8") as f:
        for name in files(folder):
            with NWBZarrIO(f"{folder}/{name}{END}", "r") as io:
                nwb = io.read()
                for what, check in EDITS.items():
                    error = ""
                    try:
                        check(nwb)
                    except Exception as e:
                        error = f"{type(e).__name__}: {e}"
                    f.write(json.dumps({"case": f"{name}/{what}", "error": error}) + "\n")


def equal(got, want):
    got = got.tolist() if hasattr(got, "tolist") else got
    if got != want:
        raise ValueError(f"{got!r}, not {want!r}")


def edited_units(nwb):
    units = nwb.units
    equal(len(units), 7)
    equal(list(units.id[5:]), [5, 6])
    equal([list(units["spike_times"][i]) for i in (5, 6)], [[], [7.25, 7.5] + [float(t) for t in range(8, 306) if V3]])
    equal(len(units["spike_times"][4]), 8)
    equal(list(units["quality"][5:]), ["new", "nöch neuer"])
    equal([list(v) for v in units["spikes_note"][5:]], [[], ["note"]])
    equal([g.name for g in units["electrode_group"][5:]], ["shank1", "shank1"])
    equal([list(units.electrodes_index[i].index) for i in (5, 6)], [[5], [4, 3]])
    equal([[list(map(float, w)) for w in spike] for spike in units["waveforms"][6]], [[[1, 2, 3, 4], [5, 6, 7, 8]]])


def edited_trials(nwb):
    trials = nwb.trials
    equal(len(trials), 5)
    equal(int(trials.id[4]), 40)
    equal(float(trials["stop_time"][4]), 41.0)
    equal(list(trials["tags"][4]), ["späť", ""])
    equal([(int(r.idx_start), int(r.count), r.timeseries.name) for r in trials["timeseries"][4]], [(3, 2, "trace"), (4, 1, "recording")])
    equal([r.timeseries.name for r in trials["timeseries"][3]], ["trace", "recording"])


def edited_series(nwb):
    trace, recording = nwb.acquisition["trace"], nwb.acquisition["recording"]
    equal((len(trace.data), len(trace.timestamps), len(recording.data)), (42, 42, 51))
    equal(trace.data[40:], [[1, 2], [3, 4]])
    equal(trace.timestamps[40:], [2, 2.5])
    equal(recording.data[50], [1, 2, 3, 4, 5, -6])
    equal(nwb.acquisition["chunked"].data[33:], [list(range(5 * i, 5 * i + 5)) for i in range(20)])
    equal(len(nwb.acquisition["same-times"].timestamps), 42)


def edited_objects(nwb):
    equal(nwb.acquisition["trace"].comments, "changed, für immer")
    equal(nwb.acquisition["added"].data[:], [1, 2, 3])
    equal(nwb.acquisition["added-link"].data[:], [1, 2, 3])
    equal([s.object_id for s in nwb.stimulus.values() if s.name == "added"], [nwb.acquisition["added"].object_id])
    equal(nwb.scratch["added"].data[:], [1, 2, 3])


EDITS = {"units": edited_units, "trials": edited_trials, "series": edited_series, "objects": edited_objects}


def complaints(path):
    """What pynwb warns of when it reads everything, and why it cannot."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            with NWBZarrIO(path, "r") as io:
                touch(io.read())
        except Exception as e:
            return [f"{type(e).__name__}: {e}"]
    return [str(w.message) for w in said if "ength of data" in str(w.message) or "out of bounds" in str(w.message)]


def findings(folder, out):
    os.makedirs(out, exist_ok=True)
    for name in files(folder):
        found = {"findings": []}
        try:
            with NWBZarrIO(f"{folder}/{name}{END}", "r") as io:
                for e in validate(io=io):
                    at = "/" + (e.location or "").removesuffix("." + e.name.split("/")[-1])  # of attributes, the object
                    found["findings"].append({"rule": type(e).__name__, "path": at, "text": str(e)})
        except Exception as e:
            found = {"error": f"{type(e).__name__}: {e}"}
        found["reading"] = complaints(f"{folder}/{name}{END}")
        with open(f"{out}/{name}.json", "w", encoding="utf-8") as f:
            json.dump(found, f)


command, *args = sys.argv[1:]
{"write": write, "read": read, "edited": edited, "findings": findings}[command](*args)
