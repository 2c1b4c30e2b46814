"""A file without schemas that has datasets of every type and attributes of every kind that both versions of hdmf-zarr write."""
import numpy as np
from hdmf.build import DatasetBuilder, GroupBuilder, LinkBuilder, ReferenceBuilder

NUMBERS = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64", "complex128"]


def fields(**types):
    return [{"name": name, "dtype": dtype, "doc": ""} for name, dtype in types.items()]


def build():
    rng = np.random.default_rng(7)
    some = GroupBuilder("some", attributes={"data_type": "Thing", "namespace": "none", "object_id": "11111111-1111-4111-8111-111111111111"},
                        datasets={"list": DatasetBuilder("list", np.arange(12, dtype=np.int16).reshape(4, 3))})
    to_group, to_list = ReferenceBuilder(some), ReferenceBuilder(some.datasets["list"])
    datasets = [DatasetBuilder("empty", np.zeros((0,), np.float32), dtype="float32"), DatasetBuilder("text", ["", "grün", "数据"], dtype="text"),
                DatasetBuilder("text-2d", np.array([["a", "b"], ["ü", ""]], dtype=object), dtype="text"),
                DatasetBuilder("big-endian", np.arange(5, dtype=">i4")), DatasetBuilder("one-text", "a single text", dtype="text"),
                DatasetBuilder("one-int", 7), DatasetBuilder("one-float", 0.1), DatasetBuilder("one-bool", True),
                DatasetBuilder("references", [to_group, to_list, to_group], dtype="object"),
                DatasetBuilder("compound", np.array([(1, 0.5), (2, -1.5)], dtype=[("n", "u4"), ("w", "f4")]), dtype=fields(n="uint32", w="float32")),
                DatasetBuilder("compound-text", [(1, "one"), (-2, "zwölf")], dtype=fields(n="int32", s="text")),
                DatasetBuilder("compound-reference", [(1, to_group), (-2, to_list)], dtype=fields(n="int32", to="object"))]
    for name in NUMBERS:
        values = rng.integers(0, 256, (3, 5, np.dtype(name).itemsize), np.uint8).view(name)[..., 0]
        if name == "bool":
            values = rng.integers(0, 2, (3, 5)).astype(bool)
        datasets.append(DatasetBuilder(name, values))
        datasets.append(DatasetBuilder(f"attributes-{name}", values[0], attributes={"one": values[0, 0], "list": values[0]} if name[0] in "biu" else {}))
    kinds = {"text": "größer", "empty": "", "int": -(2**62), "float": 0.1, "whole": 3.0, "bool": True, "nan": float("nan"), "inf": float("-inf"),
             "list": [1, 2, 3], "texts": ["a", "ü", ""], "floats": [0.5, float("nan"), float("inf")], "nested": [[1, 2], [3, 4]], "json": '{"a": [1, "b"]}'}
    holder = GroupBuilder("holder", attributes={**kinds, "to": to_group, "to-list": to_list},
                          links={"link": LinkBuilder(some, "link"), "link-list": LinkBuilder(some.datasets["list"], "link-list")})
    return GroupBuilder("root", attributes={"data_type": "File", "namespace": "none", "object_id": "22222222-2222-4222-8222-222222222222"},
                        groups={"some": some, "holder": holder, "types": GroupBuilder("types", datasets={d.name: d for d in datasets})})
