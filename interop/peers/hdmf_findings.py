"""Compares what pynwb's validator and Omnizarr's find in broken files.

    hdmf_findings.py PYNWB OMNIZARR RESULTS RESULTS    folders with a NAME.json for each file; results of either

pynwb's results have what it does not find; Omnizarr's have what pynwb finds and it does not.
"""
import json
import os
import sys


def load(folder, name):
    with open(f"{folder}/{name}", encoding="utf-8") as f:
        return json.load(f)


pynwb, omnizarr, of_pynwb, of_omnizarr = sys.argv[1:]
with open(of_pynwb, "a", encoding="utf-8") as theirs, open(of_omnizarr, "a", encoding="utf-8") as ours:
    for name in sorted(os.listdir(pynwb)):
        found = load(pynwb, name)
        problems = load(omnizarr, name)["problems"]
        have = {(p["rule"], p["path"]) for p in problems}
        case, good = name.removesuffix(".json"), name == "good.json"
        missed = [f for f in found.get("findings", []) if (f["rule"], f["path"]) not in have]
        mine, other = "", found.get("error", "")
        if bool(problems) == good or missed:
            mine = f"found {sorted(have)}, not {[(f['rule'], f['path'], f['text']) for f in missed]}"
        if not other and bool(found["findings"]) == good:
            other = "finds nothing"
        ours.write(json.dumps({"case": case, "error": mine}) + "\n")
        theirs.write(json.dumps({"case": case, "error": other}) + "\n")
