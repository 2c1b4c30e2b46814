"""Compares what two readers see in the files of a folder, node by node.

    hdmf_compare.py EXPECTED GOT RESULTS    folders with a NAME.json for each file
"""
import json
import os
import sys

import hdmf_nodes


def load(folder, name):
    with open(f"{folder}/{name}", encoding="utf-8") as f:
        document = json.load(f)
    return hdmf_nodes.dumped(document) if "nodes" in document else document


def difference(want, got):
    """In which members two nodes differ."""
    if want is None or got is None:
        return "there is no such node" if got is None else "the other reader has no such node"
    for member in dict.fromkeys([*want, *got]):
        if want.get(member) != got.get(member):
            if member == "attributes":
                return "; ".join(f"attribute {k}: {got[member].get(k)!r}, not {v!r}" for k, v in
                                 {**dict.fromkeys(got[member]), **want[member]}.items() if got[member].get(k) != v)
            return f"{member}: {got.get(member)!r}, not {want.get(member)!r}"
    return ""


def whole(node):
    """What is wrong with a node that only one reader has read: what could not be, and references that lead nowhere."""
    text = json.dumps(node)
    return node.get("error", "") or ("a reference leads nowhere" if "$dangling" in text else "")


expected, got, results = sys.argv[1:]
with open(results, "a", encoding="utf-8") as out:
    for name in sorted(os.listdir(got)):
        mine = load(got, name)
        if os.path.exists(f"{expected}/{name}"):
            theirs = load(expected, name)
            found = {path: difference(theirs.get(path), mine.get(path)) for path in sorted({*theirs, *mine})}
        else:
            found = {path: whole(node) for path, node in mine.items()}
        for path, error in found.items():
            out.write(json.dumps({"case": name.removesuffix(".json") + path, "error": error}) + "\n")
