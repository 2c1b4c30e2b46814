"""The rows cloud/*: arrays in a bucket of a real server of S3 on this machine, behind a proxy that lets each request wait, and without. See README.md.

    clouds.py PEER WORK BUCKET ARRAY REPS    PEER: tensorstore, obstore; WORK: read, boxes, write
"""
import json
import os
import resource
import shutil
import socket
import subprocess
import sys
import time
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
WORK = f"{HERE}/.work"
CLOUDS = f"{HERE}/../interop/.peers/clouds"
OBSTORE = f"{HERE}/../interop/.peers/obstore"
REQUESTS = 64  # under way at once, for everybody
DELAY = 50  # milliseconds
CHUNK, LENGTH, COUNT = 16, 32, 100  # of chunks and boxes along every axis; boxes
COLUMNS = ["omnizarr", "tensorstore", "obstore"]
# Rows: work, array, delay.
ROWS = {f"cloud/{work}{'-50ms' if delay else ''}": (work.split("-")[0], "shards" if work in ("read-shards", "boxes") else "chunks", delay)
        for delay in (DELAY, 0) for work in ("read", "read-shards", "boxes", "write")}
KEYS = {"AWS_ACCESS_KEY_ID": "bench", "AWS_SECRET_ACCESS_KEY": "bench-secret", "AWS_REGION": "us-east-1", "AWS_EC2_METADATA_DISABLED": "true"}


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Servers:
    """versitygw with a bucket that has the arrays, and the proxy."""

    def __init__(self, side):
        folder = f"{WORK}/cloud"
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(f"{folder}/bench")
        ports = [free_port() for _ in range(2)]
        env = {**os.environ, "ROOT_ACCESS_KEY": KEYS["AWS_ACCESS_KEY_ID"], "ROOT_SECRET_KEY": KEYS["AWS_SECRET_ACCESS_KEY"]}
        self.processes = [
            subprocess.Popen([f"{CLOUDS}/versitygw", "--port", f"127.0.0.1:{ports[0]}", "--region", KEYS["AWS_REGION"], "--keep-alive", "--quiet",
                              "--health", "/health", "posix", "--disableotmp", folder], env=env, stdout=subprocess.DEVNULL),
            subprocess.Popen([f"{WORK}/omnizarr", "delay", f"127.0.0.1:{ports[1]}", f"http://127.0.0.1:{ports[0]}", str(DELAY)]),
        ]
        self.buckets = {d: f"s3://bench?endpoint=http://127.0.0.1:{p}&region={KEYS['AWS_REGION']}" for d, p in ((0, ports[0]), (DELAY, ports[1]))}
        for port in ports:
            for _ in range(200):
                try:
                    urllib.request.urlopen(f"http://127.0.0.1:{port}/health").close()
                    break
                except OSError:
                    time.sleep(0.05)
        subprocess.run([f"{WORK}/omnizarr", "make-cloud", self.buckets[0], str(side)], check=True, env={**os.environ, **KEYS})

    def stop(self):
        for p in self.processes:
            p.terminate()
            p.wait(20)


def measure(servers, row, who, reps):
    work, array, delay = ROWS[row]
    bucket = servers.buckets[delay]
    if who == "omnizarr":
        args = [f"{WORK}/omnizarr", f"cloud-{work}", bucket, array, str(reps)]
    else:
        args = [sys.executable, os.path.abspath(__file__), who, work, bucket, array, str(reps)]
    env = {**os.environ, **KEYS, "PYTHONPATH": OBSTORE}
    return json.loads(subprocess.run(args, check=True, stdout=subprocess.PIPE, text=True, env=env).stdout)


def ideal(row, side):
    """Seconds that the requests take if each waits as long as the proxy lets it and nothing else takes time; opening is one."""
    work, array, delay = ROWS[row]
    requests = (side // CHUNK // (4 if array == "shards" else 1)) ** 3
    rounds = -(-requests // REQUESTS)
    if work == "boxes":
        rounds = COUNT
    return (1 + rounds) * delay / 1000


def show(r):
    return f"{r['s']:.2f} s"


def table(results, side):
    lines = ["| row | ideal | Omnizarr | tensorstore | zarr-python + obstore | to the ideal | to tensorstore | to obstore |", "|---|---|---|---|---|---|---|---|"]
    for row, cells in results.items():
        best, ours = ideal(row, side), cells["omnizarr"]["s"]
        lines.append(f"| {row} | {best:.2f} s | **{show(cells['omnizarr'])}** | {show(cells['tensorstore'])} | {show(cells['obstore'])} | "
                     f"{f'{ours / best:.2f}' if best else ''} | {cells['tensorstore']['s'] / ours:.2f} | {cells['obstore']['s'] / ours:.2f} |")
    return "\n".join(lines)


class TensorStore:
    def __init__(self, bucket, endpoint):
        import tensorstore as ts
        self.ts, self.bucket, self.endpoint = ts, bucket, endpoint
        self.context = ts.Context({"s3_request_concurrency": {"limit": REQUESTS}})

    def spec(self, path, **more):
        return {"driver": "zarr3", "kvstore": {"driver": "s3", "bucket": self.bucket, "path": path + "/", "endpoint": self.endpoint, "aws_region": KEYS["AWS_REGION"],
                                               "aws_credentials": {"type": "environment"}}, **more}

    def open(self, path):
        return self.ts.open(self.spec(path), open=True, context=self.context).result()

    def read(self, array, box=...):
        return array[box].read().result()

    def write(self, path, metadata, data):
        keep = ("shape", "chunk_grid", "chunk_key_encoding", "codecs", "data_type", "fill_value")
        spec = self.spec(path, metadata={k: metadata[k] for k in keep})
        self.ts.open(spec, create=True, context=self.context).result().write(data).result()


class Obstore:
    def __init__(self, bucket, endpoint):
        import zarr
        from obstore.store import S3Store
        from zarr.storage import ObjectStore
        zarr.config.set({"async.concurrency": REQUESTS})
        self.zarr = zarr
        self.make = lambda path: ObjectStore(S3Store(bucket, prefix=path, endpoint=endpoint, region=KEYS["AWS_REGION"], access_key_id=KEYS["AWS_ACCESS_KEY_ID"],
                                                     secret_access_key=KEYS["AWS_SECRET_ACCESS_KEY"], virtual_hosted_style_request=False,
                                                     client_options={"allow_http": True}))

    def open(self, path):
        return self.zarr.open_array(self.make(path), mode="r", zarr_format=3)

    def read(self, array, box=...):
        return array[box]

    def write(self, path, metadata, data):
        a = self.zarr.create_array(self.make(path), shape=data.shape, dtype="uint16", chunks=(CHUNK,) * 3, compressors=None, fill_value=0)
        a[...] = data


def main():
    import numpy as np
    who, work, url, name, reps = sys.argv[1:]
    endpoint = url.split("endpoint=")[1].split("&")[0]
    peer = {"tensorstore": TensorStore, "obstore": Obstore}[who]("bench", endpoint)
    side = peer.open(name).shape[0]
    z, y, x = np.ogrid[:side, :side, :side]
    volume = ((z * 7 + y * 5 + x * 3) | 1).astype(np.uint16)
    n, metadata = volume.nbytes, None
    if work == "boxes":
        n = COUNT * LENGTH ** 3 * 2
    if work == "write":
        array = peer.open(name)
        metadata = {"shape": [side] * 3, "data_type": "uint16", "fill_value": 0, "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [CHUNK] * 3}},
                    "chunk_key_encoding": {"name": "default"}, "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}]}
    out = {"s": [], "cpu": [], "bytes": n, "rss": 0}
    for turn in range(int(reps)):
        places = np.random.default_rng(1).integers(0, side - LENGTH, (COUNT, 3))
        start, before = time.monotonic(), sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
        if work == "read":
            got = peer.read(peer.open(name))
        elif work == "boxes":
            array = peer.open(name)
            for at in places:
                got = peer.read(array, tuple(slice(int(k), int(k) + LENGTH) for k in at))
                assert got[0, 0, 0] == volume[tuple(at)]
        else:
            peer.write(f"out-{os.getpid()}-{turn}", metadata, volume)
        out["s"].append(time.monotonic() - start)
        out["cpu"].append(sum(resource.getrusage(resource.RUSAGE_SELF)[:2]) - before)
        out["rss"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
        if turn == 0 and work == "read":
            assert np.array_equal(got, volume), "wrong values"
        if turn == 0 and work == "write":
            assert np.array_equal(peer.read(peer.open(f"out-{os.getpid()}-0")), volume), "wrong values"
    print(json.dumps(out))


if __name__ == "__main__":
    main()
