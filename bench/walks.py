"""The rows walk/*: a hierarchy is opened, and all arrays in it. See README.md."""
import json
import os

import ratios

NAMES = [f"{n}{how}" for n in (1000, 100000) for how in ("", "-consolidated")]
ROWS = [f"walk/{name}" for name in NAMES]
GROUP = 100  # arrays in each


def columns(row, zarrs):
    """tensorstore knows neither groups nor consolidated metadata; zarrs, which is the crate, reads every document in any case."""
    peers = ["zarr-python"] if row.endswith("-consolidated") else ["zarr-python", "tensorstore"]
    return ["omnizarr"] + peers + (["zarrs"] if zarrs else [])


def make(folder, row):
    """Writes the documents of a row, unless they are there; there are no chunks."""
    name = row.removeprefix("walk/")
    path, count = f"{folder}/{name}", int(name.split("-")[0])
    if os.path.exists(f"{path}/zarr.json"):
        return
    group = {"zarr_format": 3, "node_type": "group", "attributes": {}}
    nodes = {}
    for i in range(count):
        if i % GROUP == 0:
            nodes[f"g{i // GROUP}"] = group
        nodes[f"g{i // GROUP}/a{i % GROUP}"] = {
            "zarr_format": 3, "node_type": "array", "shape": [100 + i % 7, 100], "data_type": "uint16", "fill_value": 0, "attributes": {"number": i},
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [10, 10]}}, "chunk_key_encoding": {"name": "default"},
            "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "zstd", "configuration": {"level": 3, "checksum": False}}]}
    for key, document in nodes.items():
        os.makedirs(f"{path}/{key}", exist_ok=True)
        with open(f"{path}/{key}/zarr.json", "w", encoding="utf-8") as f:
            json.dump(document, f)
    if name.endswith("-consolidated"):
        group = {**group, "consolidated_metadata": {"kind": "inline", "must_understand": False, "metadata": nodes}}
    with open(f"{path}/zarr.json", "w", encoding="utf-8") as f:
        json.dump(group, f)


def compare(row, cells):
    """Everybody must find the same arrays, as far as the sum of their lengths tells."""
    sums = {who: r["sum"] for who, r in cells.items()}
    if len(set(sums.values())) > 1:
        raise SystemExit(f"{row}: different arrays: {sums}")


def show(r):
    return f"{r['s'] * 1000:.1f} / {r['cpu'] * 1000:.1f} ms ({r['rss'] >> 20} MiB)"


def table(results):
    peers = ["zarr-python", "tensorstore", "zarrs"]
    lines = ["| | Omnizarr | " + " | ".join(peers) + " | to the best peer |", "|---" * (len(peers) + 3) + "|"]
    for row, cells in results.items():
        shown = [f"**{show(cells['omnizarr'])}**"] + [show(cells[p]) if p in cells else "" for p in peers]
        lines.append(f"| {row} | " + " | ".join(shown) + f" | {ratios.to_best(cells['omnizarr'], ratios.others(cells))} |")
    return "\n".join(lines)
