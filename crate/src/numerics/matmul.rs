//! The matrix product of the Tensor Engine: `out[m, n] (+)= sum over k of stationary[k, m] * moving[k, n]`.
//!
//! The order is part of the model: each output element starts at 0 and adds its products one by one with rising `k`,
//! each product and each sum rounded to float32 (products of bf16, fp16 and fp8 values are exact anyway). Accumulation
//! then adds that sum to what `out` holds, as PSUM does. Blocking works across `m` and `n` only, so that no blocking and
//! no vector width can change a bit. Operands are decoded float32; FP32 matmul is computed as FP32, whatever the number
//! of passes the hardware takes.
//!
//! The kernel keeps a 4 x 8 tile of `out` in registers: with its operands that fits the 15 vector registers V8 has.

/// Rows of a register tile.
const MR: usize = 4;
/// Columns of a register tile.
const NR: usize = 8;

/// A row-major matrix in a slice.
#[derive(Clone, Copy)]
pub struct Matrix<'a> {
    /// The elements; row `r` starts at `r * stride`.
    pub data: &'a [f32],
    /// Elements from one row to the next.
    pub stride: usize,
}

/// A row-major matrix to write.
pub struct MatrixMut<'a> {
    /// The elements; row `r` starts at `r * stride`.
    pub data: &'a mut [f32],
    /// Elements from one row to the next.
    pub stride: usize,
}

/// Sizes of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Length of the contraction: rows of both operands.
    pub k: usize,
    /// Columns of the stationary operand, rows of the result.
    pub m: usize,
    /// Columns of the moving operand and of the result.
    pub n: usize,
}

/// A stationary operand packed for the kernel: load it once, multiply many moving operands with it.
///
/// Panels of four columns follow one another; in a panel each `k` has its four values side by side, zero beyond `m`.
#[derive(Clone, Debug, Default)]
pub struct Stationary {
    panels: Vec<[f32; MR]>,
    moving: Vec<[f32; NR]>,
    k: usize,
    m: usize,
}

impl Stationary {
    /// An empty operand whose buffers later loads use again.
    pub fn new() -> Self {
        Self::default()
    }

    /// Packs the `k` x `m` matrix `source`.
    pub fn load(&mut self, k: usize, m: usize, source: Matrix<'_>) {
        self.k = k;
        self.m = m;
        self.panels.clear();
        self.panels.reserve(k * m.div_ceil(MR));
        for column in (0..m).step_by(MR) {
            let width = MR.min(m - column);
            for row in 0..k {
                let start = row * source.stride + column;
                self.panels.push(padded(&source.data[start..start + width]));
            }
        }
    }

    /// Multiplies with the first `n` columns of `moving`, which has as many rows as were loaded, and stores or adds the
    /// `m` x `n` result to `out`.
    pub fn multiply(&mut self, n: usize, moving: Matrix<'_>, out: &mut MatrixMut<'_>, accumulate: bool) {
        for column in (0..n).step_by(NR) {
            let width = NR.min(n - column);
            pack_moving(&mut self.moving, self.k, moving, column, width);
            for (panel, row) in (0..self.m).step_by(MR).enumerate() {
                let panel = &self.panels[panel * self.k..(panel + 1) * self.k];
                let tile = product(panel, &self.moving);
                let height = MR.min(self.m - row);
                for (offset, values) in tile.iter().enumerate().take(height) {
                    let start = (row + offset) * out.stride + column;
                    store(values, &mut out.data[start..start + width], accumulate);
                }
            }
        }
    }
}

/// `source` followed by zeros.
#[inline(always)]
fn padded<const W: usize>(source: &[f32]) -> [f32; W] {
    let mut block = [0.0; W];
    match source.first_chunk::<W>() {
        Some(whole) => block = *whole,
        None => block[..source.len()].copy_from_slice(source),
    }
    block
}

/// Packs `width` columns of `moving` from `column` on: eight values for each `k`.
fn pack_moving(panel: &mut Vec<[f32; NR]>, k: usize, moving: Matrix<'_>, column: usize, width: usize) {
    panel.clear();
    panel.extend((0..k).map(|row| {
        let start = row * moving.stride + column;
        padded::<NR>(&moving.data[start..start + width])
    }));
}

/// One register tile: the product of two packed panels of the same length.
#[inline(never)]
fn product(stationary: &[[f32; MR]], moving: &[[f32; NR]]) -> [[f32; NR]; MR] {
    let mut tile = [[0.0; NR]; MR];
    for (a, b) in stationary.iter().zip(moving) {
        for (row, &a) in tile.iter_mut().zip(a) {
            for (sum, &b) in row.iter_mut().zip(b) {
                *sum += a * b;
            }
        }
    }
    tile
}

/// Stores or adds one row of a tile.
#[inline(always)]
fn store(values: &[f32; NR], out: &mut [f32], accumulate: bool) {
    if accumulate {
        out.iter_mut().zip(values).for_each(|(out, value)| *out += value);
    } else {
        out.iter_mut().zip(values).for_each(|(out, value)| *out = *value);
    }
}

/// `out (+)= stationaryᵀ moving` in one go; see [`Stationary`] for repeated use.
pub fn gemm_tn(shape: Shape, stationary: Matrix<'_>, moving: Matrix<'_>, out: &mut MatrixMut<'_>, accumulate: bool) {
    let mut packed = Stationary::new();
    packed.load(shape.k, shape.m, stationary);
    packed.multiply(shape.n, moving, out, accumulate);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numerics::prng::Xorwow;
    use proptest::prelude::*;

    /// The definition: one output at a time, rising `k`, product and sum rounded.
    fn naive(shape: Shape, a: Matrix<'_>, b: Matrix<'_>, start: &[f32], accumulate: bool) -> Vec<u32> {
        let cell = |m: usize, n: usize| {
            let sum = (0..shape.k).fold(0.0f32, |sum, k| {
                sum + a.data[k * a.stride + m] * b.data[k * b.stride + n]
            });
            if accumulate { start[m * shape.n + n] + sum } else { sum }
        };
        (0..shape.m * shape.n)
            .map(|i| cell(i / shape.n, i % shape.n).to_bits())
            .collect()
    }

    fn random(count: usize, seed: u32) -> Vec<f32> {
        let mut values = vec![0.0; count];
        Xorwow::seeded(seed, 0).fill_uniform(-1.0, 1.0, &mut values);
        values
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn blocking_changes_no_bit(
            (k, m, n) in (1usize..40, 1usize..20, 1usize..30),
            pad in 0usize..3, accumulate in any::<bool>(), seed in any::<u32>(),
        ) {
            let shape = Shape { k, m, n };
            let (a, b) = (random(k * (m + pad), seed), random(k * (n + pad), !seed));
            let a = Matrix { data: &a, stride: m + pad };
            let b = Matrix { data: &b, stride: n + pad };
            let start = random(m * n, seed ^ 77);
            let mut out = start.clone();
            gemm_tn(shape, a, b, &mut MatrixMut { data: &mut out, stride: n }, accumulate);
            let bits: Vec<u32> = out.iter().map(|x| x.to_bits()).collect();
            prop_assert_eq!(bits, naive(shape, a, b, &start, accumulate));
        }
    }

    #[test]
    fn a_full_tile_matches_the_definition() {
        let shape = Shape { k: 128, m: 128, n: 64 };
        let (a, b) = (random(128 * 128, 5), random(128 * 64, 6));
        let (a, b) = (Matrix { data: &a, stride: 128 }, Matrix { data: &b, stride: 64 });
        let mut out = vec![0.0; 128 * 64];
        gemm_tn(
            shape,
            a,
            b,
            &mut MatrixMut {
                data: &mut out,
                stride: 64,
            },
            false,
        );
        let bits: Vec<u32> = out.iter().map(|x| x.to_bits()).collect();
        assert_eq!(bits, naive(shape, a, b, &[], false));
    }

    #[test]
    fn a_loaded_operand_serves_again() {
        let mut packed = Stationary::new();
        packed.load(
            2,
            1,
            Matrix {
                data: &[2.0, 3.0],
                stride: 1,
            },
        );
        let mut out = [100.0, 200.0];
        let moving = Matrix {
            data: &[1.0, 10.0, 5.0, 7.0],
            stride: 2,
        };
        packed.multiply(
            2,
            moving,
            &mut MatrixMut {
                data: &mut out,
                stride: 2,
            },
            false,
        );
        assert_eq!(out, [17.0, 41.0]);
        packed.multiply(
            2,
            moving,
            &mut MatrixMut {
                data: &mut out,
                stride: 2,
            },
            true,
        );
        assert_eq!(out, [34.0, 82.0]);
    }

    #[test]
    fn rows_beyond_the_result_stay_untouched() {
        let mut out = [9.0; 6];
        let shape = Shape { k: 1, m: 2, n: 1 };
        let (a, b) = (
            Matrix {
                data: &[2.0, 3.0],
                stride: 2,
            },
            Matrix {
                data: &[4.0],
                stride: 1,
            },
        );
        gemm_tn(
            shape,
            a,
            b,
            &mut MatrixMut {
                data: &mut out,
                stride: 3,
            },
            false,
        );
        assert_eq!(out, [8.0, 9.0, 9.0, 12.0, 9.0, 9.0]);
    }
}
