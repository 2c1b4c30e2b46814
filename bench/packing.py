"""The rows pack/*: the codec packbits on one chunk in memory, one thread each. See README.md."""
import os

FIELDS = ["bool/1", "int2/2", "uint2/2", "int4/4", "uint4/4", "int8/6", "float6_e2m3fn/6", "int16/12", "uint16/12"]
ROWS = [f"pack/{way}/{field}" for way in ("encode", "decode") for field in FIELDS]
COLUMNS = ["omnizarr", "omnizarr-reuse", "numpy", "zarrs"]
THREADS = {"GOMAXPROCS": "1", "RAYON_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def columns(row, zarrs):
    """Who takes part in a row: numpy packs truth values only."""
    return [c for c in COLUMNS if c.startswith("omnizarr") or c == "numpy" and row.endswith("/bool/1") or c == "zarrs" and zarrs]


def split(row):
    """The workload and the field of a row."""
    _, way, field = row.split("/", 2)
    return f"pack-{way}", field


def make(omnizarr, run, folder, size):
    """Random bytes, and the packed chunks that all workloads compare with."""
    if not os.path.exists(f"{folder}/random.raw"):
        run([omnizarr, "make-random", folder, str(size)])
    missing = [f for f in FIELDS if not os.path.exists(f"{folder}/{f.replace('/', '-')}.packed")]
    if missing:
        run([omnizarr, "make-packed", folder, ",".join(missing)])


def table(results, speed):
    """The cells, then how many times as fast Omnizarr is, by the clock / in CPU seconds."""
    def ratio(cells, ours, theirs):
        if theirs not in cells:
            return ""
        return " / ".join(f"{cells[theirs][k] / max(cells[ours][k], 1e-9):.2f}" for k in ("s", "cpu"))

    lines = ["| one thread | Omnizarr, new memory | Omnizarr, used memory | numpy | zarrs | "
             "new to numpy | used to numpy | new to zarrs | used to zarrs |", "|---" * 9 + "|"]
    for row, cells in results.items():
        shown = [speed(cells[c]) if c in cells else "" for c in COLUMNS]
        shown[:2] = [f"**{s}**" for s in shown[:2]]
        shown += [ratio(cells, ours, peer) for peer in ("numpy", "zarrs") for ours in COLUMNS[:2]]
        lines.append(f"| {row} | " + " | ".join(shown) + " |")
    return "\n".join(lines)
