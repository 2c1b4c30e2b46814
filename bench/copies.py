"""The rows copy/*: arrays copied from folder to folder, each by a process of its own. See README.md.

    copies.py make DIR ROWS...       write the sources of rows below DIR/copy, from DIR/volume.raw
    copies.py measure DIR ROW WHO REPS
                                     time a program, or a Python peer; the last copy stays
    copies.py check DIR ROW WHO      compare that copy with its source, and remove it
    copies.py remove DIR ROW WHO     only remove it
"""
import collections
import json
import os
import resource
import shutil
import subprocess
import sys
import time

import numpy as np

import ratios

HERE = os.path.dirname(os.path.abspath(__file__))
COMMAND = f"{HERE}/.work/command"
REENCODE = f"{HERE}/.peers/zarrs_tools/bin/zarrs_reencode"
PEERS = {
    "copy/v2-blosc-to-v3-shards": ["tensorstore", "zarr-python", "zarrs_reencode"],
    "copy/n5-to-zarr": ["tensorstore", "zarr-python2"],
    "copy/tiff-to-ome-zarr": ["tensorstore", "zarr-python"],
    "copy/plan-1TB": [],
    "copy/rerun": ["find"],
}
ROWS = list(PEERS)
MEMORY = 512 << 20  # that Omnizarr may take
ZSTD = {"name": "zstd", "configuration": {"level": 3, "checksum": False}}
LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}
# Chunks and shards of the copies.
INNER, SHARD, BLOCK = (64,) * 3, (256,) * 3, (128,) * 3
TILE, SQUARE = (256,) * 2, (2048,) * 2
TERABYTE = 8192  # the side of the array of which there is nothing but empty files


def columns(row):
    return ["omnizarr"] + [p for p in PEERS[row] if p != "zarrs_reencode" or os.path.exists(REENCODE)]


def source(folder, row):
    """In a folder of its own: what lies beside a store may be looked at too."""
    return f"{folder}/{row}/source" + (".tif" if "tiff" in row else "")


def target(folder, row, who):
    return f"{folder}/{row}/{who}"


def pieces(shape, block):
    """The boxes of a grid of blocks, each as slices."""
    for at in np.ndindex(*(-(-n // b) for n, b in zip(shape, block))):
        yield tuple(slice(i * b, min((i + 1) * b, n)) for i, b, n in zip(at, block, shape))


# The sources.

def volume(folder):
    """The volume, and the shape of an array that holds it four times: 1 GiB, if its side is 512."""
    import peers
    data = peers.volume(folder)
    side = data.shape[0]
    return data, (2 * side, 2 * side, side)


def four(data, shape):
    return pieces(shape, data.shape)


def make(folder, rows):
    for row in rows:
        path = source(folder, row)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if os.path.exists(path):
            continue
        shutil.rmtree(path + ".tmp", ignore_errors=True)
        {"copy/tiff-to-ome-zarr": make_tiff, "copy/plan-1TB": make_terabyte}.get(row, make_array)(folder, row, path + ".tmp")
        os.rename(path + ".tmp", path)


def make_array(folder, row, path):
    """The array of a row, written by tensorstore."""
    data, shape = volume(folder)
    spec = {
        "copy/v2-blosc-to-v3-shards": {"driver": "zarr", "metadata": {
            "shape": shape, "chunks": BLOCK, "dtype": "<u2", "fill_value": 0,
            "compressor": {"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1}}},
        "copy/n5-to-zarr": {"driver": "n5", "metadata": {
            "dimensions": shape[::-1], "blockSize": BLOCK, "dataType": "uint16", "compression": {"type": "gzip", "level": 5}}},
        "copy/rerun": zarr3(shape, (32,) * 3, None, []),
    }[row]
    a = open_tensorstore(path, spec)
    if row == "copy/n5-to-zarr":
        a = a.T
    for box in four(data, shape):
        a[box].write(data).result()


def make_tiff(folder, row, path):
    """A picture of 16384² pixels, 512 MiB, with tiles that are compressed as GDAL and others do it."""
    import tifffile
    import tiffs
    side = volume(folder)[0].shape[0] * 8
    tifffile.imwrite(path, np.tile(tiffs.image("u16", side), (4, 4)), tile=TILE, compression="zstd", maxworkers=2, photometric="minisblack")


def make_terabyte(folder, row, path):
    """1.1 TB of elements, with a file for each chunk, in which there is nothing. A plan opens none of them."""
    os.makedirs(path)
    with open(f"{path}/.zarray", "w", encoding="utf-8") as f:
        json.dump({"zarr_format": 2, "shape": [TERABYTE] * 3, "chunks": BLOCK, "dtype": "<u2", "fill_value": 0, "order": "C", "filters": None,
                   "compressor": {"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0}}, f)
    n = TERABYTE // BLOCK[0]
    for i in np.ndindex(n if volume(folder)[0].shape[0] > 256 else 1, n, n):
        os.close(os.open(f"{path}/" + ".".join(map(str, i)), os.O_CREAT | os.O_WRONLY, 0o666))


# Omnizarr and the programs.

def command(folder, row, who, out):
    """The command line of a program."""
    path = source(folder, row)
    codecs = json.dumps([LITTLE, ZSTD])
    shape = lambda lengths: ",".join(map(str, lengths))
    copy = [COMMAND, "copy", "--quiet", "--max-memory", str(MEMORY)]
    if who == "zarrs_reencode":
        return [REENCODE, path, out, "--chunk-shape", shape(INNER), "--shard-shape", shape(SHARD),
                "--array-to-bytes-codec", json.dumps(LITTLE), "--bytes-to-bytes-codecs", json.dumps([ZSTD])]
    if who == "find":
        return ["find", path, target(folder, row, "omnizarr"), "-type", "f", "-printf", "%p %s %T@\n"]
    return copy + {
        "copy/v2-blosc-to-v3-shards": ["--chunks", shape(INNER), "--shards", shape(SHARD), "--codecs", codecs],
        "copy/n5-to-zarr": ["--reversed", "--chunks", shape(BLOCK), "--codecs", codecs],
        "copy/tiff-to-ome-zarr": ["--pyramid", "--chunks", shape(TILE), "--shards", shape(SQUARE), "--codecs", codecs],
        "copy/plan-1TB": ["--plan", "--chunks", shape(INNER), "--shards", shape(SHARD), "--codecs", codecs],
        "copy/rerun": [],
    }[row] + [path, out]


def run_program(args):
    """The seconds, CPU seconds and bytes of memory of a process."""
    start = time.perf_counter()
    with open(os.devnull, "wb") as nowhere:
        p = subprocess.Popen(args, stdout=nowhere)
        _, status, used = os.wait4(p.pid, 0)
    took = time.perf_counter() - start
    if status:
        raise SystemExit(f"{' '.join(args)}: ended with {status}")
    return took, used.ru_utime + used.ru_stime, used.ru_maxrss * (1 if sys.platform == "darwin" else 1024)


# The Python peers.

def open_tensorstore(path, spec=None):
    """An array that is there, or one that is made. Without fsync: no other peer waits for the disk."""
    import tensorstore as ts
    if spec is None:
        driver = "n5" if os.path.exists(f"{path}/attributes.json") else "zarr" if os.path.exists(f"{path}/.zarray") else "zarr3"
        return ts.open({"driver": driver, "kvstore": {"driver": "file", "path": path}}, open=True, read=True).result()
    return ts.open({**spec, "kvstore": {"driver": "file", "path": path}}, create=True, context=ts.Context({"file_io_sync": False})).result()


def zarr3(shape, chunks, shards, compressors):
    """What tensorstore makes an array of Zarr v3 of."""
    codecs = [LITTLE] + compressors
    if shards:
        codecs = [{"name": "sharding_indexed", "configuration": {"chunk_shape": chunks, "codecs": codecs}}]
    return {"driver": "zarr3", "metadata": {
        "shape": shape, "data_type": "uint16", "fill_value": 0, "codecs": codecs,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": shards or chunks}}}}


def by_tensorstore(folder, row, out):
    """Blocks that are whole chunks or shards of the copy, some at once; tensorstore does the rest in its own threads."""
    import tensorstore as ts
    # Its own driver of TIFF is for bytes alone, so the picture is read as zarr-python's is.
    src = ts.array(read_tiff(folder, row)) if "tiff" in row else open_tensorstore(source(folder, row))

    def copy(src, dst, block):
        under_way = collections.deque()
        for box in pieces(dst.shape, block):
            under_way.append(dst[box].write(src[box]))
            if len(under_way) > 2 * os.cpu_count():
                under_way.popleft().result()
        for f in under_way:
            f.result()

    if row == "copy/v2-blosc-to-v3-shards":
        copy(src, open_tensorstore(out, zarr3(src.shape, INNER, SHARD, [ZSTD])), SHARD)
    elif row == "copy/n5-to-zarr":
        copy(src.T, open_tensorstore(out, zarr3(src.shape[::-1], BLOCK, None, [ZSTD])), BLOCK)
    else:
        for i, shape in enumerate(levels(src.shape)):
            dst = open_tensorstore(f"{out}/{i}", zarr3(shape, TILE, SQUARE, [ZSTD]))
            copy(src if i == 0 else ts.downsample(src, [2, 2], "mean"), dst, SQUARE)
            src = dst
        write_document(out, i + 1)


def by_zarr(folder, row, out):
    """As a person writes it: shard by shard in some threads, or all of a picture at once."""
    import zarr
    from concurrent.futures import ThreadPoolExecutor
    from zarr.codecs import ZstdCodec
    zstd = ZstdCodec(level=3, checksum=False)
    if row == "copy/v2-blosc-to-v3-shards":
        src = zarr.open_array(source(folder, row), mode="r")
        dst = zarr.create_array(out, shape=src.shape, dtype=src.dtype, chunks=INNER, shards=SHARD, compressors=zstd)

        def copy(box):
            dst[box] = src[box]

        with ThreadPoolExecutor(os.cpu_count()) as threads:
            list(threads.map(copy, pieces(src.shape, SHARD)))
        return
    level = read_tiff(folder, row)
    group = zarr.create_group(out)
    for i, shape in enumerate(levels(level.shape)):
        level = level if i == 0 else np.rint(means(level)).astype(level.dtype)
        group.create_array(str(i), shape=shape, dtype=level.dtype, chunks=TILE, shards=SQUARE, compressors=zstd)[...] = level
    group.attrs.update(ome(i + 1))


def by_zarr2(folder, row, out):
    """With N5Store, which zarr-python 3 has not; the copy is Zarr v2, since zarr-python 2 has no v3."""
    import warnings
    import zarr
    from concurrent.futures import ThreadPoolExecutor
    from numcodecs import Zstd
    warnings.simplefilter("ignore")
    src = zarr.open_array(zarr.N5Store(os.path.dirname(source(folder, row))), path=os.path.basename(source(folder, row)), mode="r")
    dst = zarr.open_array(out, mode="w", shape=src.shape, dtype=src.dtype, chunks=BLOCK, compressor=Zstd(3))

    def copy(box):
        dst[box] = src[box]

    with ThreadPoolExecutor(os.cpu_count()) as threads:
        list(threads.map(copy, pieces(src.shape, BLOCK)))


def read_tiff(folder, row):
    import tifffile
    return tifffile.imread(source(folder, row), maxworkers=os.cpu_count())


def levels(shape):
    """The shapes of the levels of a picture, until 256 pixels are left."""
    yield tuple(shape)
    while max(shape) > 256:
        shape = tuple(-(-n // 2) for n in shape)
        yield shape


def means(level):
    h, w = level.shape
    return level.reshape(h // 2, 2, w // 2, 2).mean(axis=(1, 3))


def ome(count):
    """What OME-NGFF 0.5 wants to be told."""
    datasets = [{"path": str(i), "coordinateTransformations": [{"type": "scale", "scale": [2.0**i] * 2}]} for i in range(count)]
    return {"ome": {"version": "0.5", "multiscales": [{"axes": [{"name": a, "type": "space"} for a in "yx"], "datasets": datasets}]}}


def write_document(out, count):
    with open(f"{out}/zarr.json", "w", encoding="utf-8") as f:
        json.dump({"zarr_format": 3, "node_type": "group", "attributes": ome(count)}, f)


# Measuring and comparing.

def measure(folder, row, who, reps):
    out = target(folder, row, who)
    size = {"copy/plan-1TB": lambda: 2 * TERABYTE**3, "copy/tiff-to-ome-zarr": lambda: 2 * volume(folder)[0].shape[0] ** 2 * 1024}
    result = {"s": [], "cpu": [], "bytes": size.get(row, lambda: 2 * int(np.prod(volume(folder)[1])))(), "rss": 0}
    peer = {"tensorstore": by_tensorstore, "zarr-python": by_zarr, "zarr-python2": by_zarr2}.get(who)
    if row == "copy/rerun" and who == "omnizarr":
        run_program(command(folder, row, who, out))  # the copy that is there already
    for _ in range(reps):
        if row != "copy/rerun":
            shutil.rmtree(out, ignore_errors=True)
        if peer:
            import_peer(who)
            start, cpu = time.perf_counter(), time.process_time()
            peer(folder, row, out)
            took, cpu = time.perf_counter() - start, time.process_time() - cpu
            rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
        else:
            took, cpu, rss = run_program(command(folder, row, who, out))
        result["s"].append(took)
        result["cpu"].append(cpu)
        result["rss"] = max(result["rss"], rss)
    print(json.dumps(result))


def import_peer(who):
    import importlib
    for name in {"tensorstore": ["tensorstore", "tifffile", "imagecodecs"], "zarr-python": ["zarr", "tifffile", "imagecodecs"], "zarr-python2": ["zarr"]}[who]:
        importlib.import_module(name)


def check(folder, row, who):
    """Everybody must have copied the same: what is in the source, and the same pictures of other sizes."""
    out = target(folder, row, who)
    if row == "copy/tiff-to-ome-zarr":
        want = read_tiff(folder, row)
        for i, shape in enumerate(levels(want.shape)):
            got = open_tensorstore(f"{out}/{i}").read().result()
            # Halves are rounded up by some, to even numbers by others.
            if got.shape != shape or np.abs(got - (want if i == 0 else means(want)).astype(float)).max() > (0 if i == 0 else 0.5):
                raise SystemExit(f"{out}/{i}: wrong values")
            want = got
    elif os.path.exists(out):
        import zarr
        data, shape = volume(folder)
        a = zarr.open_array(out, mode="r")  # tensorstore does not know numcodecs' newer Zstandard
        for box in four(data, shape):
            if not np.array_equal(a[box], data):
                raise SystemExit(f"{out}: wrong values in {box}")
    remove(folder, row, who)


def remove(folder, row, who):
    """The copy that is made again stays, for others to list."""
    if row != "copy/rerun":
        shutil.rmtree(target(folder, row, who), ignore_errors=True)


# The tables.

def show(r):
    memory = f"{r['rss'] / 2**20:.0f} MiB"
    if r["s"] < 1:
        return f"{r['s'] * 1e3:.0f} / {r['cpu'] * 1e3:.0f} ms ({memory})"
    return f"{r['s']:.2f} / {r['cpu']:.2f} s ({memory})"


def table(results):
    names = [n for n in dict.fromkeys(sum(PEERS.values(), [])) if any(n in cells for cells in results.values())]
    lines = ["| | Omnizarr | " + " | ".join(names) + " | to the best peer |", "|---" * (len(names) + 3) + "|"]
    for row, cells in results.items():
        ratio = ratios.to_best(cells["omnizarr"], ratios.others(cells))
        lines.append(f"| {row} | **{show(cells['omnizarr'])}** | " + " | ".join(show(cells[n]) if n in cells else "" for n in names) + f" | {ratio} |")
    if not os.path.exists(REENCODE):
        lines += ["", "zarrs_reencode is left out: there is no Cargo, or it was not built."]
    return "\n".join(lines)


if __name__ == "__main__":
    what, where, *rest = sys.argv[1:]
    if what == "make":
        make(where, rest)
    elif what == "measure":
        measure(where, rest[0], rest[1], int(rest[2]))
    else:
        {"check": check, "remove": remove}[what](where, *rest)
