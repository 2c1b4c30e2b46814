"""zarr-python reads containers of N5 that were adopted, by their zarr.json alone, with the codecs that it lacks written below.

    n5_adopted.py read DIR RESULTS
"""
import dataclasses
import struct
import sys
import warnings

import numpy as np
import zarr
from zarr.abc.codec import ArrayBytesCodec, BytesBytesCodec
from zarr.registry import get_codec_class, register_codec

import common
import n5_arrays

warnings.simplefilter("ignore")


@dataclasses.dataclass(frozen=True)
class N5Default(ArrayBytesCodec):
    """The registered codec n5_default: a header, then elements with the first axis fastest, big-endian, perhaps compressed."""

    configuration: dict
    is_fixed_size = False

    @classmethod
    def from_dict(cls, data):
        transpose, serializer, *_ = data["configuration"]["codecs"]
        order = transpose["configuration"]["order"]
        if transpose["name"] != "transpose" or list(order) != list(range(len(order)))[::-1] or serializer["name"] != "bytes":
            raise ValueError(f"codecs of n5_default: {data}")
        return cls(data["configuration"])

    def to_dict(self):
        return {"name": "n5_default", "configuration": self.configuration}

    async def _decode_single(self, chunk_bytes, chunk_spec):
        data = chunk_bytes.to_bytes()
        mode, rank = struct.unpack(">HH", data[:4])
        shape = struct.unpack(f">{rank}I", data[4:4 + 4 * rank])
        if mode != 0 or rank != len(chunk_spec.shape):
            raise ValueError(f"mode {mode}, {rank} dimensions")
        payload = chunk_spec.prototype.buffer.from_bytes(data[4 + 4 * rank:])
        _, serializer, *compressors = self.configuration["codecs"]
        for c in reversed(compressors):
            payload = await get_codec_class(c["name"]).from_dict(c)._decode_single(payload, chunk_spec)
        dtype = chunk_spec.dtype.to_native_dtype()
        big = serializer.get("configuration", {}).get("endian") == "big" or dtype.itemsize == 1
        stored = np.frombuffer(payload.to_bytes(), dtype.newbyteorder(">" if big else "<")).reshape(shape[::-1]).T
        out = np.full(chunk_spec.shape, chunk_spec.fill_value, dtype)
        out[tuple(map(slice, shape))] = stored
        return chunk_spec.prototype.nd_buffer.from_numpy_array(out)

    def compute_encoded_size(self, input_byte_length, chunk_spec):
        raise NotImplementedError


class Skip(BytesBytesCodec):
    """Drops as many bytes as the codecs pad and offset say."""

    is_fixed_size = True

    def __init__(self, data):
        self.data = data

    @classmethod
    def from_dict(cls, data):
        return cls(data)

    def to_dict(self):
        return self.data

    async def _decode_single(self, chunk_bytes, chunk_spec):
        c = self.data["configuration"]
        return chunk_bytes[c["offset"] if "offset" in c else c["nbytes"]:]

    def compute_encoded_size(self, input_byte_length, chunk_spec):
        raise NotImplementedError


def read(folder, case):
    node = zarr.open(f"{folder}/{case['path']}", mode="r", zarr_format=3)
    common.check_attributes(dict(node.attrs), case)
    if not case["sha256"]:
        return None
    names = case.get("dimension_names")
    if names and list(node.metadata.dimension_names) != names:
        raise ValueError(f"dimension names {node.metadata.dimension_names}")
    return node[...]


register_codec("n5_default", N5Default)
register_codec("pad", Skip)
register_codec("offset", Skip)
zarr.config.set({"codecs.n5_default": f"{__name__}.N5Default", "codecs.pad": f"{__name__}.Skip", "codecs.offset": f"{__name__}.Skip"})
_, folder, results = sys.argv[1:]
n5_arrays.compare(common.load(folder), results, lambda case: read(folder, case))
