"""Pyramids that `omnizarr copy --pyramid` makes, on the screens of neuroglancer and Viv in Chromium.

    ngff_viewers.py OMNIZARR WORK PAGE    PAGE is the folder of viv's page, see run-viewers
"""

import functools
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import neuroglancer
import numpy as np
import zarr
from PIL import Image

import screen

omnizarr, work, page = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), Path(sys.argv[3]).resolve()
failures = 0


def check(ok, what):
    global failures
    failures += not ok
    print(("ok: " if ok else "FAILED: ") + what)


class Files(http.server.SimpleHTTPRequestHandler):
    """Files for pages of another origin, by ranges too."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def end_headers(self):
        for name in ("Access-Control-Allow-Origin", "Access-Control-Allow-Headers", "Access-Control-Expose-Headers"):
            self.send_header(name, "*")
        super().end_headers()

    def do_OPTIONS(self):
        self.send_response(204)
        self.end_headers()

    def do_GET(self):
        part = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range", ""))
        path = Path(self.translate_path(self.path))
        if not part or not path.is_file():
            return super().do_GET()
        data = path.read_bytes()
        first, last = part.groups()
        start = int(first) if first else max(0, len(data) - int(last))
        end = min(len(data), int(last) + 1 if first and last else len(data))
        self.send_response(206)
        self.send_header("Content-Range", f"bytes {start}-{end - 1}/{len(data)}")
        self.send_header("Content-Length", str(end - start))
        self.end_headers()
        self.wfile.write(data[start:end])


def serve(folder):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Files, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


z, y, x = np.mgrid[:20, :400, :400]
volume = ((z * 5 + y // 8 * 3 + x // 8 * 7) % 200 + 30).astype("uint8")


def images():
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    zarr.create_array(work / "volume", data=volume, chunks=(20, 100, 100), dimension_names=["z", "y", "x"])
    zarr.create_array(work / "channels", data=volume[:3], chunks=(1, 100, 100), dimension_names=["c", "y", "x"])
    for source in ("volume", "channels"):
        for version in ("0.5", "0.4"):
            told = ["--chunks", "1,64,64", "--shards", "1,256,256"] if version == "0.5" else []
            subprocess.run([omnizarr, "copy", "--pyramid", "--levels", "3", "--factor", "1,2,2", "--ngff", version, *told,
                            work / source, work / f"{source}-{version}.ome.zarr"], check=True)


def shot(url, per_pixel):
    """What neuroglancer shows around the middle of plane 7, so many elements to a pixel of the screen."""
    return screen.shot(url, "void main() { emitGrayscale(toNormalized(getDataValue())); }", ["x", "y", "z"], [199.5, 199.5, 7], per_pixel, 256)


def in_neuroglancer(base):
    neuroglancer.set_server_bind_address("127.0.0.1", 0)
    for version in ("0.5", "0.4"):
        url = f"{base}/volume-{version}.ome.zarr/|zarr{'3' if version == '0.5' else '2'}:"
        near, far = shot(url, 1), shot(url, 4)
        if near is None or far is None:
            check(False, f"neuroglancer shows {version}")
            continue
        middle = volume[7, 200 - 128:200 + 128, 200 - 128:200 + 128].astype(int)
        check(np.abs(near - middle).max() <= 1, f"neuroglancer shows the pixels of {version}, off by {np.abs(near - middle).max()} at most")
        # Far away it shows the last level, whose elements are means of 4 x 4: 100 pixels in the middle of the screen.
        level = zarr.open_array(work / f"volume-{version}.ome.zarr" / "2", mode="r")[7].astype(int)
        seen = far[128 - 50:128 + 50, 128 - 50:128 + 50]
        check(np.abs(seen - level).max() <= 1, f"neuroglancer shows the last level of {version} in its place, off by {np.abs(seen - level).max()} at most")


def in_viv(base):
    pages = serve(page)
    for version in ("0.5", "0.4"):
        out = subprocess.run(["node", page / "page.mjs", f"{pages}/page.html?source={base}/channels-{version}.ome.zarr", work / f"viv-{version}.png"],
                             capture_output=True, text=True, timeout=120)
        got = json.loads(out.stdout or "{}")
        want = {"levels": 3, "shape": [3, 400, 400], "labels": ["c", "y", "x"], "sum": int(volume[1].sum()), "channels": ["Channel 1", "Channel 2", "Channel 3"]}
        check(got.get("result") is not None and all(got["result"].get(k) == v for k, v in want.items()), f"viv reads {version}: {got or out.stderr}")
        lit = np.asarray(Image.open(work / f"viv-{version}.png").convert("L"))
        check(got.get("result", {}).get("viewportLoaded", False) and len(np.unique(lit)) > 20, f"viv shows {version}: {len(np.unique(lit))} shades")


images()
at = serve(work)
in_neuroglancer(at)
in_viv(at)
sys.stdout.flush()
os._exit(bool(failures))  # neuroglancer's server would go on
