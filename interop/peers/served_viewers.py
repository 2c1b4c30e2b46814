"""What `omnizarr serve` serves, on the screens of neuroglancer and Viv in Chromium.

    served_viewers.py OMNIZARR BASE WORK PAGE RESULTS    PAGE is the folder of viv's page, see run-served
"""

import functools
import http.server
import io
import json
import os
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path

import neuroglancer
import numpy as np
from PIL import Image

import common
import screen

omnizarr, base, work, page, results = sys.argv[1], sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4]).resolve(), open(sys.argv[5], "a", encoding="utf-8")
size = 192


case = functools.partial(common.case, results)


def elements(name, path, part):
    """What the file itself holds, as the command reads it."""
    raw = subprocess.run([omnizarr, "cat", "--as", "npy", "--slice", part, f"{work}/samples/{name}{path}"], check=True, capture_output=True).stdout
    return np.load(io.BytesIO(raw)).astype(float)


def dimensions(url, rank):
    """The names that neuroglancer has for the axes of an array."""
    with urllib.request.urlopen(f"{url}/zarr.json") as answer:
        names = json.load(answer).get("dimension_names") or [None] * rank
    return [n or f"dim_{i}" for i, n in enumerate(names)]


def shot(url, names, position, low, high):
    shader = f"void main() {{ emitGrayscale((float(toRaw(getDataValue())) - {low:.1f}) / {high - low:.1f}); }}"
    got = screen.shot(url, shader, names, position, 1, size)
    assert got is not None, "no picture came"
    return got


def pixels(name, path, at, x, y, low, high):
    """Compares the screen around a place, an index for each axis, with the elements there."""
    url = f"{base}/zarr/{name}{path}"
    names = dimensions(url, len(at))
    others = [i for i in range(len(at)) if i not in (x, y)]
    order = [x, y, *others]
    seen = shot(f"{url}/|zarr3:", [names[i] for i in order], [at[x], at[y], *[at[i] + 0.5 for i in others]], low, high)
    reach = {i: min(size // 2, at[i]) for i in (x, y)}  # of small arrays there is less than the screen has room for
    part = ",".join(f"{at[i] - reach[i]}:{at[i] + reach[i]}" if i in (x, y) else str(at[i]) for i in range(len(at)))
    want = elements(name, path, part)
    want = want.T if x < y else want
    middle = size // 2
    seen = seen[middle - reach[y] : middle + reach[y], middle - reach[x] : middle + reach[x]]
    want = np.clip((want - low) / (high - low), 0, 1) * 255
    off = np.abs(seen - want)
    assert len(np.unique(want)) > 20, "there is nothing to be seen"
    assert off.max() <= 1, f"{(off > 1).sum()} pixels differ, by {off.max():.0f} at most"


neuroglancer.set_server_bind_address("127.0.0.1", 0)
case("neuroglancer: a TIFF", lambda: pixels("tissue.ome.tif", "/0", [0, 1000, 1300], 2, 1, 0, 255))
case("neuroglancer: an N5", lambda: pixels("brain.n5", "/em/s0", [160, 128, 31], 0, 1, 0, 255))
case("neuroglancer: a sharded Zarr", lambda: pixels("cells.zarr", "/0", [1, 0, 2, 200, 300], 4, 3, 100, 3000))
case("neuroglancer: a Zarr v2", lambda: pixels("planet.zarr", "/temperature", [6, 90, 180], 2, 1, -3000, 4000))
case("neuroglancer: a series of NWB", lambda: pixels("session.nwb.zarr", "/acquisition/lfp/data", [5000, 8], 1, 0, -500, 500))


def serve(folder):
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *args):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


def viv(name, want, channel):
    out = subprocess.run(["node", page / "page.mjs", f"{serve(page)}/page.html?source={base}/zarr/{name}", work / f"viv-{name}.png"], capture_output=True, text=True, timeout=120)
    got = json.loads(out.stdout or "{}")
    assert got.get("result"), out.stderr
    assert all(got["result"].get(k) == v for k, v in want.items()), f"{got}, not {want}"
    total = int(elements(name, "/0", channel).sum())
    assert got["result"].get("sum") == total, f"the elements add up to {got['result'].get('sum')}, not {total}"
    shades = len(np.unique(np.asarray(Image.open(work / f"viv-{name}.png").convert("L"))))
    assert got["result"].get("viewportLoaded") and shades > 20, f"{shades} shades on the screen"


case("viv: an OME-TIFF", lambda: viv("tissue.ome.tif", {"levels": 5, "shape": [3, 1920, 2560], "labels": ["c", "y", "x"]}, "1,:,:"))
case("viv: an OME-Zarr", lambda: viv("cells.zarr", {"levels": 3, "labels": ["t", "c", "z", "y", "x"]}, "0,1,0,:,:"))
results.close()
os._exit(0)  # neuroglancer's server would go on
