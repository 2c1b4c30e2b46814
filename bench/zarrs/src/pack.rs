//! The codec packbits by itself, on one chunk in memory: no array, no store.
use crate::{measure, Res};
use std::{borrow::Cow, fs, num::NonZeroU64};
use zarrs::array::codec::PackBitsCodec;
use zarrs::array::{ArrayBytes, ArrayToBytesCodecTraits, CodecOptions, DataType, FillValue};
use zarrs::metadata::v3::MetadataV3;
use zarrs::metadata_ext::codec::packbits::PackBitsPaddingEncoding;

const ROW: usize = 4096; // elements of a row of the chunk

/// `field` is TYPE/BITS: the lowest BITS of each element are packed.
pub fn run(workload: &str, dir: &str, field: &str, reps: usize) -> Res<()> {
    let (name, bits) = field.split_once('/').ok_or("no bits")?;
    let bits: u32 = bits.parse()?;
    let size = if name.ends_with("int16") { 2 } else { 1 };
    let data = elements(&fs::read(format!("{dir}/random.raw"))?, size, bits, name.starts_with("int"));
    let packed = fs::read(format!("{dir}/{name}-{bits}.packed"))?;

    let codec = PackBitsCodec::new(PackBitsPaddingEncoding::None, None, Some(u64::from(bits) - 1))?;
    let data_type = DataType::from_metadata(&MetadataV3::new(name))?;
    let fill = FillValue::from(vec![0; size]);
    let rows = data.len() / size / ROW;
    let shape = [NonZeroU64::new(rows as u64).ok_or("no rows")?, NonZeroU64::new(ROW as u64).ok_or("no columns")?];
    let options = CodecOptions::default();
    match workload {
        "pack-encode" => {
            let work = || Ok(codec.encode(ArrayBytes::new_flen(&data[..]), &shape, &data_type, &fill, &options)?);
            measure(reps, data.len(), work, |out| Ok(out[..] == packed[..]), || Ok(()))
        }
        "pack-decode" => {
            let work = || Ok(codec.decode(Cow::Borrowed(&packed[..]), &shape, &data_type, &fill, &options)?);
            measure(reps, data.len(), work, |out| Ok(out.into_fixed()?[..] == data[..]), || Ok(()))
        }
        _ => Err("unknown workload".into()),
    }
}

/// Random bytes with only the lowest bits of each element, sign-extended if it has a sign.
fn elements(random: &[u8], size: usize, bits: u32, signed: bool) -> Vec<u8> {
    let cut = |x: u16, width: u32| match signed {
        true => (((x << (16 - bits)) as i16) >> (16 - bits)) as u16,
        false => x & (u16::MAX >> (16 - bits)),
    } & (u16::MAX >> (16 - width));
    if size == 1 {
        return random.iter().map(|&b| cut(u16::from(b), 8) as u8).collect();
    }
    random.chunks_exact(2).flat_map(|b| cut(u16::from_le_bytes([b[0], b[1]]), 16).to_le_bytes()).collect()
}
