"""Pyramids that `omnizarr copy --pyramid` makes of every kind of source, in both versions of OME-NGFF, as
ome-zarr-models, yaozarrs and ome-zarr-py see them, with levels against a model in NumPy; images that these wrote,
and images that are broken, as Omnizarr sees them.

    ngff_peer.py OMNIZARR WORK
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import ome_zarr_models
import ome_zarr_models.v04
import ome_zarr_models.v05
import tifffile
import yaozarrs
import zarr
from ome_zarr.io import parse_url
from ome_zarr.reader import Reader
from ome_zarr.writer import write_image, write_labels

omnizarr, work = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
failures, checks = [], 0


def check(ok, what):
    global checks
    checks += 1
    if not ok:
        failures.append(what)
        print("FAILED:", what)


def call(*args):
    p = subprocess.run([omnizarr, *map(str, args)], capture_output=True, text=True)
    return p.returncode, p.stdout + p.stderr


# What images are made of. Each is a name, what the command is told, the pixels as (t, c, z, y, x) without the axes
# that it lacks, the letters of those, and the size of a pixel along each.

y, x = np.mgrid[:600, :530]
plane = (y * 7 + x * 3) % 4001 + 50
rng = np.random.default_rng(1)


def stack(*shape, dtype="uint16"):
    """Planes that differ from each other."""
    out = np.zeros((*shape, *plane.shape), dtype)
    for k, i in enumerate(np.ndindex(*shape)):
        out[i] = plane + 13 * k
    return out


def sources(folder):
    folder.mkdir(parents=True)
    path = lambda name: folder / name
    um = {"PhysicalSizeX": 0.25, "PhysicalSizeXUnit": "µm", "PhysicalSizeY": 0.25, "PhysicalSizeYUnit": "µm"}

    a = stack(2, 3)
    tifffile.imwrite(path("cells.ome.tif"), a, tile=(256, 256), metadata={
        "axes": "CZYX", "Name": "cells", "Channel": {"Name": ["DAPI", "GFP"]}, "PhysicalSizeZ": 1, "PhysicalSizeZUnit": "µm", **um})
    yield "cells.ome.tif", [], a, "czyx", [1, 1, 0.25, 0.25]

    a = stack(2, 3, 2)  # t z c
    tifffile.imwrite(path("stack.tif"), a, imagej=True, resolution=(2, 2), metadata={
        "axes": "TZCYX", "spacing": 3, "unit": "um", "finterval": 4, "Ranges": (0.0, 4000.0, 100.0, 5000.0)})
    yield "stack.tif", [], a.swapaxes(1, 2), "tczyx", [4, 1, 3, 0.5, 0.5]

    a = stack(3, dtype="uint8")
    tifffile.imwrite(path("colours.tif"), np.moveaxis(a, 0, -1), photometric="rgb", rowsperstrip=7)
    yield "colours.tif", ["--method", "nearest"], a, "cyx", [1, 1, 1]

    a = stack().astype("uint16")
    with tifffile.TiffWriter(path("slide.ome.tif"), bigtiff=True) as t:
        t.write(a, subifds=2, tile=(128, 128), metadata={"axes": "YX", **um})
        t.write(a[::2, ::2], subfiletype=1, tile=(128, 128))
        t.write(a[::4, ::4], subfiletype=1, tile=(128, 128))
    yield "slide.ome.tif", [], a, "yx", [0.25, 0.25]

    keys = (1, 1, 0, 4, 1024, 0, 1, 1, 1025, 0, 1, 1, 3072, 0, 1, 32632, 3076, 0, 1, 9001)
    a = stack(dtype="float32")
    tifffile.imwrite(path("map.tif"), a, tile=(256, 256), metadata=None, extratags=[
        (33550, "d", 3, (10.0, 10.0, 0.0), True), (33922, "d", 6, (0.0, 0.0, 0.0, 5e5, 5e6, 0.0), True), (34735, "H", 20, keys, True)])
    yield "map.tif", [], a, "yx", [10, 10]

    a = rng.integers(0, 6, plane.shape).astype("uint32")
    z = zarr.create_array(path("labels.zarr"), data=a, chunks=(100, 100), dimension_names=["y", "x"])
    yield "labels.zarr", ["--labels"], a, "yx", [1, 1]

    a = stack(40)[:, :300, :280]
    zarr.create_array(path("volume.zarr"), data=a, chunks=(16, 64, 64), dimension_names=["z", "y", "x"])
    yield "volume.zarr", ["--levels", "3", "--method", "max"], a, "zyx", [1, 1, 1]

    call("copy", "--to", "n5", "--reversed", path("volume.zarr"), path("em.n5"))
    doc = json.loads(path("em.n5/attributes.json").read_text())
    doc.update(axes=["x", "y", "z"], units=["nm"] * 3, resolution=[4, 4, 40])
    path("em.n5/attributes.json").write_text(json.dumps(doc))
    yield "em.n5", ["--chunks", "8,64,64"], a, "zyx", [40, 4, 4]

    a = rng.normal(size=(2, *plane.shape)).astype("float32")
    zarr.create_array(path("floats.zarr"), data=a, chunks=(1, 128, 128), dimension_names=["channel", "lat", "lon"])
    yield "floats.zarr", ["--method", "min", "--factor", "3"], a, "cyx", [1, 1, 1]


def reduced(a, factors, method):
    """The next level."""
    shape = tuple(-(-n // f) for n, f in zip(a.shape, factors))
    if method == "nearest":
        return a[tuple(slice(None, None, f) for f in factors)]
    parts = []
    for shift in np.ndindex(*factors):
        part = np.ma.masked_all(shape, np.float64)
        have = a[tuple(slice(s, None, f) for s, f in zip(shift, factors))]
        part[tuple(slice(n) for n in have.shape)] = have
        parts.append(part)
    parts = np.ma.stack(parts)
    if method in ("max", "min"):
        return getattr(parts, method)(axis=0).filled(0).astype(a.dtype)
    if method == "mean":
        mean = parts.mean(axis=0).filled(0)
        if a.dtype.kind in "iu":
            mean = np.floor(mean + 0.5)
        return mean.astype(a.dtype)
    assert method == "mode"
    # The first of those that are there most often.
    best, most = np.zeros(shape), np.zeros(shape, int)
    seen = []
    for part in parts:
        count = 1 + sum(((other == part) & ~np.ma.getmaskarray(other)).filled(False).astype(int) for other in seen)
        count = np.where(np.ma.getmaskarray(part), 0, count)
        better = count > most
        best, most = np.where(better, part.filled(0), best), np.where(better, count, most)
        seen.append(part)
    return best.astype(a.dtype)


def accepted(group, version, what):
    """All three take it for an image."""
    for name, f in {
        "yaozarrs": lambda: yaozarrs.validate_zarr_store(str(group)),
        "ome-zarr-models": lambda: ome_zarr_models.open_ome_zarr(zarr.open_group(group, mode="r")),
    }.items():
        try:
            f()
            error = None
        except Exception as e:  # noqa: BLE001
            error = e
        check(error is None, f"{what}: {name}: {error}")
    code, said = call("validate", group)
    check(code == 0 and "warn" not in said, f"{what}: omnizarr validate: {said}")


def metadata(group):
    attrs = dict(zarr.open_group(group, mode="r").attrs)
    return attrs.get("ome", attrs)


def seen(group, pixels, axes, scale, method, what):
    """ome-zarr-py gives the levels that a model makes."""
    nodes = list(Reader(parse_url(str(group)))())
    check(len(nodes) >= 1, f"{what}: ome-zarr-py finds {nodes}")
    levels = nodes[0].data
    image = metadata(group)["multiscales"][0]
    check("".join(a["name"] for a in image["axes"]) == axes, f"{what}: axes {image['axes']}")
    first = image["datasets"][0]["coordinateTransformations"][0]["scale"]
    check(np.allclose(first, scale), f"{what}: scale {first}")
    check(len(levels) == len(image["datasets"]) and len(levels) > 1, f"{what}: {len(levels)} levels")
    before = first
    for k, (level, d) in enumerate(zip(levels, image["datasets"])):
        if k > 0:
            now = d["coordinateTransformations"][0]["scale"]
            factors = [round(n / b) for n, b in zip(now, before)]
            pixels = reduced(pixels, factors, method)
            before = now
            if method != "nearest":  # pixels are in the middle of those that they are made of
                shift = d["coordinateTransformations"][1]["translation"]
                want = [(n - f) / 2 for n, f in zip(now, first)]
                check(np.allclose(shift, want), f"{what}: level {k} is at {shift}, not at {want}")
        got = np.asarray(level)
        same = got.shape == pixels.shape and (np.allclose(got, pixels, rtol=1e-6) if got.dtype.kind == "f" else np.array_equal(got, pixels))
        check(same, f"{what}: level {k} {got.shape} differs from {pixels.shape}")


def pyramids():
    for name, told, pixels, axes, scale in sources(work / "sources"):
        method = told[told.index("--method") + 1] if "--method" in told else "mode" if "--labels" in told else "mean"
        for version in ("0.5", "0.4"):
            what = f"{name} as {version}"
            out = work / "pyramids" / version / name.replace(".", "-")
            code, said = call("copy", "--pyramid", "--ngff", version, *told, work / "sources" / name, out)
            check(code == 0, f"{what}: {said}")
            if code == 0:
                accepted(out, version, what)
                seen(out, pixels, axes, scale, method, what)
    check((work / "pyramids/0.5/cells-ome-tif/OME/METADATA.ome.xml").read_bytes()
          == tifffile.TiffFile(work / "sources/cells.ome.tif").ome_metadata.encode(), "the OME-XML is another")
    channels = metadata(work / "pyramids/0.5/cells-ome-tif")["omero"]["channels"]
    check([c["label"] for c in channels] == ["DAPI", "GFP"], f"channels {channels}")


def several():
    """Several images become a collection, as bioformats2raw makes it."""
    source = work / "sources/several.ome.tif"
    with tifffile.TiffWriter(source) as t:
        t.write(stack(2), metadata={"axes": "CYX"})
        t.write(stack(3), metadata={"axes": "ZYX"})
    for version, models in (("0.5", ome_zarr_models.v05), ("0.4", ome_zarr_models.v04)):
        out = work / "pyramids" / version / "several"
        code, said = call("copy", "--pyramid", "--ngff", version, source, out)
        check(code == 0, f"several images as {version}: {said}")
        yaozarrs.validate_zarr_store(str(out))
        group = models.BioFormats2Raw.from_zarr(zarr.open_group(out, mode="r"))
        check(group is not None, "several images")
        for n, (pixels, axes) in enumerate(((stack(2), "cyx"), (stack(3), "zyx"))):
            accepted(out / str(n), version, f"image {n} of several as {version}")
            seen(out / str(n), pixels, axes, [1, 1, 1], "mean", f"image {n} of several as {version}")


def of_others():
    """Omnizarr has nothing against what ome-zarr-py writes, and makes pyramids of it."""
    for version, zarr_format in (("0.5", 3), ("0.4", 2)):
        out = work / "others" / version
        root = zarr.open_group(out, mode="w", zarr_format=zarr_format)
        write_image(stack(2), root, axes="cyx", coordinate_transformations=None)
        write_labels((stack() % 7).astype("uint8"), root, name="cells", axes="yx")
        code, said = call("validate", out)
        check(code == 0, f"ome-zarr-py's {version}: {said}")
        for to in ("0.5", "0.4"):
            again = work / "others" / f"{version}-as-{to}"
            code, said = call("copy", "--pyramid", "--ngff", to, out, again)
            check(code == 0, f"ome-zarr-py's {version} as {to}: {said}")
            if code == 0:
                accepted(again, to, f"ome-zarr-py's {version} as {to}")
                seen(again, stack(2), "cyx", [1, 1, 1], "mean", f"ome-zarr-py's {version} as {to}")
                seen(again / "labels/cells", (stack() % 7).astype("uint8"), "yx", [1, 1], "mode", f"labels of ome-zarr-py's {version} as {to}")


def plain_copies():
    """Plain copies and migrations between versions of Zarr are of the version of OME-NGFF that belongs to each."""
    shape, other = {"0.5": 3, "0.4": 2}, {"0.5": "0.4", "0.4": "0.5"}
    for version, zarr_format in shape.items():
        for kind in ("copy", "migrate"):
            to, out = other[version], work / "plain" / f"{kind}-{version}"
            target = f"zarr{shape[to]}"
            root = zarr.open_group(work / "plain" / f"from-{kind}-{version}", mode="w", zarr_format=zarr_format)
            # migrate leaves chunks where they are, which Zarr v2 can only name if they have its keys.
            keys = {"chunk_key_encoding": {"name": "v2", "separator": "/"}} if kind == "migrate" and zarr_format == 3 else {}
            write_image(stack(2), root, axes="cyx", storage_options=keys)
            attrs = dict(root.attrs)
            attrs.get("ome", attrs)["omero"] = {"channels": [
                {"label": n, "color": "FF0000", "window": {"start": 0, "end": 10, "min": 0, "max": 20}} for n in "ab"]}
            root.attrs.update(attrs)
            write_labels((stack() % 7).astype("uint8"), root, name="cells", axes="yx", storage_options=keys)
            source = Path(str(root.store.root))
            if kind == "copy":
                code, said = call("copy", "--to", target, source, out)
            else:
                shutil.copytree(source, out)
                code, said = call("migrate", "--to", target, out)
            what = f"{kind} of {version} to {target}"
            check(code == 0 and f"OME-NGFF {version} became {to}" in said, f"{what}: {said}")
            if code:
                continue
            accepted(out, to, what)
            accepted(out / "labels/cells", to, f"labels of {what}")
            group = ome_zarr_models.open_ome_zarr(zarr.open_group(out, mode="r"))
            check(group.ome_zarr_version == to, f"{what}: ome-zarr-models takes it for {group.ome_zarr_version}")
            check(metadata(out)["omero"]["channels"][1]["label"] == "b", f"{what}: channels")
            check(metadata(out / "labels")["labels"] == ["cells"], f"{what}: labels")
            nodes = list(Reader(parse_url(str(out), mode="r"))())
            check(nodes and np.array_equal(np.asarray(nodes[0].data[0]), stack(2)), f"{what}: ome-zarr-py")
            code, said = call("diff", source, out)
            check(code == 0, f"{what}: diff: {said}")


# Mistakes in an image, as changes of the metadata or of the folder. What the peers refuse, Omnizarr refuses.

def level(m, k=1):
    return m["multiscales"][0]["datasets"][k]


def transform(m, k=1, i=0):
    return level(m, k)["coordinateTransformations"][i]


mistakes = {
    "axes out of order": lambda m: m["multiscales"][0]["axes"].reverse(),
    "an axis twice": lambda m: m["multiscales"][0]["axes"][3].update(name="y"),
    "an axis without a name": lambda m: m["multiscales"][0]["axes"][2].pop("name"),
    "an axis too few": lambda m: m["multiscales"][0]["axes"].pop(0),
    "no axes": lambda m: m["multiscales"][0].pop("axes"),
    "all axes time": lambda m: [a.update(type="time") for a in m["multiscales"][0]["axes"]],
    "a name that is a number": lambda m: m["multiscales"][0]["axes"][0].update(name=5),
    "a short scale": lambda m: transform(m)["scale"].pop(),
    "a long scale": lambda m: transform(m)["scale"].append(1),
    "a scale of text": lambda m: transform(m)["scale"].__setitem__(0, "one"),
    "no scale": lambda m: level(m)["coordinateTransformations"].pop(0),
    "two scales": lambda m: level(m)["coordinateTransformations"].append(transform(m)),
    "no transformations": lambda m: level(m).pop("coordinateTransformations"),
    "empty transformations": lambda m: level(m).update(coordinateTransformations=[]),
    "a translation first": lambda m: level(m)["coordinateTransformations"].reverse(),
    "a short translation": lambda m: transform(m, 1, 1)["translation"].pop(),
    "an unknown transformation": lambda m: transform(m).update(type="rotation"),
    "a path that is missing": lambda m: level(m).pop("path"),
    "a path that leads nowhere": lambda m: level(m).update(path="nowhere"),
    "a path that is a number": lambda m: level(m).update(path=1),
    "no levels": lambda m: m["multiscales"][0].update(datasets=[]),
    "levels missing": lambda m: m["multiscales"][0].pop("datasets"),
    "no images": lambda m: m.update(multiscales=[]),
    "images that are no list": lambda m: m.update(multiscales=m["multiscales"][0]),
    "coarse before fine": lambda m: m["multiscales"][0]["datasets"].reverse(),
    "a colour that is none": lambda m: m["omero"]["channels"][0].update(color="red"),
    "a window without its end": lambda m: m["omero"]["channels"][0]["window"].pop("end"),
    "a window of text": lambda m: m["omero"]["channels"][0]["window"].update(start="dark"),
    "channels missing": lambda m: m["omero"].pop("channels"),
    "a common scale that is short": lambda m: m["multiscales"][0].update(coordinateTransformations=[{"type": "scale", "scale": [2]}]),
}


def refused():
    for version, document in (("0.5", "zarr.json"), ("0.4", ".zattrs")):
        good = work / "pyramids" / version / "cells-ome-tif"
        for name, mistake in mistakes.items():
            out = work / "broken" / version / name.replace(" ", "-")
            shutil.copytree(good, out)
            doc = json.loads((out / document).read_text())
            m = doc["attributes"]["ome"] if version == "0.5" else doc
            mistake(m)
            (out / document).write_text(json.dumps(doc))
            (out / ".zmetadata").unlink(missing_ok=True)
            by = {}
            for peer, f in {
                "yaozarrs": lambda: yaozarrs.validate_zarr_store(str(out)),
                "ome-zarr-models": lambda: ome_zarr_models.open_ome_zarr(zarr.open_group(out, mode="r", use_consolidated=False)),
            }.items():
                try:
                    f()
                except Exception:  # noqa: BLE001
                    by[peer] = True
            code, said = call("validate", out)
            check(code == 1, f"{version}: {name}: omnizarr finds nothing; {', '.join(by) or 'no peer'} refuses it")
            check("ome-ngff" in said or "ome" in said, f"{version}: {name}: {said}")
            print(f"  {version} {name}: refused by omnizarr{''.join(', ' + p for p in by)}")


shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)
for step, title in ((pyramids, "Omnizarr makes pyramids of every kind of source, everybody reads them"),
                    (several, "Omnizarr makes a collection of several images"),
                    (of_others, "ome-zarr-py writes images, Omnizarr reads them"),
                    (plain_copies, "plain copies of images between versions of Zarr"),
                    (refused, "images with one thing wrong each")):
    print(title)
    step()
print(f"{checks} checks, {len(failures)} failed")
sys.exit(bool(failures))
