"""The rows serve/*: chunks asked of `omnizarr serve` by many at once, and of nginx for the same files. See README.md."""
import json
import os
import re
import signal
import socket
import subprocess
import time

HERE = os.path.dirname(os.path.abspath(__file__))
WORK = f"{HERE}/.work"
CONNECTIONS = 64
# Rows: how large chunks are; None is a TIFF in JPEG, whose tiles are decoded for clients, compared with what decoding alone takes:
# with all that is between them and the client, and up to the bytes that are sent.
ROWS = {"serve/1MiB": 1 << 20, "serve/64KiB": 64 << 10, "serve/jpeg": None, "serve/transcode": None}
TOTAL = 4 << 30


def columns(row):
    return ["omnizarr", "nginx"] if ROWS[row] else ["omnizarr", "decode"]


def make(folder, row, quick):
    """An array of chunks that begin with their number, which no codec has touched; or the TIFF."""
    size = ROWS[row]
    if size is None:
        return make_slide(f"{folder}/slide.tif", 2048 if quick else 8192)
    count = TOTAL // (64 if quick else 1 if size > 1 << 19 else 4) // size
    root = f"{folder}/{row.split('/')[1]}.zarr"
    if os.path.exists(f"{root}/zarr.json"):
        return None
    os.makedirs(f"{root}/c", exist_ok=True)
    rest = os.urandom(size - 8)
    for i in range(count):
        with open(f"{root}/c/{i}", "wb") as f:
            f.write(i.to_bytes(8, "little") + rest)
    meta = {"zarr_format": 3, "node_type": "array", "shape": [count * size], "data_type": "uint8", "fill_value": 0, "attributes": {},
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [size]}},
            "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}}, "codecs": [{"name": "bytes"}]}
    with open(f"{root}/zarr.json", "w", encoding="utf-8") as f:
        json.dump(meta, f)
    return None


def make_slide(path, side):
    if os.path.exists(path):
        return
    import numpy as np
    import tifffile
    os.makedirs(os.path.dirname(path), exist_ok=True)
    y, x = np.mgrid[:side, :side]
    waves = [np.sin(x / 31 + k) * np.cos(y / 47 - k) * 60 + np.sin((x + y) / (7 + k)) * 30 + 128 for k in range(3)]
    noise = np.random.default_rng(1).integers(-6, 7, (side, side, 3))
    image = np.clip(np.stack(waves, -1) + noise, 0, 255).astype("uint8")
    tifffile.imwrite(path, image, tile=(256, 256), photometric="rgb", compression="jpeg", compressionargs={"level": 85})


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Server:
    """A server of a folder, and the most memory that it takes."""

    def __init__(self, who, folder):
        self.port = free_port()
        if who == "nginx":
            # What Debian's package has by default, but for where it listens and writes.
            conf = f"{WORK}/nginx.conf"
            with open(conf, "w", encoding="utf-8") as f:
                f.write(f"""worker_processes auto; daemon off; pid {WORK}/nginx.pid; error_log {WORK}/nginx.err;
events {{ worker_connections 768; }}
http {{ sendfile on; tcp_nopush on; types_hash_max_size 2048; default_type application/octet-stream; access_log {WORK}/nginx.log; gzip on;
client_body_temp_path {WORK}/n1; proxy_temp_path {WORK}/n2; fastcgi_temp_path {WORK}/n3; uwsgi_temp_path {WORK}/n4; scgi_temp_path {WORK}/n5;
server {{ listen 127.0.0.1:{self.port}; root {folder}; }} }}""")
            self.base = f"http://127.0.0.1:{self.port}"
            args = ["nginx", "-e", f"{WORK}/nginx.err", "-c", conf]
        else:
            self.base = f"http://127.0.0.1:{self.port}/zarr"
            sources = [f"{folder}/{name}" for name in sorted(os.listdir(folder))]
            args = [f"{WORK}/command", "serve", "--addr", f"127.0.0.1:{self.port}", *sources]
        self.process = subprocess.Popen(args, stdout=subprocess.DEVNULL)
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                time.sleep(0.05)
        raise SystemExit(f"{who} does not listen")

    def used(self):
        """Seconds of CPU and the most bytes of memory, of the process and those that it started."""
        cpu, rss = 0.0, 0
        pids = [self.process.pid]
        children = subprocess.run(["pgrep", "-P", str(self.process.pid)], capture_output=True, text=True).stdout.split()
        for pid in pids + [int(c) for c in children]:
            with open(f"/proc/{pid}/stat", encoding="utf-8") as f:
                fields = f.read().rsplit(")", 1)[1].split()
            cpu += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
            with open(f"/proc/{pid}/status", encoding="utf-8") as f:
                rss += int(re.search(r"VmHWM:\s+(\d+)", f.read())[1]) << 10
        return cpu, rss

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(20)


def addresses(row, folder, base, path):
    """Writes what is asked for, one address a line."""
    with open(path, "w", encoding="utf-8") as f:
        if size := ROWS[row]:
            name = f"{row.split('/')[1]}.zarr"
            for i in range(len(os.listdir(f"{folder}/{name}/c"))):
                f.write(f"{size} {base}/{name}/c/{i}\n")
            return
        import urllib.request
        with urllib.request.urlopen(f"{base}/slide.tif/zarr.json") as answer:
            meta = json.load(answer)
        grid = [-(-n // c) for n, c in zip(meta["shape"], meta["chunk_grid"]["configuration"]["chunk_shape"])]
        for y in range(grid[1]):
            for x in range(grid[2]):
                f.write(f"{base}/slide.tif/c/0/{y}/{x}\n")


def measure(row, folder, who, quick, reps):
    """What one of the columns takes, as the driver keeps it."""
    if who == "decode" or row == "serve/transcode":
        work = "tiff" if who == "decode" else "transcode"
        r = json.loads(subprocess.run([f"{WORK}/omnizarr", work, folder, "slide", str(reps)], check=True, capture_output=True, text=True).stdout)
        r["rate"] = r["bytes"] / min(r["s"])
        return r
    server = Server(who, folder)
    try:
        addresses(row, folder, server.base, f"{WORK}/addresses")
        before, _ = server.used()
        # Tiles are asked for once each, since those that were are kept.
        seconds = 0 if ROWS[row] is None else 2 if quick else 10
        connections = 8 if ROWS[row] is None else CONNECTIONS
        out = subprocess.run([f"{WORK}/omnizarr", "load", f"{WORK}/addresses", str(connections), str(seconds)], check=True, capture_output=True, text=True).stdout
        r = json.loads(out)
        cpu, rss = server.used()
    finally:
        server.stop()
    # Chunks of the slide have three samples of a byte for each pixel, whatever they are compressed to.
    n = r["bytes"] if ROWS[row] else 3 * (2048 if quick else 8192) ** 2
    return {"s": [r["s"]], "cpu": [cpu - before], "bytes": n, "rss": rss, "rate": n / r["s"], "requests": r["requests"], "p50": r["p50"], "p99": r["p99"]}


def show(r):
    text = f"{r['rate'] / 1e9:.2f} GB/s ({r['rss'] / 2**20:.0f} MiB)"
    if "p99" in r:
        text += f", {r['requests'] / (r['bytes'] / r['rate']):.0f} requests/s, p50 {r['p50'] * 1e3:.1f} ms, p99 {r['p99'] * 1e3:.1f} ms"
    return text


def table(results):
    lines = ["| | Omnizarr | nginx, or decoding alone | ratio |", "|---|---|---|---|"]
    for row, cells in results.items():
        ours, theirs = cells["omnizarr"], cells[columns(row)[1]]
        lines.append(f"| {row} | **{show(ours)}** | {show(theirs)} | {ours['rate'] / theirs['rate']:.2f} |")
    return "\n".join(lines)
