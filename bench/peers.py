"""One workload of a Python peer in a process of its own; prints a line of JSON with what it took.

    peers.py make DIR                        write DIR/arrays from DIR/volume.raw, with tensorstore
    peers.py PEER WORKLOAD DIR ARRAY REPS    PEER: zarr-python, zarr-fused, zarr-zarrs, tensorstore
                                             WORKLOAD: read, write, boxes, planes, voxels
    peers.py PEER walk DIR NAME REPS         open DIR/NAME and all arrays below it
    peers.py numpy pack-encode|pack-decode DIR bool/1 REPS
    peers.py tifffile tiff DIR NAME REPS     read DIR/NAME.tif
    peers.py tensorstore|zarr-python2 n5|n5-straight DIR NAME REPS
                                             read the dataset DIR/n5/NAME
    peers.py pynwb hdmf-WORK DIR WORK/LAYOUT REPS
                                             read the NWB file DIR/WORK-LAYOUT.nwb.zarr
    peers.py h5py|pynwb|remfile|kerchunk|lindi hdf5-WORK DIR FILE REPS
                                             WORK: read, walk, nwb; DIR may be a URL
"""
import json
import os
import resource
import shutil
import sys
import time

import numpy as np

BOX = 64
PIPELINES = {
    "zarr-python": None,
    "zarr-fused": "zarr.core.codec_pipeline.FusedCodecPipeline",
    "zarr-zarrs": "zarrs.ZarrsCodecPipeline",
}


def volume(folder):
    path = f"{folder}/volume.raw"
    side = round((os.path.getsize(path) // 2) ** (1 / 3))
    return np.memmap(path, np.uint16, "r", shape=(side,) * 3)


def array_kinds():
    """Arguments of zarr.create_array by name."""
    from numcodecs import Blosc
    from zarr.codecs import BloscCodec, Crc32cCodec, GzipCodec, ZstdCodec
    zstd = ZstdCodec(level=3, checksum=False)
    return {
        "none": dict(chunks=(128,) * 3, compressors=None),
        "zstd3": dict(chunks=(128,) * 3, compressors=zstd),
        "shard-zstd3": dict(shards=(256,) * 3, chunks=(32,) * 3, compressors=zstd),
        "gzip5": dict(chunks=(128,) * 3, compressors=GzipCodec(level=5)),
        "zstd3-crc32c": dict(chunks=(128,) * 3, compressors=[zstd, Crc32cCodec()]),
        "none-32cubed": dict(chunks=(32,) * 3, compressors=None),
        "blosc-lz4": dict(chunks=(128,) * 3, compressors=BloscCodec(typesize=2, cname="lz4", clevel=5, shuffle="shuffle")),
        "blosc-zstd": dict(chunks=(128,) * 3, compressors=BloscCodec(typesize=2, cname="zstd", clevel=3, shuffle="bitshuffle")),
        "v2-blosc-lz4": dict(chunks=(128,) * 3, zarr_format=2, compressors=Blosc("lz4", 5, Blosc.SHUFFLE)),
        "v2-blosc-zstd": dict(chunks=(128,) * 3, zarr_format=2, compressors=Blosc("zstd", 3, Blosc.BITSHUFFLE)),
    }


def make(folder):
    import zarr
    data = volume(folder)
    for name, kind in array_kinds().items():
        path = f"{folder}/arrays/{name}"
        if os.path.exists(path):
            continue
        shutil.rmtree(path + ".tmp", ignore_errors=True)
        zarr.create_array(path + ".tmp", shape=data.shape, dtype="uint16", fill_value=0, **kind)
        open_tensorstore(path + ".tmp").write(data).result()
        os.rename(path + ".tmp", path)


def open_tensorstore(path):
    """Without fsync: no other peer waits for the disk."""
    import tensorstore as ts
    if path.startswith("http:"):
        return ts.open({"driver": "zarr3", "kvstore": {"driver": "http", "base_url": path + "/"}}, open=True, read=True,
                       context=ts.Context({"http_request_concurrency": {"limit": 64}})).result()
    driver = "zarr" if os.path.exists(f"{path}/.zarray") else "zarr3"
    return ts.open({"driver": driver, "kvstore": {"driver": "file", "path": path}}, open=True,
                   context=ts.Context({"file_io_sync": False})).result()


class Zarr:
    def __init__(self, pipeline):
        import zarr
        self.zarr = zarr
        if pipeline:
            if pipeline.startswith("zarrs."):
                import zarrs  # noqa: F401
            zarr.config.set({"codec_pipeline.path": pipeline})

    def open(self, path):
        if path.startswith("http:"):
            from obstore.store import HTTPStore
            from zarr.storage import ObjectStore
            self.zarr.config.set({"async.concurrency": 64})
            path = ObjectStore(HTTPStore.from_url(path, client_options={"allow_http": True}), read_only=True)
        return self.zarr.open_array(path, mode="r", zarr_format=None if isinstance(path, str) else 3)

    def read(self, array, box=...):
        return array[box]

    def walk(self, path):
        group = self.zarr.open_group(path, mode="r", use_consolidated=path.endswith("-consolidated"))
        return sum(node.shape[0] for _, node in group.members(max_depth=None) if hasattr(node, "shape"))

    def write(self, path, name, data):
        kind = array_kinds()[name]
        self.zarr.create_array(path, shape=data.shape, dtype="uint16", fill_value=0, **kind)[...] = data


class TensorStore:
    def __init__(self):
        import tensorstore  # noqa: F401

    def open(self, path):
        return open_tensorstore(path)

    def read(self, array, box=...):
        return array[box].read().result()

    def walk(self, path):
        """There are no groups here: folders are listed, and all that have the document of an array are opened, at once."""
        import tensorstore as ts
        context = ts.Context({"file_io_sync": False})
        found = []
        for group in os.scandir(path):
            if group.is_dir():
                found += [array.path for array in os.scandir(group.path) if array.is_dir()]
        opened = [ts.open({"driver": "zarr3", "kvstore": {"driver": "file", "path": p}}, open=True, read=True, context=context) for p in found]
        return sum(a.result().shape[0] for a in opened)

    def write(self, path, name, data):
        import tensorstore as ts
        driver, document = ("zarr", ".zarray") if name.startswith("v2-") else ("zarr3", "zarr.json")
        with open(f"{self.folder}/arrays/{name}/{document}", encoding="utf-8") as f:
            metadata = json.load(f)
        ts.open({"driver": driver, "kvstore": {"driver": "file", "path": path}, "metadata": metadata}, create=True,
                context=ts.Context({"file_io_sync": False})).result().write(data).result()


def path_of(folder, name):
    """Where an array is: in the folder, or on a server."""
    return f"{os.environ.get('BENCH_ARRAYS', folder + '/arrays')}/{name}"


def read_work(peer, folder, name):
    path = path_of(folder, name)

    def check(result):
        assert np.array_equal(result, volume(folder)), "wrong values"

    return os.path.getsize(f"{folder}/volume.raw"), lambda: peer.read(peer.open(path)), check, lambda: None


def write_work(peer, folder, name):
    data = np.array(volume(folder))
    peer.folder = folder
    path = f"{folder}/out-{os.getpid()}"

    def check(_):
        assert np.array_equal(peer.read(peer.open(path)), data), "wrong values"

    return data.nbytes, lambda: peer.write(path, name, data), check, lambda: os.rename(path, f"{path}.{time.time_ns()}")  # the driver removes it


def boxes_work(peer, folder, name):
    return parts_work(peer, folder, name, [tuple(slice(i, i + BOX) for i in at) for at in starts(folder)])


def voxels_work(peer, folder, name):
    return parts_work(peer, folder, name, [tuple(slice(i, i + 1) for i in at) for at in starts(folder)])


def planes_work(peer, folder, name):
    """Ten neighbouring planes in the midst of a row of chunks."""
    return parts_work(peer, folder, name, [(slice(z, z + 1), slice(None), slice(None)) for z in range(140, 150)])


def starts(folder):
    with open(f"{folder}/boxes.txt", encoding="utf-8") as f:
        return [tuple(map(int, line.split())) for line in f]


def parts_work(peer, folder, name, boxes):
    path = path_of(folder, name)

    def work():
        array = peer.open(path)
        for box in boxes:
            peer.read(array, box)

    def check(_):
        array, data = peer.open(path), volume(folder)
        for box in boxes[:10]:
            assert np.array_equal(peer.read(array, box), data[box]), "wrong values in a box"

    size = 2 * sum(int(np.prod([len(range(*s.indices(n))) for s, n in zip(box, volume(folder).shape)])) for box in boxes)
    return size, work, check, lambda: None


def walk_work(peer, folder, name):
    return 1, lambda: peer.walk(f"{folder}/{name}"), lambda found: found, lambda: None


def pack_work(workload, folder):
    """numpy.packbits and unpackbits on truth values in memory; they have no way to use memory again."""
    data = (np.fromfile(f"{folder}/random.raw", np.uint8) & 1).view(bool)
    packed = np.fromfile(f"{folder}/bool-1.packed", np.uint8)
    do, source, want = {
        "pack-encode": (np.packbits, data, packed),
        "pack-decode": (np.unpackbits, packed, data),
    }[workload]

    def check(result):
        assert np.array_equal(result, want), "wrong values"

    return data.nbytes, lambda: do(source, bitorder="little"), check, lambda: None


def tiff_work(folder, name):
    import tifffile
    import tiffs
    path = tiffs.path(folder, name)
    with tifffile.TiffFile(path) as f:
        size = f.series[0].nbytes

    def check(result):
        some = result.reshape(-1).view(np.uint8)[::4097].astype(np.uint64)
        return int(np.sum(some * np.arange(1, some.size + 1, dtype=np.uint64)))

    return size, lambda: tifffile.imread(path, maxworkers=tiffs.THREADS), check, lambda: None


def work_of(peer, workload, folder, name):
    if peer == "numpy":
        return pack_work(workload, folder)
    if peer == "tifffile":
        return tiff_work(folder, name)
    if workload in ("n5", "n5-straight"):
        import n5s
        return n5s.work(peer, workload, folder, name)
    if workload.startswith("hdf5-"):
        import hdf5s
        return hdf5s.work(peer, workload, folder, name)
    if peer in ("hdmf-zarr", "h5py"):
        import records
        return records.work(peer, workload.replace("-", "/", 1), folder, name)
    if peer == "pynwb":
        import hdmfs
        return hdmfs.work(workload.removeprefix("hdmf-"), folder, name)
    peer = TensorStore() if peer == "tensorstore" else Zarr(PIPELINES[peer])
    work = {"read": read_work, "write": write_work, "boxes": boxes_work, "voxels": voxels_work, "planes": planes_work, "walk": walk_work}[workload]
    return work(peer, folder, name)


def measure(peer, workload, folder, name, reps):
    size, do, check, done, *worst = work_of(peer, workload, folder, name)
    out = {"s": [], "cpu": [], "bytes": size}
    for i in range(reps):
        start, cpu = time.perf_counter(), time.process_time()
        result = do()
        out["s"].append(time.perf_counter() - start)
        out["cpu"].append(time.process_time() - cpu)
        if worst:
            out.setdefault("worst", []).append(worst[0]())
        if i == 0:
            unit = 1 if sys.platform == "darwin" else 1024
            out["rss"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
            out["sum"] = check(result)  # of pixels; None where the result was compared
        del result
        done()
    print(json.dumps(out))


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(sys.argv[2])
    else:
        measure(*sys.argv[1:5], int(sys.argv[5]))
