"""Writes golden.json: what xarray and cftime make of stored numbers."""
import json, math, pathlib
import numpy as np, cftime, xarray as xr

times = []
units = ["days since 2000-01-01", "hours since 1900-01-01 00:00:00", "seconds since 1970-01-01T00:00:00Z",
         "minutes since 1850-6-1 12:30:15", "days since 0001-01-01 00:00:00", "milliseconds since 2001-02-28 23:59:59.5",
         "days since 1582-10-01", "hours since 2004-02-28 18:00:00 +01:00", "microseconds since 1999-12-30"]
calendars = ["standard", "gregorian", "proleptic_gregorian", "noleap", "365_day", "all_leap", "366_day", "360_day", "julian"]
numbers = [0, 1, -1, 59, 60, 366, 1000, -5000, 36524, 146097, 999999, 12345678, 0.5, 0.25, 31.125, -0.125, 1461.75]
for u in units:
    for c in calendars:
        expected = []
        for n in numbers:
            d = cftime.num2date(n, u, calendar=c, only_use_cftime_datetimes=True)
            text = "%04d-%02d-%02dT%02d:%02d:%02d" % (d.year, d.month, d.day, d.hour, d.minute, d.second)
            if d.microsecond:
                text += (".%06d" % d.microsecond).rstrip("0")
            # Other models have a year 0, or none: nobody has data there.
            # cftime knows microseconds, and no less.
            known = d.year > 0 and (n == int(n) or not u.startswith("micro"))
            expected.append(text if known else None)
        times.append({"units": u, "calendar": c, "numbers": numbers, "times": expected})

packed = []
def pack(dtype, stored, attrs):
    v = xr.Variable(("x",), np.array(stored, dtype), attrs)
    d = xr.conventions.decode_cf_variable("v", v, decode_times=False).values
    out = [None if isinstance(x, float) and math.isnan(x) else x for x in d.astype("f8").tolist()]
    given = {k: (float(a) if isinstance(a, np.floating) else int(a) if isinstance(a, np.integer) else a) for k, a in attrs.items()}
    packed.append({"data_type": np.dtype(dtype).name, "stored": stored, "attributes": given, "decoded": out})
pack("i2", [0, 1, -32767, 1234, 32767], {"scale_factor": 0.01, "add_offset": 273.15, "_FillValue": np.int16(-32767)})
pack("u1", [0, 1, 254, 255], {"scale_factor": 0.5, "_FillValue": np.uint8(255)})
pack("i1", [0, 1, -2, -1, 127, -128], {"scale_factor": 0.5, "_FillValue": np.int8(-1), "_Unsigned": "true"})
pack("i1", [0, 1, -2, -1], {"_Unsigned": "true", "_FillValue": np.int8(-1)})
pack("u1", [0, 1, 254, 255], {"_Unsigned": "false", "_FillValue": np.uint8(255)})
pack("i4", [5, -999, 7, -9999], {"_FillValue": np.int32(-999), "missing_value": np.int32(-999)})
pack("f4", [1.5, -999, 7.25], {"missing_value": np.float32(-999)})
pack("f8", [1.5, 1e20, 7.25], {"_FillValue": 1e20, "add_offset": 1.0})
pack("i8", [2**53 - 1, 2**53, 3], {"_FillValue": np.int64(2**53 - 1), "scale_factor": 2.0})
pack("u2", [0, 65535, 9], {"add_offset": -100.0})
pack("i2", [1, 2, 3], {"scale_factor": 0.1})

durations = []
for unit in ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns"]:
    ns = [0, 1, -1, 25, 13, 86461, -100, 2500]
    days = [str(np.datetime64(n, unit)) for n in ns]
    durations.append({"unit": unit, "numbers": ns, "dates": days})
pathlib.Path(__file__).with_name("golden.json").write_text(json.dumps({"times": times, "packed": packed, "datetime64": durations}, indent=None, separators=(",", ":")) + "\n")
