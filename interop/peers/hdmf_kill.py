"""pynwb reads a session that Omnizarr is changing: one that a killed process left, and one that grows.

    hdmf_kill.py killed INTEROP SESSION RESULTS   Omnizarr is killed at every change of its commit
    hdmf_kill.py growing INTEROP SESSION RESULTS  Omnizarr commits again and again
"""
import hashlib
import os
import shutil
import subprocess
import sys
import warnings

from hdmf_zarr.nwb import NWBZarrIO

import common

warnings.simplefilter("ignore")


def seen(path):
    """How much there is in a session, if everything in it fits."""
    with NWBZarrIO(path, "r") as io:
        nwb = io.read()
        trials, trace, chunked = nwb.trials, nwb.acquisition["trace"], nwb.acquisition["chunked"]
        frame = trials.to_dataframe()
        rows = {len(frame), len(trials.id), len(trials["tags"].data), *(len(c.data) for c in trials.columns if not c.name.endswith(("tags", "timeseries")))}
        if len(rows) != 1:
            raise ValueError(f"columns of {rows} rows")
        for index in (trials["tags"], trials["timeseries"]):
            if index.data[-1] != len(index.target.data):
                raise ValueError(f"{index.name} ends at {index.data[-1]}, there are {len(index.target.data)}")
        if len(trace.data) != len(trace.timestamps):
            raise ValueError(f"{len(trace.data)} samples, {len(trace.timestamps)} timestamps")
        trace.data[:], trace.timestamps[:]
        added = sorted(name for name in nwb.acquisition if name.startswith("added"))
        for name in added:
            if nwb.acquisition[name].data[:].tolist() != [1, 2, 3]:
                raise ValueError(f"{name} has other values")
        return len(frame), len(trace.data), len(chunked.data), trace.comments, added


def digest(path):
    """The same for folders with the same folders and files."""
    h = hashlib.sha256()
    for folder, folders, files in os.walk(path):
        folders.sort()
        h.update(f"{os.path.relpath(folder, path)}\n".encode())
        for name in sorted(files):
            with open(f"{folder}/{name}", "rb") as f:
                data = f.read()
            h.update(f"{os.path.relpath(folder, path)}/{name} {len(data)}\n".encode())
            h.update(data)
    return h.digest()


class Results:
    def __init__(self, path):
        self.file = open(path, "a", encoding="utf-8")

    def case(self, name, check):
        return common.case(self.file, name, check)


def killed(interop, session, results):
    results = Results(results)
    work = session + ".killed"

    def changed(n):
        return subprocess.run([interop, "nwb-kill", work, str(n)], capture_output=True, text=True)

    def fresh():
        shutil.rmtree(work, ignore_errors=True)
        shutil.copytree(session, work)

    fresh()
    old = seen(work)
    before, total = map(int, changed(-1).stdout.split())
    new = seen(work)
    if new[:3] != (old[0] + 1, old[1] + 2, old[2] + 20) or total - before < 10:
        raise ValueError(f"{old} becomes {new} by {total - before} changes")

    known = {}  # many kills leave the same files, which pynwb takes seconds for

    def one(n, states):
        files = digest(work)
        if files not in known:
            known[files] = seen(work)
        now = known[files]
        if now not in states:
            raise ValueError(f"{now}, not one of {states}")
        return now

    for n in [1, before // 2, *range(before, total + 1)]:
        fresh()
        if changed(n).returncode == 0:
            raise ValueError("was not killed")
        results.case(f"killed-{n}", lambda: one(n, [old, new]))
        if (again := changed(0)).returncode != 0:
            raise ValueError(again.stderr)
        # With the first change of the commit everything is decided.
        results.case(f"killed-{n}-then-empty", lambda: one(n, [old] if n <= before else [new]))
    shutil.rmtree(work)


def growing(interop, session, results):
    results = Results(results)
    work = session + ".growing"
    shutil.copytree(session, work)
    rows, samples, *_ = seen(work)
    with subprocess.Popen([interop, "nwb-grow", work], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as writer:

        def commit(n):
            writer.stdin.write(f"{n}\n")
            writer.stdin.flush()

        def exactly(n):
            now = seen(work)
            if now[:2] != (rows + n, samples + 2 * n):
                raise ValueError(f"{now} after {n} commits")

        for n in range(1, 6):
            commit(1)
            writer.stdout.readline()
            results.case(f"after-commit-{n}", lambda: exactly(n))

        def meanwhile(least):
            now = seen(work)
            n = now[0] - rows
            if now[1] != samples + 2 * n or n < least:
                raise ValueError(f"{now} after at least {least} commits")
            return n

        least, many = 5, 500
        commit(many)
        for k in range(10):
            least = results.case(f"meanwhile-{k}", lambda: meanwhile(least)) or least
        writer.stdout.readline()
        results.case("in-the-end", lambda: exactly(5 + many))
        writer.stdin.close()
    if writer.returncode != 0:
        raise ValueError("the writer failed")
    shutil.rmtree(work)


command, *args = sys.argv[1:]
{"killed": killed, "growing": growing}[command](*args)
