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
