//! What zarrs writes with its codec packbits.
use crate::write::{create, put, regular, Random};
use crate::Res;
use serde_json::{json, Value};
use std::sync::Arc;
use zarrs::array::ArrayBytes;
use zarrs::filesystem::FilesystemStore;

/// Types with the bytes of a component, how many it has, and fields: the first and the last bit.
const TYPES: &[(&str, usize, usize, &[(u32, u32)])] = &[
    ("bool", 1, 1, &[(0, 0)]),
    ("int2", 1, 1, &[(0, 1)]), ("uint2", 1, 1, &[(0, 1)]),
    ("int4", 1, 1, &[(0, 3), (0, 2), (1, 3)]), ("uint4", 1, 1, &[(0, 3), (1, 2)]),
    ("int8", 1, 1, &[(0, 7), (0, 5), (2, 6)]), ("uint8", 1, 1, &[(0, 7), (0, 5), (1, 6)]),
    ("int16", 2, 1, &[(0, 15), (0, 11), (0, 5)]), ("uint16", 2, 1, &[(0, 15), (0, 11), (4, 11)]),
    ("int32", 4, 1, &[(0, 31), (0, 19)]), ("uint32", 4, 1, &[(0, 31), (5, 30)]),
    ("int64", 8, 1, &[(0, 63), (0, 40)]), ("uint64", 8, 1, &[(0, 63), (7, 50)]),
    ("float4_e2m1fn", 1, 1, &[(0, 3)]), ("float6_e2m3fn", 1, 1, &[(0, 5), (2, 5)]), ("float6_e3m2fn", 1, 1, &[(0, 5)]),
    ("float8_e5m2", 1, 1, &[(0, 7)]), ("float16", 2, 1, &[(0, 15)]), ("bfloat16", 2, 1, &[(0, 15), (7, 15)]),
    ("float32", 4, 1, &[(0, 31), (16, 31)]), ("float64", 8, 1, &[(0, 63), (0, 62)]),
    ("complex_float4_e2m1fn", 1, 2, &[(0, 3)]), ("complex_bfloat16", 2, 2, &[(0, 15), (0, 14)]),
    ("complex_float32", 4, 2, &[(0, 31), (8, 31)]), ("complex64", 4, 2, &[(0, 31)]), ("complex128", 8, 2, &[(0, 63), (32, 63)]),
];

pub fn write(store: &Arc<FilesystemStore>, random: &mut Random) -> Res<Vec<Value>> {
    let mut cases = vec![];
    for (name, size, count, fields) in TYPES {
        for &(first, last) in *fields {
            for (chain, codecs) in chains(first, last) {
                let path = format!("packbits/{name}.{first}-{last}/{chain}");
                let signed = name.starts_with("int");
                let data = (0..7 * 9 * count).flat_map(|_| field(random.next(), *size, first, last, signed));
                let data = ArrayBytes::new_flen(data.collect::<Vec<u8>>());
                let array = create(store.clone(), &path, name, codecs, regular())?;
                cases.push(put(array, &path, &data).map_err(|e| format!("{path}: {e}"))?);
            }
        }
    }
    Ok(cases)
}

fn chains(first: u32, last: u32) -> Vec<(&'static str, Value)> {
    let packbits = |padding| json!({"name": "packbits", "configuration": {
        "padding_encoding": padding, "first_bit": first, "last_bit": last}});
    let index = json!([{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}]);
    let shard = |codecs: Value| json!([{"name": "sharding_indexed", "configuration": {
        "chunk_shape": [2, 3], "codecs": codecs, "index_codecs": index}}]);
    let gzip = json!({"name": "gzip", "configuration": {"level": 5}});
    let zstd = json!({"name": "zstd", "configuration": {"level": 3, "checksum": false}});
    let order = json!({"name": "transpose", "configuration": {"order": [1, 0]}});
    vec![
        ("none", json!([packbits("none")])),
        ("first_byte", json!([packbits("first_byte")])),
        ("last_byte", json!([packbits("last_byte")])),
        ("gzip", json!([packbits("last_byte"), gzip])),
        ("transpose-zstd", json!([order, packbits("none"), zstd])),
        ("shard", shard(json!([packbits("none")]))),
        ("shard-zstd", shard(json!([packbits("first_byte"), zstd]))),
    ]
}

/// A component that has only the bits from first to last, and those of its sign above.
fn field(x: u64, size: usize, first: u32, last: u32, signed: bool) -> Vec<u8> {
    let (up, down) = (63 - last, 63 - last + first);
    let x = if signed { (((x << up) as i64) >> down) as u64 } else { (x << up) >> down };
    (x << first).to_le_bytes()[..size].to_vec()
}
