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
