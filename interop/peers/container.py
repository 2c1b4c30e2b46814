"""A TIFF file around one tile, with what the configuration of the codec tiff-tile says about it."""
import base64
import struct


def wrap(case, tile):
    """The bytes of a file whose only tile is this one."""
    c = case["configuration"]
    order = ">" if c.get("byte_order") == "big" else "<"
    samples, photometric = c["samples_per_pixel"], c["photometric"]
    bits = c.get("packed_bits", c["bits_per_sample"])
    fields = {
        256: ("I", [c["tile_width"]]), 257: ("I", [c["tile_height"]]), 258: ("H", [bits] * samples), 259: ("H", [c["compression"]]),
        262: ("H", [photometric]), 277: ("H", [samples]), 284: ("H", [c["planar_config"]]),
        322: ("I", [c["tile_width"]]), 323: ("I", [c["tile_height"]]), 325: ("I", [len(tile)]), 339: ("H", [c["sample_format"]] * samples),
    }
    if c["predictor"] != 1:
        fields[317] = ("H", [c["predictor"]])
    colours = {2: 3, 5: 4, 6: 3}.get(photometric, 1)
    if samples > colours:
        fields[338] = ("H", [0] * (samples - colours))
    if c["jpeg_tables"]:
        fields[347] = ("B", list(base64.b64decode(c["jpeg_tables"])))
    if photometric == 6:
        fields[530] = ("H", case["subsampling"])
    return build(order, fields, tile)


def build(order, fields, tile):
    """Header, tile, values, directory; 324 is the place of the tile."""
    fields[324] = ("I", [8])
    behind = bytearray(tile + b"\0" * (len(tile) % 2))
    directory = struct.pack(order + "H", len(fields))
    for tag, (kind, values) in sorted(fields.items()):
        raw = struct.pack(f"{order}{len(values)}{kind}", *values)
        if len(raw) > 4:
            at = 8 + len(behind)
            behind += raw + b"\0" * (len(raw) % 2)
            raw = struct.pack(order + "I", at)
        directory += struct.pack(order + "HHI", tag, {"B": 7, "H": 3, "I": 4}[kind], len(values)) + raw.ljust(4, b"\0")
    header = (b"II" if order == "<" else b"MM") + struct.pack(order + "HI", 42, 8 + len(behind))
    return header + bytes(behind) + directory + struct.pack(order + "I", 0)
