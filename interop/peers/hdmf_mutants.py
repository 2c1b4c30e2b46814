"""Sessions with one thing wrong each, made of a good one that is not consolidated.

    hdmf_mutants.py GOOD DIR    copies the file GOOD and breaks the copies DIR/NAME.nwb.zarr; by a Python of its layout
"""
import json
import os
import shutil
import sys
import warnings

import numpy as np
import zarr

warnings.simplefilter("ignore")
V3 = zarr.__version__.startswith("3")
TRACE, RECORDING, UNITS = "acquisition/trace", "acquisition/recording", "units"


class File:
    """A file whose documents are changed, and whose arrays are replaced."""

    def __init__(self, path):
        self.path = path

    def attributes(self, node, change):
        """Calls change with the attributes of a node."""
        path = f"{self.path}/{node}/{'zarr.json' if V3 else '.zattrs'}"
        with open(path, encoding="utf-8") as f:
            document = json.load(f)
        change(document["attributes"] if V3 else document)
        with open(path + ".new", "w", encoding="utf-8") as f:
            json.dump(document, f)
        os.replace(path + ".new", path)

    def set(self, node, name, value):
        self.attributes(node, lambda a: a.__setitem__(name, value))

    def drop(self, node, name):
        self.attributes(node, lambda a: a.pop(name))

    def remove(self, node):
        shutil.rmtree(f"{self.path}/{node}")

    def link(self, group, name, to):
        """Lets a link point elsewhere, or drops it."""
        def change(attributes):
            links = attributes["_LINKS" if V3 else "zarr_link"]
            for link in links:
                if link["name"] == name:
                    link["path"] = to
            links[:] = [link for link in links if link["path"]]
        self.attributes(group, change)

    def refer(self, node, name, to):
        def change(attributes):
            attributes[name]["_REFERENCE" if V3 else "value"]["path"] = to
        self.attributes(node, change)

    def replace(self, node, values):
        """Gives a dataset other values, of another type and shape; a single value is no array."""
        root = zarr.open_group(self.path, mode="r+", **({"use_consolidated": False} if V3 else {}))
        attributes = dict(root[node].attrs)
        values = np.asarray(values)
        kind = str if values.dtype.kind == "U" else values.dtype
        name = "str" if kind is str else values.dtype.name
        attributes["_DTYPE" if V3 else "zarr_dtype"] = name if V3 or values.shape else "scalar"
        del root[node]
        if V3:
            a = root.create_array(node, shape=values.shape, dtype=kind)
        else:
            values = values.reshape(values.shape or (1,))
            a = root.create_dataset(node, shape=values.shape, dtype=kind)
        a[...] = values.astype(object) if kind is str else values
        a.attrs.update(attributes)

    def values(self, node):
        return zarr.open_group(self.path, mode="r", **({"use_consolidated": False} if V3 else {}))[node][...]

    def alter(self, node, change):
        """Gives a dataset what becomes of its values."""
        self.replace(node, change(self.values(node)))

    def element(self, node, i, to):
        """Lets an element of a dataset of references point elsewhere."""
        a = zarr.open_group(self.path, mode="r+", **({"use_consolidated": False} if V3 else {}))[node]
        values = a[...]
        if V3:
            values[i] = to
        else:
            values[i]["path"] = to
        a[...] = values


def with_last(values, last):
    return np.append(values[:-1], np.asarray([last], dtype=values.dtype))


MUTANTS = {
    "good": lambda f: None,
    "good-doc": lambda f: (f.set(TRACE, "doc", "what it is"), f.set(f"{TRACE}/data", "doc", "what it is")),
    "attribute-missing": lambda f: f.drop(f"{TRACE}/data", "unit"),
    "attribute-missing-of-table": lambda f: f.drop(UNITS, "colnames"),
    "attribute-missing-of-root": lambda f: f.drop("", "nwb_version"),
    "attribute-type": lambda f: f.set(f"{TRACE}/data", "conversion", "one"),
    "attribute-no-list": lambda f: f.set(UNITS, "colnames", "quality"),
    "attribute-extra": lambda f: f.set(TRACE, "surprise", 1),
    "dataset-missing": lambda f: f.remove("session_description"),
    "dataset-missing-of-type": lambda f: f.remove(f"{RECORDING}/electrodes"),
    "dataset-type": lambda f: f.replace(f"{TRACE}/timestamps", np.arange(40, dtype=np.int32)),
    "dataset-type-text": lambda f: f.replace("identifier", np.int64(7)),
    "dataset-shape": lambda f: f.replace(f"{TRACE}/timestamps", np.zeros((40, 2))),
    "dataset-no-list": lambda f: f.replace(f"{TRACE}/timestamps", np.float64(1)),
    "column-type": lambda f: f.replace("intervals/trials/start_time", np.array(["a", "b", "c", "d"])),
    "table-column-cut": lambda f: f.alter("intervals/trials/start_time", lambda v: v[:-1]),
    "table-column-longer": lambda f: f.alter("intervals/trials/stop_time", lambda v: np.append(v, 9.0)),
    "table-ids-cut": lambda f: f.alter(f"{UNITS}/id", lambda v: v[:-1]),
    "table-index-cut": lambda f: f.alter(f"{UNITS}/spike_times_index", lambda v: v[:-1]),
    "table-index-beyond": lambda f: f.alter(f"{UNITS}/spike_times_index", lambda v: with_last(v, v[-1] + 5)),
    "table-index-before": lambda f: f.alter(f"{UNITS}/spike_times_index", lambda v: with_last(v, v[-1] - 1)),
    "table-index-descending": lambda f: f.alter(f"{UNITS}/spike_times_index", lambda v: v[::-1]),
    "table-values-cut": lambda f: f.alter(f"{UNITS}/spike_times", lambda v: v[:-1]),
    "table-column-missing": lambda f: f.attributes(UNITS, lambda a: a["colnames"].append("surprise")),
    "table-column-unnamed": lambda f: f.attributes(UNITS, lambda a: a["colnames"].remove("quality")),
    "table-row-beyond": lambda f: f.alter(f"{RECORDING}/electrodes", lambda v: with_last(v, 99)),
    "series-times-cut": lambda f: f.alter(f"{TRACE}/timestamps", lambda v: v[:-1]),
    "group-missing": lambda f: f.remove("stimulus"),
    "link-missing": lambda f: f.link("general/extracellular_ephys/shank0", "device", ""),
    "link-dangling": lambda f: f.link("acquisition/same-times", "timestamps", "/acquisition/nothing/timestamps"),
    "link-to-other-type": lambda f: f.link("general/extracellular_ephys/shank0", "device", "/general/subject"),
    "reference-dangling": lambda f: f.refer(f"{RECORDING}/electrodes", "table", "/general/nothing"),
    "reference-to-other-type": lambda f: f.refer(f"{RECORDING}/electrodes", "table", "/acquisition/trace"),
    "reference-element-dangling": lambda f: f.element("units/electrode_group", 1, "/general/nothing"),
    "reference-element-to-other-type": lambda f: f.element("units/electrode_group", 1, "/acquisition/trace"),
    "type-unknown": lambda f: f.set(TRACE, "neurodata_type", "SurprisingSeries"),
    "type-other": lambda f: f.set(UNITS, "neurodata_type", "TimeIntervals"),
    "schema-missing": lambda f: f.remove("specifications/core"),
    "schema-location-missing": lambda f: f.drop("", ".specloc"),
}

good, folder = sys.argv[1:]
for name, change in MUTANTS.items():
    path = f"{folder}/{name}.nwb.zarr"
    shutil.copytree(good, path, copy_function=os.link)  # whatever is changed is replaced
    change(File(path))
