"""Compares what pynwb's validator and Omnizarr's find in broken files.

    hdmf_findings.py PYNWB OMNIZARR RESULTS RESULTS    folders with a NAME.json for each file; results of either

pynwb's results have what neither its validator finds nor its reader; Omnizarr's have what the validator finds and it
does not. A link that leads to another type is one that is missing to pynwb, and such a link to Omnizarr.
"""
import json
import os
import sys


def load(folder, name):
    with open(f"{folder}/{name}", encoding="utf-8") as f:
        return json.load(f)


def linked(finding, have):
    return finding["rule"] == "MissingDataType" and any(
        rule == "IncorrectDataType" and os.path.dirname(path) == finding["path"] for rule, path in have)


pynwb, omnizarr, of_pynwb, of_omnizarr = sys.argv[1:]
with open(of_pynwb, "a", encoding="utf-8") as theirs, open(of_omnizarr, "a", encoding="utf-8") as ours:
    for name in sorted(os.listdir(pynwb)):
        found = load(pynwb, name)
        problems = load(omnizarr, name)["problems"]
        have = {(p["rule"], p["path"]) for p in problems}
        case, good = name.removesuffix(".json"), name.startswith("good")
        missed = [f for f in found.get("findings", []) if (f["rule"], f["path"]) not in have and not linked(f, have)]
        mine, other = "", found.get("error", "")
        if bool(problems) == good or missed:
            mine = f"found {sorted(have)}, not {[(f['rule'], f['path'], f['text']) for f in missed]}"
        if not other and bool(found["findings"] or found["reading"]) == good:
            other = "finds nothing" if not good else f"finds {found}"
        ours.write(json.dumps({"case": case, "error": mine}) + "\n")
        theirs.write(json.dumps({"case": case, "error": other}) + "\n")
