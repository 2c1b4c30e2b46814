"""What neuroglancer shows in Chromium."""
import io
import subprocess
import tempfile
import threading

import neuroglancer
import numpy as np
from PIL import Image

CHROMIUM = ["chromium", "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--use-gl=angle", "--use-angle=swiftshader",
            "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist", "--no-first-run", "--remote-debugging-port=0"]


def shot(url, shader, names, position, scale, size):
    """The shades of a plane around a position, so many elements to a pixel; None if no picture comes."""
    viewer = neuroglancer.Viewer()
    with viewer.txn() as s:
        s.layers["image"] = neuroglancer.ImageLayer(source=url, shader=shader)
        s.layout, s.show_axis_lines, s.show_scale_bar, s.show_default_annotations = "xy", False, False, False
        s.cross_section_background_color = "#000000"
        s.dimensions = neuroglancer.CoordinateSpace(names=names, units="", scales=[1] * len(names))
        s.position, s.cross_section_scale = position, scale
    browser = subprocess.Popen([*CHROMIUM, f"--user-data-dir={tempfile.mkdtemp()}", "--window-size=640,640", str(viewer)],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    got = []
    thread = threading.Thread(target=lambda: got.append(viewer.screenshot(size=[size, size])), daemon=True)
    thread.start()
    thread.join(90)
    browser.terminate()
    if not got:
        return None
    return np.asarray(Image.open(io.BytesIO(got[0].screenshot.image)).convert("L")).astype(int)
