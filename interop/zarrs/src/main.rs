//! The crate `zarrs` as a peer: reads what Omnizarr wrote and compares, or writes arrays for
//! Omnizarr to read.
//!
//!   zarrs_peer read  DIR RESULTS   every array of DIR/manifest.json
//!   zarrs_peer write DIR           a set of arrays and their manifest.json
//!   zarrs_peer write2 DIR          the same of Zarr v2
mod more;
mod packbits;
mod write;

use serde_json::{json, Value};
use sha2::{Digest, Sha256};
use std::{fs, io::Write, panic, sync::Arc};
use zarrs::array::{Array, ArrayBytes};
use zarrs::filesystem::FilesystemStore;
use zarrs::group::Group;
use zarrs::metadata::NodeMetadata;

pub type Res<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Res<()> {
    let args: Vec<String> = std::env::args().collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[1..] {
        ["read", dir, results] => read(dir, results),
        ["write", dir] => write::write(dir),
        ["write2", dir] => more::write2(dir),
        _ => Err("usage: zarrs_peer read DIR RESULTS | write DIR | write2 DIR".into()),
    }
}

fn read(dir: &str, results: &str) -> Res<()> {
    let manifest: Value = serde_json::from_str(&fs::read_to_string(format!("{dir}/manifest.json"))?)?;
    let mut out = fs::File::create(results)?;
    panic::set_hook(Box::new(|_| {}));
    for case in manifest["cases"].as_array().ok_or("no cases")? {
        let error = match panic::catch_unwind(|| compare(dir, case)) {
            Ok(Ok(())) => String::new(),
            Ok(Err(e)) => e.to_string(),
            Err(_) => "panics".into(),
        };
        writeln!(out, "{}", json!({"case": case["name"], "error": error}))?;
    }
    Ok(())
}

fn compare(dir: &str, case: &Value) -> Res<()> {
    let array = open(dir, case)?;
    let bytes: ArrayBytes = array.retrieve_array_subset(&array.subset_all())?;
    if digest(&bytes)? != case["sha256"] {
        return Err("different values".into());
    }
    if let Some(want) = case.get("attributes") {
        if &Value::Object(array.attributes().clone()) != want {
            return Err("different attributes".into());
        }
    }
    if let Some(want) = case.get("dimension_names") {
        if &serde_json::to_value(array.dimension_names())? != want {
            return Err("different dimension names".into());
        }
    }
    Ok(())
}

fn open(dir: &str, case: &Value) -> Res<Array<FilesystemStore>> {
    let store = Arc::new(FilesystemStore::new(dir)?);
    let path = case["path"].as_str().ok_or("no path")?;
    let Some(group) = case.get("group").and_then(Value::as_str) else {
        return Ok(Array::open(store, &format!("/{path}"))?);
    };
    let path = format!("/{group}/{path}");
    let nodes = Group::open(store.clone(), &format!("/{group}"))?.traverse()?;
    match nodes.into_iter().find(|(p, _)| p.as_str() == path) {
        Some((_, NodeMetadata::Array(metadata))) => Ok(Array::new_with_metadata(store, &path, metadata)?),
        _ => Err("no such array in the consolidated metadata".into()),
    }
}

/// SHA-256 of the elements: bytes of a fixed length as they are, others behind their length.
pub fn digest(bytes: &ArrayBytes) -> Res<String> {
    let mut hash = Sha256::new();
    match bytes {
        ArrayBytes::Fixed(b) => hash.update(b),
        ArrayBytes::Variable(v) => {
            for w in v.offsets().windows(2) {
                hash.update(((w[1] - w[0]) as u32).to_le_bytes());
                hash.update(&v.bytes()[w[0]..w[1]]);
            }
        }
        ArrayBytes::Optional(_) => return Err("optional values".into()),
    }
    Ok(hash.finalize().iter().map(|b| format!("{b:02x}")).collect())
}
