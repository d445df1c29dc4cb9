//! Transposes of matrices of 1-, 2-, 4- and 8-byte elements, in blocks that stay in the cache.

/// Side of a block, in elements.
const BLOCK: usize = 16;

/// A matrix of byte elements in a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Rows of the source, columns of the result.
    pub rows: usize,
    /// Columns of the source, rows of the result.
    pub columns: usize,
    /// Bytes from one row of the source to the next.
    pub source_stride: usize,
    /// Bytes from one row of the result to the next.
    pub result_stride: usize,
}

/// `result[c, r] = source[r, c]` for elements of `width` bytes; bits are moved, never interpreted.
pub fn transpose_bytes(width: usize, layout: Layout, source: &[u8], result: &mut [u8]) {
    match width {
        1 => blocks::<1>(layout, source, result),
        2 => blocks::<2>(layout, source, result),
        4 => blocks::<4>(layout, source, result),
        _ => blocks::<8>(layout, source, result),
    }
}

/// Walks the matrix block by block.
fn blocks<const W: usize>(layout: Layout, source: &[u8], result: &mut [u8]) {
    for row in (0..layout.rows).step_by(BLOCK) {
        let rows = row..layout.rows.min(row + BLOCK);
        for column in (0..layout.columns).step_by(BLOCK) {
            let columns = column..layout.columns.min(column + BLOCK);
            for c in columns {
                let start = c * layout.result_stride;
                let target = &mut result[start + rows.start * W..start + rows.end * W];
                for (r, element) in rows.clone().zip(target.as_chunks_mut::<W>().0) {
                    let from = r * layout.source_stride + c * W;
                    element.copy_from_slice(&source[from..from + W]);
                }
            }
        }
    }
}

/// `result[c * rows + r] = source[r * columns + c]` for a dense float32 matrix.
pub fn transpose_f32(rows: usize, columns: usize, source: &[f32], result: &mut [f32]) {
    for row in (0..rows).step_by(BLOCK) {
        let end = rows.min(row + BLOCK);
        for column in 0..columns {
            let target = &mut result[column * rows + row..column * rows + end];
            for (r, value) in (row..end).zip(target) {
                *value = source[r * columns + column];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn elements_change_places(
            rows in 1usize..40, columns in 1usize..40, pad in 0usize..5,
            width in prop::sample::select(vec![1usize, 2, 4, 8]),
        ) {
            let (source_stride, result_stride) = (columns * width + pad, rows * width + pad);
            let source: Vec<u8> = (0..rows * source_stride).map(|i| (i * 31 % 251) as u8).collect();
            let mut result = vec![0u8; columns * result_stride];
            let layout = Layout { rows, columns, source_stride, result_stride };
            transpose_bytes(width, layout, &source, &mut result);
            for r in 0..rows {
                for c in 0..columns {
                    let (from, to) = (r * source_stride + c * width, c * result_stride + r * width);
                    prop_assert_eq!(&source[from..from + width], &result[to..to + width]);
                }
            }
        }
    }

    #[test]
    fn floats_change_places() {
        let source: Vec<f32> = (0..20 * 3u8).map(f32::from).collect();
        let mut result = vec![0.0; 60];
        transpose_f32(20, 3, &source, &mut result);
        assert_eq!(result[..3], [0.0, 3.0, 6.0]);
        assert_eq!(result[20 + 19], 58.0);
    }
}
