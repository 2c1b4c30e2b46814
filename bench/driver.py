"""Times Omnizarr and its peers on the same data, in turns, and prints a table. See README.md."""
import argparse
import datetime
import json
import os
import platform
import shutil
import subprocess
import sys

import clouds
import copies
import fars
import hdf5s
import hdmfs
import n5s
import packing
import ratios
import records
import serves
import tiffs
import walks

HERE = os.path.dirname(os.path.abspath(__file__))
WORK = os.path.join(HERE, ".work")
ZARRS = f"{HERE}/.peers/zarrs/target/release/zarrs_bench"
TIFFREAD = f"{WORK}/tiffread"
PEERS = ["zarr-python", "zarr-fused", "zarr-zarrs", "tensorstore", "zarrs"]
ARRAYS = ["none", "zstd3", "shard-zstd3", "none-32cubed", "blosc-lz4", "blosc-zstd", "v2-blosc-lz4", "v2-blosc-zstd"]
ROWS = ([("read", a) for a in ARRAYS + ["gzip5", "zstd3-crc32c"]] + [("write", a) for a in ARRAYS] + [("boxes", "shard-zstd3")]
        + [("planes", "zstd3"), ("boxes", "zstd3"), ("voxels", "zstd3")]
        + [("read-again", a) for a in ARRAYS[:6]] + [("boxes-cached", "shard-zstd3"), ("boxes-alone", "shard-zstd3"), ("boxes-alone", "zstd3"), ("voxels-alone", "zstd3")]
        + [("cold-read", a) for a in ("none", "zstd3", "shard-zstd3")]
        + [("far-read", a) for a in ("none", "zstd3", "shard-zstd3")] + [("far-boxes", "shard-zstd3")])
# Rows of Omnizarr alone, and what to compare them with.
OURS = {"read-again": "read", "boxes-cached": "boxes", "boxes-alone": "boxes", "voxels-alone": "voxels"}
TIE = 1.1  # a ratio below this, and above its inverse, is measured again


def command(who, workload, folder, array, reps):
    if who == "omnizarr":
        alone = workload.split("-")[0] in ("read", "write", "planes", "boxes", "voxels", "walk")
        return [f"{WORK}/{'arrays' if alone else 'omnizarr'}", workload, folder, array, str(reps)]
    if who == "zarrs":
        return [ZARRS, workload, folder, array, str(reps)]
    if who == "libtiff":
        return [TIFFREAD, tiffs.path(folder, array), str(tiffs.THREADS), str(reps)]
    if workload.startswith("hdf5-"):
        return [hdf5s.LINDI if who == "lindi" else hdf5s.PYTHON, f"{HERE}/peers.py", who, workload, folder, array, str(reps)]
    python = {"zarr-python2": n5s.PYTHON2, "pynwb": hdmfs.python(array), "hdmf-zarr": records.PYTHON, "h5py": records.PYTHON}.get(who, sys.executable)
    return [python, f"{HERE}/peers.py", who, workload, folder, array, str(reps)]


def run(args, env=None):
    p = subprocess.run(args, capture_output=True, text=True, env={**os.environ, **(env or {})})
    if p.returncode:
        raise SystemExit(f"{' '.join(args[:3])} failed:\n{p.stderr}")
    return p.stdout


def in_turn(columns, turn):
    """Who is measured, another one first in every round: what the first reads may be faster for the others, as from a disk."""
    first = turn % len(columns)
    return list(columns[first:]) + list(columns[:first])


def measure(options, folder):
    """{(workload, array): {who: {"s": best, "cpu": best, "rss": least, "bytes"}}}, peers alternating in every round. What is a tie
    is measured as often again."""
    results = {}
    rows = [row for row in ROWS if options.wants("/".join(row))]
    server = fars.Server(folder) if any(row[0].startswith("far-") for row in rows) else None
    try:
        for turn in range(options.rounds):
            for row in rows:
                measure_row(options, folder, row, server, turn, results)
        for turn in range(options.rounds, options.rounds * (1 if options.quick else 2)):
            for row in rows:
                if row[0] not in OURS and tied(results[row]):
                    measure_row(options, folder, row, server, turn, results)
    finally:
        if server:
            server.stop()
        shutil.rmtree(f"{folder}/written", ignore_errors=True)
    return results


def measure_row(options, folder, row, server, turn, results):
    """One round of a row."""
    where, _, workload = row[0].rpartition("-") if row[0].startswith(("cold-", "far-")) else ("", "", row[0])
    for who in in_turn(["omnizarr"] + ([] if row[0] in OURS else options.peers), turn):
        if where == "far" and who not in fars.PEERS:
            continue
        env = {**((options.profile_to("/".join(row)) or {}) if who == "omnizarr" else {}), **(server.env if where == "far" else {})}
        warm_memory((options.reps + 1 if workload == "write" else 1) * os.path.getsize(f"{folder}/volume.raw") + (1 << 30))
        if where == "cold":
            fars.forget(f"{folder}/arrays/{row[1]}")
        r = json.loads(run(command(who, workload, folder, row[1], 1 if where == "cold" else options.reps), env))
        put_away(folder)
        keep(results.setdefault(row, {}), who, r, turn, "/".join(row))


def warm_memory(size):
    """Has the machine below this one, if there is one, give memory for what is about to be written or read. It takes back what was not used for a while, and to
    have it again takes ten times as long as writing to it, so that rows told whose turn it was. By a process, which gives it back; in large pages, as everybody
    has arrays in, for which the system else takes memory that nobody has used yet."""
    subprocess.run([sys.executable, "-c", f"import mmap; m = mmap.mmap(-1, {size}, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS); hasattr(mmap, 'MADV_HUGEPAGE') and m.madvise(mmap.MADV_HUGEPAGE); "
                    f"[m.__setitem__(i, 1) for i in range(0, {size}, 4096)]"], check=True)


def put_away(folder):
    """Empties what was written, and leaves its files until the end: for minutes ext4 looks through all that were removed whenever one is made,
    so that whoever came first was several times as fast as the last."""
    for name in os.listdir(folder):
        if name.startswith("out-"):
            for path, _, files in os.walk(f"{folder}/{name}"):
                for file in files:
                    os.truncate(f"{path}/{file}", 0)
            os.makedirs(f"{folder}/written", exist_ok=True)
            os.rename(f"{folder}/{name}", f"{folder}/written/{name}")


def tied(cells):
    best = ratios.best(cells["omnizarr"], ratios.others(cells))
    return best is not None and 1 / TIE < ratios.ratio(cells["omnizarr"], cells[best]) < TIE


def measure_packing(options, folder, zarrs):
    """The same of the rows pack/*, {row: {column: ...}}. zarrs, which takes seconds, has one repetition in all."""
    results = {}
    for turn in range(min(options.rounds, 2)):
        for row in filter(options.wants, packing.ROWS):
            workload, field = packing.split(row)
            for who in in_turn(packing.columns(row, zarrs and turn == 0), turn):
                program, _, reuse = who.partition("-")
                reps = 1 if who == "zarrs" else options.reps
                args = command(program, workload + ("-reuse" if reuse else ""), folder, field, reps)
                keep(results.setdefault(row, {}), who, json.loads(run(args, packing.THREADS)), turn, row)
    return results


def measure_tiffs(options, folder, rows):
    """The same of the rows tiff/*, {row: {column: ...}}."""
    columns = [c for c in tiffs.COLUMNS if c != "libtiff" or os.path.exists(TIFFREAD)]
    results = {}
    for turn in range(options.rounds):
        for row in rows:
            cells = results.setdefault(row, {})
            workload, _, name = row.partition("/")
            for who in in_turn(columns, turn):
                args = command(who, workload if who == "omnizarr" else "tiff", folder, name, options.reps)
                keep(cells, who, json.loads(run(args, options.profile_to(row) if who == "omnizarr" else None)), turn, row)
            tiffs.compare(row, cells)
    return results


def measure_n5(options, folder, rows):
    """The same of the rows n5/* and n5-straight/*, {row: {column: ...}}."""
    results = {}
    for turn in range(options.rounds):
        for row in rows:
            workload, name = row.split("/")
            for who in in_turn(n5s.columns(row), turn):
                r = run(command(who, workload, folder, name, options.reps), options.profile_to(row) if who == "omnizarr" else None)
                keep(results.setdefault(row, {}), who, json.loads(r), turn, row)
    return results


def measure_walks(options, folder, rows):
    """The same of the rows walk/*, {row: {column: ...}}."""
    results = {}
    for turn in range(options.rounds):
        for row in rows:
            cells = results.setdefault(row, {})
            for who in in_turn(walks.columns(row, os.path.exists(ZARRS)), turn):
                # What takes others a minute is done once.
                reps = 1 if "100000" in row and who != "omnizarr" else options.reps
                keep(cells, who, json.loads(run(command(who, "walk", folder, row.removeprefix("walk/"), reps))), turn, row, walks.show)
            walks.compare(row, cells)
    return results


def measure_hdmf(options, folder, rows):
    """The same of the rows hdmf/*, {row: {column: ...}}."""
    results = {}
    for turn in range(options.rounds):
        for row in rows:
            _, work, name = row.split("/")
            cells = results.setdefault(row, {})
            for who in in_turn(hdmfs.COLUMNS, turn):
                args = command(who, f"hdmf-{work}", folder, f"{work}/{name}", options.reps)
                keep(cells, who, json.loads(run(args, options.profile_to(row) if who == "omnizarr" else None)), turn, row, hdmfs.show)
            hdmfs.compare(row, cells)
    return results


def measure_hdf5(options, folder, rows):
    """The same of the rows hdf5/*, {row: {column: ...}}."""
    results = {}
    server = hdf5s.Server(folder)
    try:
        for turn in range(options.rounds):
            for row in rows:
                cells = results.setdefault(row, {})
                workload = {"hdf5/nwb": "hdf5-nwb", "hdf5/walk": "hdf5-walk", "hdf5/http": "hdf5-walk"}.get(row, "hdf5-read")
                for who in in_turn(hdf5s.columns(row), turn):
                    server.requests()
                    args = command(who, workload, server.url if row == "hdf5/http" else folder, hdf5s.name(row), options.reps)
                    r = json.loads(run(args, options.profile_to(row) if who == "omnizarr" else None))
                    if row == "hdf5/http":
                        r.update({k: n / options.reps for k, n in server.requests().items()})
                    keep(cells, who, r, turn, row, hdf5s.show)
                hdf5s.compare(row, cells)
    finally:
        server.stop()
    return results


def measure_copies(options, folder, rows):
    """The same of the rows copy/*, {row: {column: ...}}. The copies of the first round are compared with their sources."""
    results = {}
    for turn in range(options.rounds):
        for row in rows:
            for who in in_turn(copies.columns(row), turn):
                python = n5s.PYTHON2 if who == "zarr-python2" else sys.executable
                r = run([python, f"{HERE}/copies.py", "measure", folder, row, who, str(options.reps)])
                keep(results.setdefault(row, {}), who, json.loads(r), turn, row, copies.show)
                run([sys.executable, f"{HERE}/copies.py", "check" if turn == 0 else "remove", folder, row, who])
    return results


def measure_records(options, folder, rows):
    """The same of the rows record/*, {row: {column: ...}}."""
    results = {}
    for turn in range(options.rounds):
        for row in rows:
            cells = results.setdefault(row, {})
            for who in in_turn(records.COLUMNS, turn):
                seconds = records.seconds(row, options.quick, who)
                # What others take minutes for is done once.
                reps = options.reps if who == "omnizarr" else 1
                args = command(who, row.replace("/", "-"), folder, str(seconds), reps)
                r = json.loads(run(args, options.profile_to(row) if who == "omnizarr" else None))
                r["worst"] = max(r["worst"])
                keep(cells, who, r, turn, row, records.show)
            records.compare(row, cells)
    return results


def measure_serves(options, folder, rows):
    """The same of the rows serve/*, {row: {column: ...}}: of each column the best round."""
    results = {}
    for turn in range(options.rounds):
        for row in rows:
            for who in in_turn(serves.columns(row), turn):
                r = serves.measure(row, f"{folder}/{row.split('/')[1]}", who, options.quick, options.reps)
                print(f"{row} {who}, round {turn + 1}: {serves.show(r)}", file=sys.stderr, flush=True)
                cells = results.setdefault(row, {})
                if who not in cells or r["rate"] > cells[who]["rate"]:
                    cells[who] = r
    return results


def measure_clouds(options, servers, rows):
    """The same of the rows cloud/*, {row: {column: ...}}."""
    results = {}
    for turn in range(options.rounds):
        for row in rows:
            for who in in_turn(clouds.COLUMNS, turn):
                keep(results.setdefault(row, {}), who, clouds.measure(servers, row, who, options.reps), turn, row, clouds.show)
    return results


def keep(cells, who, r, turn, row, show=None):
    """Puts the best of a measurement into its cell."""
    r["s"], r["cpu"] = min(r["s"]), min(r["cpu"])
    best = cells.setdefault(who, r)
    best.setdefault("turns", []).append(r["s"])
    for k in ("s", "cpu", "rss", "worst"):
        if k in r:
            best[k] = min(best[k], r[k])
    print(f"round {turn + 1}  {row:30} {who:14} {(show or speed)(r)}", file=sys.stderr, flush=True)


def gb(r, k):
    return r["bytes"] / max(r[k], 1e-9) / 1e9


def speed(r):
    """Small parts of an array are slow, as bytes go, and memory is no multiple of them."""
    memory = f"{r['rss'] / r['bytes']:.2f}×" if r["bytes"] > 16 << 20 else f"{r['rss'] >> 20} MiB"
    return " / ".join(f"{v:.2f}" if v >= 0.1 else f"{v:.2g}" for v in (gb(r, "s"), gb(r, "cpu"))) + f" ({memory})"


def table(results, peers):
    lines = ["| workload | Omnizarr | " + " | ".join(peers) + " | to zarr-python | to tensorstore | to the best peer |",
             "|---|---|" + "---|" * len(peers) + "---|---|---|"]
    for row, cells in results.items():
        rivals = results.get((OURS.get(row[0], row[0]), row[1]), {})
        rivals, ours = {p: rivals[p] for p in peers if p in rivals}, cells["omnizarr"]
        shown = [speed(cells[p]) if p in cells else "" for p in peers]
        shown += [f"{ratios.ratio(ours, rivals[p]):.2f}" if p in rivals else "" for p in ("zarr-python", "tensorstore")]
        lines.append(f"| {'/'.join(row)} | **{speed(ours)}** | " + " | ".join(shown + [ratios.to_best(ours, rivals)]) + " |")
    return "\n".join(lines)


def machine():
    model = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as f:
            model = next(line.split(":", 1)[1].strip() for line in f if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return f"{model}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}"


def versions(zarrs):
    import importlib.metadata as m
    names = ["zarr", "tensorstore", "zarrs", "numpy", "tifffile", "imagecodecs"]
    text = ", ".join(f"{n} {m.version(n)} (PyPI)" for n in names)
    text += ", " + run([n5s.PYTHON2, "-c", "import zarr; print('zarr', zarr.__version__, '(PyPI)')"]).strip()
    for python in map(hdmfs.python, hdmfs.LAYOUTS):
        text += run([python, "-c", "import importlib.metadata as m\nfor n in ('pynwb', 'hdmf_zarr', 'zarr'): print(',', n, m.version(n), end='')"])
    if os.path.exists(TIFFREAD):
        text += ", libtiff " + run([TIFFREAD]).splitlines()[0].split()[-1]
    return text + (", zarrs 0.23.14 (crate)" if zarrs else "")


def main():
    ap = argparse.ArgumentParser(prog="bench/run", description=__doc__)
    ap.add_argument("--quick", action="store_true", help="a small volume, once: only to see that everything works")
    ap.add_argument("--rounds", type=int, default=3, help="how often the peers take turns")
    ap.add_argument("--reps", type=int, default=3, help="repetitions in each process")
    ap.add_argument("--only", nargs="+", default=[], metavar="ROW", help="rows that begin with this, such as read or read/zstd3")
    ap.add_argument("--peers", nargs="*", default=PEERS[:-1], choices=PEERS, help="whom to compare with")
    ap.add_argument("--profile", action="store_true", help="leave CPU profiles of Omnizarr in bench/.work/profiles, but for pack/*")
    options = ap.parse_args()
    options.wants = lambda row: not options.only or any(row.startswith(o) for o in options.only)
    options.profile_to = profile_to if options.profile else lambda row: None
    side, boxes, size = 512, 500, 256 << 20
    if options.quick:
        side, boxes, size, options.rounds, options.reps = 256, 20, 16 << 20, 1, 1
    zarrs = os.path.exists(ZARRS)
    tables = []
    if any(options.wants("/".join(row)) for row in ROWS):
        tables.append(table(measure(options, make_volume(side, boxes)), options.peers))
    if any(map(options.wants, packing.ROWS)):
        folder = f"{WORK}/pack-{size >> 20}"
        packing.make(f"{WORK}/omnizarr", run, folder, size)
        tables.append(packing.table(measure_packing(options, folder, zarrs), speed))
    if rows := list(filter(options.wants, tiffs.ROWS)):
        shrink = 8 if options.quick else 1
        folder = f"{WORK}/tiff-{shrink}"
        # By a process of its own: what the driver holds would count as memory of those it starts.
        run([sys.executable, f"{HERE}/tiffs.py", folder, str(shrink), *rows])
        tables.append(tiffs.table(measure_tiffs(options, folder, rows), speed))
    if rows := list(filter(options.wants, n5s.ROWS)):
        folder = make_volume(side, boxes, arrays=False)
        run([sys.executable, f"{HERE}/n5s.py", folder, *rows])
        tables.append(n5s.table(measure_n5(options, folder, rows), speed))
    if rows := list(filter(options.wants, walks.ROWS)):
        folder = f"{WORK}/walk"
        rows = [row for row in rows if not options.quick or "100000" not in row]
        for row in rows:
            walks.make(folder, row)
        tables.append(walks.table(measure_walks(options, folder, rows)))
    if rows := list(filter(options.wants, hdmfs.ROWS)):
        shrink = 16 if options.quick else 1
        folder = f"{WORK}/hdmf-{shrink}"
        for row in rows:
            run([hdmfs.python(row), f"{HERE}/hdmfs.py", folder, str(shrink), row])
        tables.append(hdmfs.table(measure_hdmf(options, folder, rows)))
    if rows := list(filter(options.wants, hdf5s.ROWS)):
        shrink = 16 if options.quick else 1
        folder = f"{WORK}/hdf5-{shrink}"
        run([hdf5s.PYTHON, f"{HERE}/hdf5s.py", folder, str(shrink), *rows])
        tables.append(hdf5s.table(measure_hdf5(options, folder, rows)))
    if rows := list(filter(options.wants, copies.ROWS)):
        folder = make_volume(side, boxes, arrays=False)
        run([sys.executable, f"{HERE}/copies.py", "make", folder, *rows])
        tables.append(copies.table(measure_copies(options, folder, rows)))
    if rows := list(filter(options.wants, records.ROWS)):
        folder = f"{WORK}/record"
        run([records.PYTHON, f"{HERE}/records.py", folder])
        tables.append(records.table(measure_records(options, folder, rows)))
    if rows := list(filter(options.wants, serves.ROWS)):
        folder = f"{WORK}/serve{'-quick' if options.quick else ''}"
        for row in rows:
            serves.make(f"{folder}/{row.split('/')[1]}", row, options.quick)
        tables.append(serves.table(measure_serves(options, folder, rows)))
    if rows := list(filter(options.wants, clouds.ROWS)):
        length = 64 if options.quick else 256
        servers = clouds.Servers(length)
        try:
            tables.append(clouds.table(measure_clouds(options, servers, rows), length))
        finally:
            servers.stop()
    text = "\n\n".join(tables)
    print(text)
    if not options.quick and not options.only:
        with open(f"{HERE}/RESULTS.md", "w", encoding="utf-8") as f:
            f.write(f"# Results\n\n{datetime.date.today()}, {machine()}. {versions(zarrs)}.\n"
                    f"Volume of {side}³ uint16, packed elements of {size >> 20} MiB, TIFF images of 8192² (rgb8) and 4096² pixels; NWB files of both layouts; best of {options.rounds} rounds of {options.reps} "
                    "repetitions. [README.md](README.md) says how to read this.\n\n" + text + "\n")


def profile_to(row):
    """The environment that makes Omnizarr leave a profile of a row; the last round's stays."""
    os.makedirs(f"{WORK}/profiles", exist_ok=True)
    return {"BENCH_PROFILE": f"{WORK}/profiles/{row.replace('/', '-')}.pprof"}


def make_volume(side, boxes, arrays=True):
    """The folder with the volume, and with the arrays of the rows of Zarr."""
    folder = f"{WORK}/{side}"
    if not os.path.exists(f"{folder}/volume.raw"):
        run([f"{WORK}/omnizarr", "make", folder, str(side), str(boxes)])
    if arrays:
        run([sys.executable, f"{HERE}/peers.py", "make", folder])
    return folder


main()
