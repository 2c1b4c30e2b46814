"""One workload of a Python peer in a process of its own; prints a line of JSON with what it took.

    peers.py make DIR                        write DIR/arrays from DIR/volume.raw, with tensorstore
    peers.py PEER WORKLOAD DIR ARRAY REPS    PEER: zarr-python, zarr-fused, zarr-zarrs, tensorstore
                                             WORKLOAD: read, write, boxes, voxels
    peers.py numpy pack-encode|pack-decode DIR bool/1 REPS
    peers.py tifffile tiff DIR NAME REPS     read DIR/NAME.tif
    peers.py tensorstore|zarr-python2 n5|n5-straight DIR NAME REPS
                                             read the dataset DIR/n5/NAME
    peers.py pynwb hdmf-WORK DIR WORK/LAYOUT REPS
                                             read the NWB file DIR/WORK-LAYOUT.nwb.zarr
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
    from zarr.codecs import BloscCodec, ZstdCodec
    zstd = ZstdCodec(level=3, checksum=False)
    return {
        "none": dict(chunks=(128,) * 3, compressors=None),
        "zstd3": dict(chunks=(128,) * 3, compressors=zstd),
        "shard-zstd3": dict(shards=(256,) * 3, chunks=(32,) * 3, compressors=zstd),
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
        return self.zarr.open_array(path, mode="r")

    def read(self, array, box=...):
        return array[box]

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

    def write(self, path, name, data):
        import tensorstore as ts
        driver, document = ("zarr", ".zarray") if name.startswith("v2-") else ("zarr3", "zarr.json")
        with open(f"{self.folder}/arrays/{name}/{document}", encoding="utf-8") as f:
            metadata = json.load(f)
        ts.open({"driver": driver, "kvstore": {"driver": "file", "path": path}, "metadata": metadata}, create=True,
                context=ts.Context({"file_io_sync": False})).result().write(data).result()


def read_work(peer, folder, name):
    path = f"{folder}/arrays/{name}"

    def check(result):
        assert np.array_equal(result, volume(folder)), "wrong values"

    return os.path.getsize(f"{folder}/volume.raw"), lambda: peer.read(peer.open(path)), check, lambda: None


def write_work(peer, folder, name):
    data = np.array(volume(folder))
    peer.folder = folder
    path = f"{folder}/out-{os.getpid()}"

    def check(_):
        assert np.array_equal(peer.read(peer.open(path)), data), "wrong values"

    return data.nbytes, lambda: peer.write(path, name, data), check, lambda: shutil.rmtree(path)


def boxes_work(peer, folder, name, side=BOX):
    path = f"{folder}/arrays/{name}"
    with open(f"{folder}/boxes.txt", encoding="utf-8") as f:
        boxes = [tuple(slice(int(i), int(i) + side) for i in line.split()) for line in f]

    def work():
        array = peer.open(path)
        for box in boxes:
            peer.read(array, box)

    def check(_):
        array, data = peer.open(path), volume(folder)
        for box in boxes[:10]:
            assert np.array_equal(peer.read(array, box), data[box]), "wrong values in a box"

    return len(boxes) * 2 * side**3, work, check, lambda: None


def voxels_work(peer, folder, name):
    return boxes_work(peer, folder, name, 1)


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
    if peer in ("hdmf-zarr", "h5py"):
        import records
        return records.work(peer, workload.replace("-", "/", 1), folder, name)
    if peer == "pynwb":
        import hdmfs
        return hdmfs.work(workload.removeprefix("hdmf-"), folder, name)
    peer = TensorStore() if peer == "tensorstore" else Zarr(PIPELINES[peer])
    work = {"read": read_work, "write": write_work, "boxes": boxes_work, "voxels": voxels_work}[workload]
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
