"""Files as hdmf-zarr's own reader sees them, and as omnizarr dump does, in one form that does not depend on the layout.

A node is {"kind", "attributes", "target", "shape", "dtype", "sha256", "references", "fields"}, as far as it has them. Text and
bytes count as the same, since the layouts differ in what they use for dates.
"""
import hashlib
import math
import os

import numpy as np

TEXT = ("string", "bytes")


def target(builder, holder):
    """Where a builder is, as the file that is read names it."""
    file = os.path.relpath(builder.source, holder)
    return {"file": file, "path": os.path.join("/", builder.location or "/", builder.name if builder.name != "root" else "")}


def plain(v, holder):
    """The value of an attribute in JSON."""
    if hasattr(v, "location"):
        return {"$ref": target(v, holder)}
    if isinstance(v, bytes):
        return v.decode()
    if isinstance(v, (np.ndarray, np.generic)):
        v = v.tolist()
    if isinstance(v, (list, tuple)):
        return [plain(e, holder) for e in v]
    if isinstance(v, float) and not math.isfinite(v):
        return {"$float": "NaN" if math.isnan(v) else "Infinity" if v > 0 else "-Infinity"}
    return v


def elements(values, holder):
    """The type and the digest of elements, or what they refer to."""
    flat = values.reshape(-1)
    if flat.dtype.kind in "OTSU":
        if len(flat) and hasattr(flat[0], "location"):
            return {"dtype": "reference", "references": [target(v, holder) for v in flat]}
        h = hashlib.sha256()
        for v in flat:
            b = v if isinstance(v, bytes) else str(v).encode()
            h.update(len(b).to_bytes(4, "little") + b)
        return {"dtype": "text", "sha256": h.hexdigest()}
    flat = np.ascontiguousarray(flat.astype(flat.dtype.newbyteorder("<")))
    return {"dtype": flat.dtype.name, "sha256": hashlib.sha256(flat.tobytes()).hexdigest()}


def dataset(d, holder):
    data = d.data
    if isinstance(d.dtype, list) and not getattr(getattr(data, "dtype", None), "names", None):  # rows, whose references it follows
        rows = [data[i] for i in range(len(data))]
        fields = {}
        for k, f in enumerate(d.dtype):
            values = np.empty(len(rows), object)
            for i, row in enumerate(rows):
                values[i] = row[k]
            fields[f["name"]] = elements(values if f["dtype"] in ("object", "str", "str_") else values.astype(f["dtype"]), holder)
        return {"shape": [len(rows)], "dtype": "compound", "fields": fields}
    if type(data).__name__ == "BuilderZarrReferenceDataset":
        values = np.empty(len(data), object)
        for i in range(len(data)):
            values[i] = data[i]
        return {"shape": [len(data)], **(elements(values, holder) if len(values) else {"dtype": "reference", "references": []})}
    values = np.asarray(data[...] if hasattr(data, "shape") else data)
    if values.dtype.names:
        fields = {name: elements(values[name], holder) for name in values.dtype.names}
        return {"shape": list(values.shape), "dtype": "compound", "fields": fields}
    if d.dtype == "scalar":  # which lies in an array of one element
        values = values.reshape(())
    return {"shape": list(values.shape), **elements(values, holder)}


def read(root, holder):
    """All nodes below a builder of hdmf's by path."""
    out = {}

    def visit(at, g):
        out[at or "/"] = {"kind": "group", "attributes": attributes(g)}
        for name, link in g.links.items():
            out[f"{at}/{name}"] = {"kind": "link", "target": target(link.builder, holder)}
        for name, d in g.datasets.items():
            out[f"{at}/{name}"] = {"kind": "dataset", "attributes": attributes(d), **dataset(d, holder)}
        for name, sub in g.groups.items():
            visit(f"{at}/{name}", sub)

    def attributes(b):
        return {k: plain(v, holder) for k, v in b.attributes.items()}

    visit("", root)
    return out


def dumped(document):
    """The nodes of omnizarr dump --json in the same form."""
    return {path: node_of(doc) for path, doc in document["nodes"].items()}


def node_of(doc):
    node = {"kind": doc["kind"]}
    if "attributes" in doc:
        node["attributes"] = doc["attributes"]
    if "target" in doc:
        node["target"] = doc["target"]
    if "error" in doc:
        node["error"] = doc["error"]
    if "shape" in doc:
        node["shape"] = doc["shape"]
        node.update(column(doc))
    return node


def column(doc):
    if "fields" in doc:
        return {"dtype": "compound", "fields": {f["name"]: column(f) for f in doc["fields"]}}
    if doc.get("dtype") in ("reference", "region"):
        return {"dtype": doc["dtype"], "references": [v.get("$ref", v) for v in doc["values"]]}
    if "sha256" not in doc and "values" in doc:  # of fields that are stored as objects
        return elements(np.array(doc["values"], object if doc["dtype"] == "str_" else doc["dtype"]), "")
    return {"dtype": "text" if doc.get("dtype") in TEXT else doc.get("dtype"), "sha256": doc.get("sha256")}
