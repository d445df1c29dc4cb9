//! OCP microscaling: groups of 32 elements that share a power-of-two scale.
//!
//! A group is 8 partitions x 4 neighbouring elements. [`quantize`] is `quantize_mx`, [`expand`] turns packed operands of
//! `nc_matmul_mx` into the float32 matrices that [`super::matmul`] takes. The scale exponent is
//! `floor(log2(amax)) - (Emax - 1)`, twice as large as OCP's example algorithm, so that rounding cannot overflow; it is
//! clamped to what `float8_e8m0fnu` holds, and an all-zero group gets `2^-127`.
//!
//! The documents do not say what a group with infinity or NaN gives. Here its exponent counts as 128, infinity saturates
//! and NaN stays NaN.

use super::cast::{Mode, encode_f32};
use super::dtype::{Class, Dtype, Flavour};
use super::minifloat::scale_to_f32;

/// Partitions of a group.
pub const GROUP_PARTITIONS: usize = 8;
/// Elements of a group in each of its partitions.
pub const GROUP_ELEMENTS: usize = 4;

/// The largest exponent of a lane format: 8 for `float8_e4m3fn`, 15 for `float8_e5m2`, 2 for `float4_e2m1fn`.
pub fn largest_exponent(lane: Dtype) -> i32 {
    match lane.info().class {
        Class::Float(format) => {
            let top = (1 << format.exponent_bits) - 1 - format.bias;
            if format.flavour == Flavour::Ieee { top - 1 } else { top }
        }
        Class::Bool | Class::Signed | Class::Unsigned | Class::Packed => 0,
    }
}

/// The scale code of a group whose largest magnitude is `amax`.
pub fn scale_code(lane: Dtype, amax: f32) -> u8 {
    if amax == 0.0 {
        return 0;
    }
    let exponent = (amax.to_bits() >> 23 & 0xff) as i32 - (largest_exponent(lane) - 1);
    u8::try_from(exponent.clamp(0, 254)).unwrap_or(0)
}

/// Quantises `values`, a row-major `partitions` x `free` matrix, to fp8 codes of the same shape (`lane` is
/// `float8_e4m3fn` or `float8_e5m2`) and to `(partitions / 8) x (free / 4)` scale codes.
pub fn quantize(lane: Dtype, values: &[f32], free: usize, codes: &mut [u8], scales: &mut [u8]) {
    let columns = free / GROUP_ELEMENTS;
    if columns == 0 {
        return;
    }
    let band = GROUP_PARTITIONS * free;
    let mut amax = vec![0u32; columns];
    let mut scaled = vec![0f32; free];
    for ((values, codes), scales) in values
        .chunks_exact(band)
        .zip(codes.chunks_exact_mut(band))
        .zip(scales.chunks_exact_mut(columns))
    {
        group_maxima(values, free, &mut amax);
        for (scale, &amax) in scales.iter_mut().zip(&amax) {
            *scale = scale_code(lane, f32::from_bits(amax));
        }
        for (row, codes) in values.chunks_exact(free).zip(codes.chunks_exact_mut(free)) {
            divide_by_scales(row, scales, &mut scaled);
            encode_f32(lane, &scaled, codes, Mode::Saturate);
        }
    }
}

/// Bits of the largest magnitude of each group in a band of partitions; integer order puts NaN above infinity.
fn group_maxima(values: &[f32], free: usize, amax: &mut [u32]) {
    amax.fill(0);
    for row in values.chunks_exact(free) {
        for (amax, quad) in amax.iter_mut().zip(row.as_chunks::<GROUP_ELEMENTS>().0) {
            let [a, b, c, d] = quad.map(|x| x.to_bits() & 0x7fff_ffff);
            *amax = (*amax).max(a.max(b).max(c.max(d)));
        }
    }
}

/// `out = row / scale`, exact because scales are powers of two.
fn divide_by_scales(row: &[f32], scales: &[u8], out: &mut [f32]) {
    let quads = row.as_chunks::<GROUP_ELEMENTS>().0;
    for ((out, quad), &scale) in out
        .as_chunks_mut::<GROUP_ELEMENTS>()
        .0
        .iter_mut()
        .zip(quads)
        .zip(scales)
    {
        let factor = f32::from_bits((254 - u32::from(scale)) << 23);
        *out = quad.map(|x| x * factor);
    }
}

/// Dequantises a matmul operand and spreads its packs over the contraction axis.
///
/// `lanes` holds the decoded lane values, a row-major matrix of `4 * columns` values for each partition; `scales` holds
/// one code for each 8 partitions and column. Row `4 * p + q` of the result (`columns` wide) is lane `q` of partition `p`.
pub fn expand(lanes: &[f32], columns: usize, scales: &[u8], out: &mut [f32]) {
    if columns == 0 {
        return;
    }
    let width = GROUP_ELEMENTS * columns;
    let rows = lanes.chunks_exact(width).zip(out.chunks_exact_mut(width));
    for (partition, (row, out)) in rows.enumerate() {
        let band = partition / GROUP_PARTITIONS * columns;
        let scales = &scales[band..band + columns];
        let (q0, rest) = out.split_at_mut(columns);
        let (q1, rest) = rest.split_at_mut(columns);
        let (q2, q3) = rest.split_at_mut(columns);
        let quads = row.as_chunks::<GROUP_ELEMENTS>().0;
        for (column, (quad, &scale)) in quads.iter().zip(scales).enumerate() {
            let factor = scale_to_f32(scale);
            q0[column] = quad[0] * factor;
            q1[column] = quad[1] * factor;
            q2[column] = quad[2] * factor;
            q3[column] = quad[3] * factor;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numerics::cast::decode_f32;

    #[test]
    fn scales_leave_a_spare_exponent() {
        assert_eq!(scale_code(Dtype::F8E4m3fn, 1.0), 127 - 7);
        assert_eq!(scale_code(Dtype::F8E4m3fn, 448.0), 127 + 1);
        assert_eq!(scale_code(Dtype::F8E5m2, 1.5), 127 - 14);
        assert_eq!(scale_code(Dtype::F8E4m3fn, 0.0), 0);
        assert_eq!(scale_code(Dtype::F8E4m3fn, 1e-38), 0);
        assert_eq!(largest_exponent(Dtype::F4E2m1fn), 2);
    }

    /// One group of 8 partitions and two columns of quads.
    fn band() -> Vec<f32> {
        (0..64u8)
            .map(|i| if i % 8 < 4 { f32::from(i) - 20.0 } else { 0.0 })
            .collect()
    }

    #[test]
    fn groups_are_eight_partitions_of_four() {
        let values = band();
        let (mut codes, mut scales) = ([0u8; 64], [0u8; 2]);
        quantize(Dtype::F8E4m3fn, &values, 8, &mut codes, &mut scales);
        // The largest magnitude is 59 - 20 = 39, floor(log2) 5; the second group is all zero.
        assert_eq!(scales, [127 + 5 - 7, 0]);
        let mut back = [0f32; 64];
        decode_f32(Dtype::F8E4m3fn, &codes, &mut back);
        for (&code, &value) in back.iter().zip(&values) {
            assert!(
                (code / 4.0 - value).abs() <= value.abs() / 16.0,
                "{value} became {}",
                code / 4.0
            );
        }
        assert_eq!(back[0], -80.0);
    }

    #[test]
    fn expansion_undoes_quantisation_and_spreads_lanes() {
        let lanes: Vec<f32> = (0..16 * 8u8).map(f32::from).collect();
        let scales = [127, 128, 126, 255];
        let mut out = vec![0f32; 16 * 8];
        expand(&lanes, 2, &scales, &mut out);
        // Partition 1, lane 2: row 6, columns 0 and 1.
        assert_eq!(&out[12..14], &[f32::from(8 + 2u8), f32::from(8 + 4 + 2u8) * 2.0]);
        // Partition 8 uses the second row of scales; 255 is NaN.
        assert_eq!(out[64], 32.0);
        assert!(out[65].is_nan());
    }

    #[test]
    fn infinity_saturates() {
        let mut values = vec![0f32; 32];
        values[3] = f32::INFINITY;
        let (mut codes, mut scales) = ([0u8; 32], [0u8; 1]);
        quantize(Dtype::F8E4m3fn, &values, 4, &mut codes, &mut scales);
        assert_eq!((codes[3], codes[0], scales[0]), (0x7e, 0, 255 - 7));
    }
}
