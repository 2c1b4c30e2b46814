//! What zarrs writes with codecs that not every reader has, and as Zarr v2.
use crate::write::{create, put, regular, Random};
use crate::Res;
use serde_json::{json, Value};
use std::{fs, sync::Arc};
use zarrs::array::{Array, ArrayBytes, ArrayMetadata};
use zarrs::filesystem::FilesystemStore;

fn bytes(order: &str) -> Value {
    json!({"name": "bytes", "configuration": {"endian": order}})
}

/// Type, codecs and whether values are small integers, which nothing is lost of.
fn arrays() -> Vec<(&'static str, String, Value, bool)> {
    let mut out = vec![];
    for (cname, shuffle, size, name) in [
        ("lz4", "shuffle", 2, "uint16"), ("lz4hc", "noshuffle", 8, "float64"), ("zlib", "bitshuffle", 4, "int32"),
        ("zstd", "bitshuffle", 8, "float64"), ("blosclz", "shuffle", 2, "uint16"),
    ] {
        let blosc = json!({"name": "blosc", "configuration": {
            "cname": cname, "clevel": 5, "shuffle": shuffle, "typesize": size, "blocksize": 0}});
        out.push((name, format!("blosc/{cname}-{shuffle}"), json!([bytes("little"), blosc]), false));
    }
    for (name, config) in [
        ("numcodecs.zlib", json!({"level": 5})), ("numcodecs.bz2", json!({"level": 5})), ("numcodecs.shuffle", json!({"elementsize": 4})),
        ("numcodecs.adler32", json!({})), ("numcodecs.fletcher32", json!({})),
    ] {
        let codec = json!({"name": name, "configuration": config});
        out.push(("int32", name.to_string(), json!([bytes("little"), codec]), false));
        out.push(("float32", format!("{name}-big"), json!([bytes("big"), codec]), false));
    }
    for name in ["int32", "uint64", "float32", "float64"] {
        let pcodec = json!({"name": "numcodecs.pcodec", "configuration": {
            "level": 8, "mode_spec": "auto", "delta_spec": "auto", "paging_spec": "equal_pages_up_to", "equal_pages_up_to": 262144}});
        out.push((name, "numcodecs.pcodec".into(), json!([pcodec]), false));
        let bitround = json!({"name": "bitround", "configuration": {"keepbits": 7}});
        out.push((name, "bitround".into(), json!([bitround, bytes("little")]), true));
        let zfp = json!({"name": "zfp", "configuration": {"mode": "reversible"}});
        out.push((name, "zfp-reversible".into(), json!([zfp]), true));
    }
    for name in ["float32", "float64"] {
        let accuracy = json!({"name": "zfp", "configuration": {"mode": "fixed_accuracy", "tolerance": 0.0001}});
        out.push((name, "zfp-accuracy".into(), json!([accuracy]), true));
        let zfpy = json!({"name": "numcodecs.zfpy", "configuration": {"mode": 4, "tolerance": 0.0001}});
        out.push((name, "numcodecs.zfpy-accuracy".into(), json!([zfpy]), true));
    }
    let scale = json!({"name": "numcodecs.fixedscaleoffset", "configuration": {
        "offset": 10, "scale": 4, "dtype": "<f4", "astype": "<i2"}});
    out.push(("float32", "numcodecs.fixedscaleoffset".into(), json!([scale, bytes("little")]), true));
    let reshape = json!({"name": "reshape", "configuration": {"shape": [[0, 1]]}});
    out.push(("uint16", "reshape".into(), json!([reshape, bytes("little")]), false));
    out.push(("uint16", "zarrs.squeeze".into(), json!([{"name": "zarrs.squeeze"}, bytes("little")]), false));
    out
}

pub fn write(store: &Arc<FilesystemStore>, random: &mut Random) -> Res<Vec<Value>> {
    let mut cases = vec![];
    for (name, codec, codecs, small) in arrays() {
        let path = format!("codec/{codec}/{name}");
        let data = ArrayBytes::new_flen(elements(random, name, small));
        let array = create(store.clone(), &path, name, codecs, regular())?;
        // What is lost is lost before the digest is made.
        put(array, &path, &data).map_err(|e| format!("{path}: {e}"))?;
        let array = Array::open(store.clone(), &format!("/{path}"))?;
        let stored: ArrayBytes = array.retrieve_array_subset(&array.subset_all())?;
        if !path.contains("accuracy") && stored != data {
            return Err(format!("{path}: reads other values than it wrote").into());
        }
        cases.push(json!({"name": path, "path": path, "sha256": crate::digest(&stored)?}));
    }
    Ok(cases)
}

/// Random elements of 7 × 9, or small integers.
fn elements(random: &mut Random, name: &str, small: bool) -> Vec<u8> {
    (0..7 * 9).flat_map(|_| element(random, name, small)).collect()
}

fn element(random: &mut Random, name: &str, small: bool) -> Vec<u8> {
    let x = random.next();
    let n = (x % 100) as u8;
    match (name, small) {
        ("float32", true) => (n as f32).to_le_bytes().to_vec(),
        ("float64", true) => (n as f64).to_le_bytes().to_vec(),
        ("int32" | "uint32", true) => (n as u32).to_le_bytes().to_vec(),
        (_, true) => (n as u64).to_le_bytes().to_vec(),
        ("uint16", _) => x.to_le_bytes()[..2].to_vec(),
        ("int32" | "float32", _) => x.to_le_bytes()[..4].to_vec(),
        _ => x.to_le_bytes().to_vec(),
    }
}

const TYPES2: &[(&str, usize, &str)] = &[
    ("|b1", 1, "true"), ("|i1", 1, "-2"), ("|u1", 1, "3"), ("@i2", 2, "-2"), ("@i4", 4, "-2"), ("@i8", 8, "-2"), ("@u2", 2, "3"),
    ("@u4", 4, "3"), ("@u8", 8, "3"), ("@f2", 2, "1.5"), ("@f4", 4, "\"NaN\""), ("@f8", 8, "\"-Infinity\""),
];

/// Arrays of Zarr v2.
pub fn write2(dir: &str) -> Res<()> {
    zarrs::config::global_config_mut().set_include_zarrs_metadata(false);
    let store = Arc::new(FilesystemStore::new(dir)?);
    let mut random = Random::new(2);
    let mut cases = vec![];
    let blosc = json!({"id": "blosc", "cname": "zstd", "clevel": 5, "shuffle": 2, "blocksize": 0});
    let zlib = json!({"id": "zlib", "level": 1});
    let layouts = [
        ("plain", json!({})),
        ("fortran-zlib", json!({"order": "F", "compressor": zlib})),
        ("slash-blosc", json!({"dimension_separator": "/", "compressor": blosc})),
        ("bz2", json!({"compressor": {"id": "bz2", "level": 1}})),
        ("shuffle-gzip", json!({"filters": [{"id": "shuffle", "elementsize": 2}], "compressor": {"id": "gzip", "level": 1}})),
        ("zstd", json!({"compressor": {"id": "zstd", "level": 3}})),
    ];
    let mut all = vec![];
    for (code, size, fill) in TYPES2 {
        for order in if code.starts_with('@') { &["<", ">"][..] } else { &["|"] } {
            let dtype = code.replace('@', order);
            let label = dtype.replace('<', "little-").replace('>', "big-").replace('|', "");
            all.push((format!("type/{label}"), dtype, *size, *fill));
        }
    }
    all.push(("edit/uint16".into(), "<u2".into(), 2, "3"));
    for (prefix, dtype, size, fill) in all {
        for (layout, members) in &layouts {
            let path = format!("{prefix}/{layout}");
            let mut document = json!({"zarr_format": 2, "shape": [7, 9], "chunks": [4, 6], "dtype": dtype, "order": "C",
                "fill_value": serde_json::from_str::<Value>(fill)?, "filters": null, "compressor": null});
            for (name, value) in members.as_object().ok_or("no object")? {
                document[name] = value.clone();
            }
            let metadata: ArrayMetadata = serde_json::from_value(document)?;
            let array = Array::new_with_metadata(store.clone(), &format!("/{path}"), metadata)?;
            array.store_metadata()?;
            let data: Vec<u8> = (0..7 * 9 * size).map(|_| random.next() as u8 & if dtype == "|b1" { 1 } else { 255 }).collect();
            let data = ArrayBytes::new_flen(data);
            array.store_array_subset(&array.subset_all(), data.clone()).map_err(|e| format!("{path}: {e}"))?;
            cases.push(json!({"name": path, "path": path, "sha256": crate::digest(&data)?}));
        }
    }
    fs::write(format!("{dir}/manifest.json"), json!({ "cases": cases }).to_string())?;
    Ok(())
}
