"""Writes golden.json: which positions xarray selects by value."""
import json, pathlib
import numpy as np, xarray as xr

rng = np.random.default_rng(1)
cases = []

def case(name, dtype, stored, attrs, single, spans):
    stored = np.asarray(stored, dtype)
    ds = xr.Dataset({"v": ("x", np.arange(len(stored)))}, coords={"x": ("x", stored, attrs)})
    v = xr.decode_cf(ds, decode_times=xr.coders.CFDatetimeCoder())["v"]
    queries = []
    for text, value in single:
        queries.append({"text": text, "exact": False, "want": int(v.sel(x=value, method="nearest"))})
    for text, value in spans:
        queries.append({"text": text, "want": v.sel(x=value).values.tolist()})
    cases.append({"name": name, "data_type": np.dtype(dtype).name, "stored": stored.tolist(), "attributes": attrs, "queries": queries})

def numbers(values, low, high, n=25):
    return [(repr(round(float(q), 3)), round(float(q), 3)) for q in rng.uniform(low, high, n)]

lat = 90 - 2.5 * np.arange(73)
case("latitudes downwards", "f8", lat, {"units": "degrees_north"}, numbers(lat, -90, 90),
     [("60:40", slice(60, 40)), ("40.1:60.1", slice(60.1, 40.1)), (":0", slice(0, None)), ("87.6:", slice(None, 87.6)), ("10:-10:3", slice(10, -10, 3))])
lon = np.sort(rng.uniform(0, 360, 300))
case("longitudes not evenly spaced", "f8", lon, {}, numbers(lon, float(lon[0]), float(lon[-1])),
     [("10:20", slice(10, 20)), ("100.5:", slice(100.5, None)), (":7", slice(None, 7)), ("::50", slice(None, None, 50))])
case("levels", "i4", [1000, 850, 700, 500, 250, 100], {"units": "hPa"}, [("700", 700), ("520", 520), ("260", 260)], [("850:250", slice(850, 250))])
packed = np.arange(-100, 100, 7)
case("packed", "i2", packed, {"scale_factor": 0.1, "add_offset": 5.0}, [("5.05", 5.05), ("-4", -4), ("14.2", 14.2)], [("0:10", slice(0, 10))])
hours = np.arange(0, 24 * 90, 6)
for calendar, first in [("standard", "2025-05-15"), ("noleap", "2024-01-15"), ("360_day", "2025-01-30")]:
    if calendar == "standard":
        asks = ["2025-06-30", "2025-06-30T05:00", "2025-05-20T10:29:59", "2025-07-01T18:00"]
        spans = [("2025-06", "2025-06"), ("2025-06-30:2025-07-02", slice("2025-06-30", "2025-07-02")),
                 ("2025-06-30T06:00:2025-07-01", slice("2025-06-30T06:00", "2025-07-01")),
                 ("2025-08-01T07:", slice("2025-08-01T07", None)), (":2025-05-15", slice(None, "2025-05-15")), ("2025-06:2025-07:20", slice("2025-06", "2025-07", 20))]
    elif calendar == "noleap":
        asks, spans = [], [("2024-02", "2024-02"), ("2024-02-28:2024-03-01", slice("2024-02-28", "2024-03-01"))]
    else:
        asks, spans = [], [("2025-02", "2025-02"), ("2025-02-30:2025-03-01", slice("2025-02-30", "2025-03-01"))]
    case("hours in " + calendar, "i8", hours, {"units": "hours since " + first, "calendar": calendar}, [(a, a) for a in asks], spans)
case("days as floats", "f8", np.arange(400) + 0.5, {"units": "days since 2000-01-01"}, [("2000-06-01T01:00", "2000-06-01T01:00"), ("2000-06-01T13:00", "2000-06-01T13:00")], [("2000", "2000"), ("2000-12", "2000-12")])
pathlib.Path(__file__).with_name("golden.json").write_text(json.dumps(cases, separators=(",", ":")) + "\n")
