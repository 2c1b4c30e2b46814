"""GDAL's own validator of COGs, from the system's python3-gdal: gdal_validator.py [read DIR RESULTS]; fails if there is none."""
import json
import os
import sys

from osgeo import gdal
from osgeo_utils.samples.validate_cloud_optimized_geotiff import validate


def problem(path):
    warnings, errors, _ = validate(path, full_check=True)
    return "; ".join(errors + warnings)


if len(sys.argv) == 1:
    sys.exit()
gdal.UseExceptions()
folder, results = sys.argv[2:]
with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as f:
    cases = [case for case in json.load(f)["cases"] if case["cog"]]
with open(results, "w", encoding="utf-8") as out:
    for case in cases:
        try:
            error = problem(os.path.join(folder, case["path"]))
        except Exception as e:
            error = f"{type(e).__name__}: {e}"
        out.write(json.dumps({"case": case["name"], "error": error}) + "\n")
