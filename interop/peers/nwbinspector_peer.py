"""nwbinspector on files that pynwb reads, in either layout.

    nwbinspector_peer.py WORK FOLDERS...   look at the files of folders below WORK, into WORK/results

What it calls critical is an error, and so is a check that fails, unless it is one of those that fail on every file in Zarr v3.
"""
import json
import os
import sys
import warnings

from hdmf_zarr.nwb import NWBZarrIO
from hdmf_zarr.nwb_zarrv2 import NWBZarrV2IO
from nwbinspector import Importance, inspect_nwbfile_object

warnings.simplefilter("ignore")
END = ".nwb.zarr"
THEIRS = "`compressor` is not available for Zarr format 3 arrays"


def critical(path):
    io = NWBZarrV2IO if os.path.exists(f"{path}/.zgroup") else NWBZarrIO
    with io(path, mode="r") as io:
        for m in inspect_nwbfile_object(io.read()):
            if m.importance in (Importance.CRITICAL, Importance.PYNWB_VALIDATION, Importance.ERROR) and THEIRS not in m.message:
                yield f"{m.check_function_name} at {m.location}: {m.message}"


work, *folders = sys.argv[1:]
for folder in folders:
    with open(f"{work}/results/nwbinspector.{folder}.jsonl", "a", encoding="utf-8") as f:
        for file in sorted(os.listdir(f"{work}/{folder}")):
            if not file.endswith(END):
                continue
            try:
                error = "; ".join(critical(f"{work}/{folder}/{file}"))
            except Exception as e:
                error = f"{type(e).__name__}: {e}"
            f.write(json.dumps({"case": file.removesuffix(END), "error": error}) + "\n")
