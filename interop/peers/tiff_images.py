"""What the peers that read TIFF files share: the order of axes, and comparing with what Omnizarr says it wrote."""
import json
import os

import numpy as np

from common import digest


def planes_first(data, axes):
    """An image as Omnizarr has it, samples before rows, and the names of its axes."""
    axes = axes.lower()
    if axes.endswith("yxs"):
        data, axes = np.moveaxis(data, -1, -3), axes[:-3] + "syx"
    names = [c if axes.count(c) == 1 else f"{c}{axes[:i].count(c)}" for i, c in enumerate(axes)]
    return data, names


def compare_files(cases, folder, results, read):
    """Has every file read; read(path, case) raises, or gives images as compare wants them."""
    with open(results, "a", encoding="utf-8") as out:
        for case in cases:
            error = ""
            try:
                compare(case["images"], read(os.path.join(folder, case["path"]), case))
            except Exception as e:
                error = f"{type(e).__name__}: {e}"
            out.write(json.dumps({"case": case["name"], "error": error}) + "\n")


def compare(wanted, images):
    """Compares images, each {"levels": arrays}, perhaps with "axes". Of images and levels as many as there are."""
    for want, got in zip(wanted, images):
        if "axes" in got and got["axes"] != want["axes"]:
            raise ValueError(f"axes {got['axes']}, not {want['axes']}")
        for i, (level, data) in enumerate(zip(want["levels"], got["levels"])):
            if data.dtype.name != want["type"] or list(data.shape) != level["shape"]:
                raise ValueError(f"level {i}: {data.dtype.name} of shape {list(data.shape)}, not {want['type']} of {level['shape']}")
            if digest(data) != level["sha256"]:
                raise ValueError(f"level {i}: different values")


def check_counts(wanted, images):
    """There must be as many images and levels as were written."""
    have, want = [len(i["levels"]) for i in images], [len(i["levels"]) for i in wanted]
    if have != want:
        raise ValueError(f"images of {have} levels, not {want}")


def halved(data, how):
    """The next level of one that Omnizarr made: averages, rounded to the nearest and up; None for other ways."""
    if how != "average" or data.dtype.kind == "c":
        return None
    blocks = np.pad(data.astype(np.float64), [(0, 0)] * (data.ndim - 2) + [(0, n % 2) for n in data.shape[-2:]], "edge")
    mean = (blocks[..., ::2, ::2] + blocks[..., 1::2, ::2] + blocks[..., ::2, 1::2] + blocks[..., 1::2, 1::2]) / 4
    return (np.floor(mean + 0.5) if data.dtype.kind in "iu" else mean).astype(data.dtype)


def check_made(case, images):
    """Levels that were made must be those of a plain model; where values are missing the model does not know."""
    for want, got in zip(case["images"], images):
        if not want.get("made") or case["nodata"] is not None:
            continue
        for i, (large, small) in enumerate(zip(got["levels"], got["levels"][1:])):
            model = halved(large, want["made"])
            if model is not None and not np.array_equal(model, small):
                raise ValueError(f"level {i + 1}: not the averages of the one before")
