//! What zarrs writes for Omnizarr; arrays below edit/ are changed by Omnizarr and read again.
use crate::{digest, more, packbits, Res};
use serde_json::{json, Value};
use std::{fs, sync::Arc};
use zarrs::array::{Array, ArrayBytes, ArrayBytesOffsets, ArrayMetadata};
use zarrs::filesystem::FilesystemStore;

const TYPES: &[(&str, usize)] = &[
    ("bool", 1), ("int2", 1), ("uint4", 1), ("int8", 1), ("uint8", 1), ("int16", 2), ("uint16", 2),
    ("int32", 4), ("uint32", 4), ("int64", 8), ("uint64", 8), ("float16", 2), ("bfloat16", 2),
    ("float32", 4), ("float64", 8), ("float8_e4m3", 1), ("float8_e5m2", 1), ("float6_e2m3fn", 1),
    ("float4_e2m1fn", 1), ("complex64", 8), ("complex128", 16), ("complex_bfloat16", 4),
    ("complex_float8_e5m2", 2), ("r24", 3), ("numpy.datetime64", 8),
];

/// Codecs of two-dimensional chunks of 4 × 6, after `bytes` with its byte order.
fn chains(endian: &Value) -> Vec<(&'static str, Value)> {
    let index = json!([{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}]);
    let shard = |inner: Value, place: &str, codecs: Value| {
        json!({"name": "sharding_indexed", "configuration": {
            "chunk_shape": inner, "codecs": codecs, "index_codecs": index, "index_location": place}})
    };
    let zstd = json!({"name": "zstd", "configuration": {"level": 3, "checksum": true}});
    let gzip = json!({"name": "gzip", "configuration": {"level": 5}});
    let order = json!({"name": "transpose", "configuration": {"order": [1, 0]}});
    vec![
        ("plain", json!([endian])),
        ("zstd", json!([endian, zstd])),
        ("gzip-crc32c", json!([endian, gzip, {"name": "crc32c"}])),
        ("transpose", json!([order, endian])),
        ("shard", json!([shard(json!([2, 3]), "end", json!([endian, zstd]))])),
        ("shard-start", json!([shard(json!([2, 2]), "start", json!([order, endian, gzip]))])),
        ("shard-nested", json!([shard(json!([4, 3]), "end", json!([shard(json!([1, 3]), "start", json!([endian]))]))])),
    ]
}

pub fn write(dir: &str) -> Res<()> {
    zarrs::config::global_config_mut().set_include_zarrs_metadata(false);
    let store = Arc::new(FilesystemStore::new(dir)?);
    let mut cases = vec![];
    let mut random = Random::new(1);
    for (name, size) in TYPES {
        for order in ["little", "big"] {
            let endian = if *size == 1 || *name == "r24" {
                json!({"name": "bytes"})
            } else {
                json!({"name": "bytes", "configuration": {"endian": order}})
            };
            if order == "big" && endian.get("configuration").is_none() {
                continue;
            }
            for (chain, codecs) in chains(&endian) {
                let path = format!("{name}/{order}-{chain}");
                let data = ArrayBytes::new_flen(random.elements(name, 7 * 9 * size));
                let array = create(store.clone(), &path, name, codecs, regular())?;
                cases.push(put(array, &path, &data)?);
            }
        }
    }
    for (name, codec) in [("string", "vlen-utf8"), ("bytes", "vlen-bytes")] {
        for (chain, codecs) in chains(&json!({"name": codec})) {
            let path = format!("{name}/{chain}");
            let array = create(store.clone(), &path, name, codecs, regular())?;
            cases.push(put(array, &path, &random.texts(7 * 9)?)?);
        }
    }
    for (chain, codecs) in chains(&json!({"name": "bytes", "configuration": {"endian": "little"}})) {
        let path = format!("edit/uint16/{chain}");
        let data = ArrayBytes::new_flen(random.elements("uint16", 7 * 9 * 2));
        let array = create(store.clone(), &path, "uint16", codecs, regular())?;
        cases.push(put(array, &path, &data)?);
    }
    let grid = json!({"name": "rectilinear", "configuration": {"kind": "inline",
        "chunk_shapes": [[4, [1, 2], 1], [[3, 2], 3]]}});
    let data = ArrayBytes::new_flen(random.elements("uint16", 7 * 9 * 2));
    let plain = json!([{"name": "bytes", "configuration": {"endian": "little"}}]);
    let array = create(store.clone(), "rectilinear", "uint16", plain, grid)?;
    cases.push(put(array, "rectilinear", &data)?);
    cases.extend(packbits::write(&store, &mut random)?);
    cases.extend(more::write(&store, &mut random)?);
    fs::write(format!("{dir}/manifest.json"), json!({ "cases": cases }).to_string())?;
    Ok(())
}

pub fn regular() -> Value {
    json!({"name": "regular", "configuration": {"chunk_shape": [4, 6]}})
}

pub fn create(store: Arc<FilesystemStore>, path: &str, name: &str, codecs: Value, grid: Value) -> Res<Array<FilesystemStore>> {
    let (data_type, fill) = match name {
        "numpy.datetime64" => (json!({"name": name, "configuration": {"unit": "ms", "scale_factor": 10}}), json!("NaT")),
        "bool" => (json!(name), json!(true)),
        "string" | "bytes" => (json!(name), json!("")),
        "r24" => (json!(name), json!([1, 2, 3])),
        n if n.starts_with("complex") => (json!(name), json!([1.0, 0.0])),
        n if n.contains("float") => (json!(name), json!(1.0)),
        _ => (json!(name), json!(1)),
    };
    let metadata: ArrayMetadata = serde_json::from_value(json!({
        "zarr_format": 3, "node_type": "array", "shape": [7, 9], "data_type": data_type, "fill_value": fill,
        "chunk_grid": grid, "codecs": codecs, "attributes": {"by": "zarrs"}, "dimension_names": ["y", null],
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}}}))?;
    let array = Array::new_with_metadata(store, &format!("/{path}"), metadata)?;
    array.store_metadata()?;
    Ok(array)
}

pub fn put(array: Array<FilesystemStore>, path: &str, data: &ArrayBytes) -> Res<Value> {
    array.store_array_subset(&array.subset_all(), data.clone())?;
    Ok(json!({"name": path, "path": path, "sha256": digest(data)?,
        "attributes": {"by": "zarrs"}, "dimension_names": ["y", null]}))
}

/// A generator of random numbers: the same arrays in every run.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x ^= x >> 30;
        x = x.wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x ^= x >> 27;
        x
    }

    fn elements(&mut self, name: &str, n: usize) -> Vec<u8> {
        let cut: fn(u8) -> u8 = match name {
            "bool" => |b| b & 1,
            "int2" => |b| (((b & 3) ^ 2) as i8 - 2) as u8,
            "uint4" | "float4_e2m1fn" => |b| b & 15,
            "float6_e2m3fn" => |b| b & 63,
            _ => |b| b,
        };
        (0..n).map(|_| cut(self.next() as u8)).collect()
    }

    fn texts(&mut self, n: usize) -> Res<ArrayBytes<'static>> {
        let words = ["", "a", "grün", "数据", "a longer piece of text"];
        let mut bytes = vec![];
        let mut offsets = vec![0];
        for _ in 0..n {
            bytes.extend_from_slice(words[self.next() as usize % words.len()].as_bytes());
            offsets.push(bytes.len());
        }
        Ok(ArrayBytes::new_vlen(bytes, ArrayBytesOffsets::new(offsets)?)?)
    }
}
