"""What the Python peers of N5 share: the arrays that they write, and how results are compared."""
import json
import zlib

import common
import numpy as np

TYPES = ["uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float32", "float64"]
BLOCKS = [(160,), (16, 12), (8, 6, 5), (6, 5, 4, 3)]  # by rank
EDGES = {"whole": [(320,), (32, 24), (16, 6, 10), (12, 5, 4, 6)], "edge": [(200,), (20, 17), (11, 4, 6), (8, 4, 3, 5)]}
ATTRIBUTES = {"by": "ü", "list": [1, 2.5, None, {"a": True}]}


def arrays(types, compressions, some, private=()):
    """(name, type, shape, blocks, compression) of types, or all, in all ranks with some compressions, and in one with the others.

    Arrays of some types, and those that Omnizarr is to edit, have no private compressions, which only the writer knows.
    """
    for name, compression in compressions.items():
        if types and name in private:
            continue
        for dtype in types or TYPES:
            for rank in range(1, 5) if name in some else (3,):
                for edge, shapes in EDGES.items():
                    yield f"type/{dtype}/{name}/{rank}d-{edge}", dtype, shapes[rank - 1], BLOCKS[rank - 1], compression
        if name not in private:
            yield f"edit/uint16/{name}", "uint16", (7, 9), (4, 6), compression


def data(name, dtype, shape, blocks):
    """Random bits, most of them repeated, in the order of N5, with zeros in the last block, which peers leave out."""
    values = common.random(dtype, shape, np.random.default_rng(zlib.crc32(name.encode())))
    flat = values.reshape(-1)
    flat[np.arange(flat.size) % 13 != 0] = flat[0]
    if len(shape) > 1:
        values[tuple(slice((n - 1) // b * b, None) for n, b in zip(shape, blocks))] = 0
    return values


def change(cases, read, write):
    """Writes a box into some arrays that Omnizarr wrote, and gives the cases as they are now. write(case, box, values) is in the order of N5."""
    out = []
    for case in cases:
        kind, dtype, compression, layout = (case["name"].split("/") + [""] * 3)[:4]
        if kind != "type" or dtype not in ("uint8", "int16", "float64") or compression == "lz4" or "snappy" in compression or layout.endswith("whole"):
            continue
        values = read(case).copy()
        box = tuple(slice(n // 3, n - n // 9) for n in values.shape)
        values[box] = common.random(dtype, values[box].shape, np.random.default_rng(zlib.crc32(case["name"].encode())))
        write(case, box, values[box])
        out.append({**case, "sha256": common.digest(values)})
    return out


def compare(cases, results, read):
    """Calls read(case), which returns an array in the order of N5, or None where there is no array to compare."""
    with open(results, "w", encoding="utf-8") as out:
        for case in cases:
            error = ""
            try:
                values = read(case)
                if case["sha256"] and (list(values.shape) != case.get("shape", list(values.shape)) or common.digest(values) != case["sha256"]):
                    error = "different values"
            except Exception as e:
                error = f"{type(e).__name__}: {e}"
            out.write(json.dumps({"case": case["name"], "error": error}) + "\n")
