//! One workload with the crate zarrs in a process of its own; prints a line of JSON with what it took.
//!
//!   zarrs_bench read|write|boxes|voxels|planes DIR ARRAY REPS
//!   zarrs_bench walk DIR NAME REPS
//!   zarrs_bench pack-encode|pack-decode DIR TYPE/BITS REPS
mod pack;

use std::{fs, sync::Arc, time::Instant};
use zarrs::array::{Array, ArraySubset};
use zarrs::filesystem::FilesystemStore;
use zarrs::group::Group;

type Res<T> = Result<T, Box<dyn std::error::Error>>;
type FileArray = Array<FilesystemStore>;

const BOX: u64 = 64;

fn open(path: &str) -> Res<FileArray> {
    Ok(Array::open(Arc::new(FilesystemStore::new(path)?), "/")?)
}

fn read(array: &FileArray, part: &ArraySubset) -> Res<Vec<u16>> {
    Ok(array.retrieve_array_subset(part)?)
}

fn volume(dir: &str) -> Res<Vec<u16>> {
    let bytes = fs::read(format!("{dir}/volume.raw"))?;
    Ok(bytes.chunks_exact(2).map(|b| u16::from_le_bytes([b[0], b[1]])).collect())
}

/// The parts of an array that a workload reads, as the other programs have them.
fn parts(dir: &str, workload: &str, side: u64) -> Res<Vec<ArraySubset>> {
    if workload == "planes" {
        return Ok((140..150).map(|z| ArraySubset::new_with_ranges(&[z..z + 1, 0..side, 0..side])).collect());
    }
    let length = if workload == "voxels" { 1 } else { BOX };
    let mut out = vec![];
    for line in fs::read_to_string(format!("{dir}/boxes.txt"))?.lines() {
        let start = line.split_whitespace().map(str::parse).collect::<Result<Vec<u64>, _>>()?;
        out.push(ArraySubset::new_with_ranges(&start.iter().map(|&s| s..s + length).collect::<Vec<_>>()));
    }
    Ok(out)
}

/// The sum of the lengths of all arrays below a group.
fn walk(group: &Group<FilesystemStore>) -> Res<u64> {
    let mut sum = group.child_arrays()?.iter().map(|a| a.shape()[0]).sum();
    for inner in group.child_groups()? {
        sum += walk(&inner)?;
    }
    Ok(sum)
}

extern "C" {
    fn clock_gettime(clock: i32, time: *mut [i64; 2]) -> i32;
}

/// CPU seconds of all threads so far.
fn cpu_seconds() -> f64 {
    const CLOCK_PROCESS_CPUTIME_ID: i32 = 2; // on Linux
    let mut t = [0i64; 2];
    unsafe { clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &mut t) };
    t[0] as f64 + t[1] as f64 * 1e-9
}

/// The most bytes that were resident so far.
fn peak_bytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    peak.and_then(|v| v.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) * 1024
}

/// Times `work` and calls `check` once and `done` every time, outside the clock.
fn measure<T>(reps: usize, bytes: usize, work: impl Fn() -> Res<T>, check: impl Fn(T) -> Res<bool>, done: impl Fn() -> Res<()>) -> Res<()> {
    measure_sum(reps, bytes, None, work, check, done)
}

/// The same with a sum that the driver compares.
fn measure_sum<T>(reps: usize, bytes: usize, sum: Option<u64>, work: impl Fn() -> Res<T>, check: impl Fn(T) -> Res<bool>, done: impl Fn() -> Res<()>) -> Res<()> {
    let (mut secs, mut cpus, mut rss) = (vec![], vec![], 0);
    for i in 0..reps {
        let (start, before) = (Instant::now(), cpu_seconds());
        let result = work()?;
        secs.push(start.elapsed().as_secs_f64());
        cpus.push(cpu_seconds() - before);
        if i == 0 {
            rss = peak_bytes();
            if !check(result)? {
                return Err("wrong values".into());
            }
        }
        done()?;
    }
    println!("{}", serde_json::json!({"s": secs, "cpu": cpus, "bytes": bytes, "rss": rss, "sum": sum}));
    Ok(())
}

fn main() -> Res<()> {
    let args: Vec<String> = std::env::args().collect();
    let [_, workload, dir, name, reps] = &args[..] else {
        return Err("usage: zarrs_bench read|write|boxes|voxels|planes|walk|pack-encode|pack-decode DIR ARRAY REPS".into());
    };
    let reps = reps.parse()?;
    if workload.starts_with("pack-") {
        return pack::run(workload, dir, name, reps);
    }
    if workload == "walk" {
        let path = format!("{dir}/{name}");
        let find = || walk(&Group::open(Arc::new(FilesystemStore::new(&path)?), "/")?);
        let sum = find()?;
        return measure_sum(reps, 1, Some(sum), find, |found| Ok(found == sum), || Ok(()));
    }
    let path = format!("{dir}/arrays/{name}");
    match workload.as_str() {
        "read" => {
            let bytes = fs::metadata(format!("{dir}/volume.raw"))?.len() as usize;
            let work = || {
                let array = open(&path)?;
                read(&array, &array.subset_all())
            };
            measure(reps, bytes, work, |r| Ok(r == volume(dir)?), || Ok(()))
        }
        "write" => {
            let data = volume(dir)?;
            let like = open(&path)?.metadata().clone();
            let out = format!("{dir}/out-{}", std::process::id());
            let work = || {
                fs::create_dir_all(&out)?;
                let array = Array::new_with_metadata(Arc::new(FilesystemStore::new(&out)?), "/", like.clone())?;
                array.store_metadata()?;
                Ok(array.store_array_subset(&array.subset_all(), &data[..])?)
            };
            let check = |()| {
                let array = open(&out)?;
                Ok(read(&array, &array.subset_all())? == data)
            };
            let put_away = || {
                let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?;
                Ok(fs::rename(&out, format!("{out}.{}", now.as_nanos()))?) // the driver removes it
            };
            measure(reps, data.len() * 2, work, check, put_away)
        }
        "boxes" | "voxels" | "planes" => {
            let boxes = parts(dir, workload, open(&path)?.shape()[0])?;
            let work = || {
                let array = open(&path)?;
                boxes.iter().try_for_each(|b| read(&array, b).map(drop))
            };
            let check = |()| {
                let (array, data) = (open(&path)?, volume(dir)?);
                let side = array.shape()[0];
                for b in boxes.iter().take(10) {
                    let (s, n) = (b.start(), b.shape());
                    let rows = (0..n[0] * n[1]).flat_map(|i| {
                        let at = (((s[0] + i / n[1]) * side + s[1] + i % n[1]) * side + s[2]) as usize;
                        data[at..at + n[2] as usize].iter().copied()
                    });
                    if !rows.eq(read(&array, b)?) {
                        return Ok(false);
                    }
                }
                Ok(true)
            };
            let bytes = boxes.iter().map(|b| 2 * b.num_elements() as usize).sum();
            measure(reps, bytes, work, check, || Ok(()))
        }
        _ => Err("unknown workload".into()),
    }
}
