//! `np.einsum`: operands are joined left to right by batched matrix products.

use super::array::Array;
use super::linalg::multiply_matrices;
use super::math::broadcast_shapes;
use super::node::{element_count, show_shape};
use super::reduce::{Along, Reduction, reduce};
use super::shape::transpose;
use crate::base::diag::{Code, Fault};

/// `np.einsum` with an explicit or implicit output.
///
/// # Errors
/// `value` for a subscript string that does not fit the operands, `shape` when extents of one letter differ.
pub fn einsum(subscripts: &str, operands: &[Array]) -> Result<Array, Fault> {
    let text: String = subscripts.chars().filter(|c| !c.is_whitespace()).collect();
    let (inputs, output) = match text.split_once("->") {
        Some((inputs, output)) => (inputs.to_owned(), output.to_owned()),
        None => (text.clone(), implicit_output(&text)),
    };
    let terms: Vec<Vec<char>> = inputs.split(',').map(|term| term.chars().collect()).collect();
    if terms.len() != operands.len() {
        let message = format!(
            "einsum: {} subscripts in '{subscripts}' for {} operands",
            terms.len(),
            operands.len()
        );
        return Err(Fault::new(Code::Value, message));
    }
    let (terms, output) = spell_ellipsis(&terms, &output.chars().collect::<Vec<_>>(), operands)?;
    let mut parts = Vec::new();
    for (term, operand) in terms.into_iter().zip(operands) {
        parts.push(single_letters(term, operand)?);
    }
    let mut parts = parts.into_iter();
    let Some((mut term, mut array)) = parts.next() else {
        return Err(Fault::new(Code::Value, "einsum needs at least one operand"));
    };
    let rest: Vec<(Vec<char>, Array)> = parts.collect();
    for (i, (next_term, next)) in rest.iter().enumerate() {
        let needed = |c: &char| output.contains(c) || rest[i + 1..].iter().any(|(later, _)| later.contains(c));
        (term, array) = contract((&term, &array), (next_term, next), needed)?;
    }
    finish_einsum(&term, &array, &output)
}

/// Letters that occur once, sorted, with the ellipsis in front.
fn implicit_output(inputs: &str) -> String {
    let mut letters: Vec<char> = inputs.chars().filter(|c| c.is_alphabetic()).collect();
    letters.sort_unstable();
    let once = letters
        .iter()
        .filter(|c| letters.iter().filter(|other| other == c).count() == 1);
    let ellipsis = if inputs.contains("...") { "..." } else { "" };
    format!("{ellipsis}{}", once.collect::<String>())
}

/// Replaces `...` by private letters, the same ones aligned from the right in every term.
fn spell_ellipsis(
    terms: &[Vec<char>],
    output: &[char],
    operands: &[Array],
) -> Result<(Vec<Vec<char>>, Vec<char>), Fault> {
    let letters = |term: &[char]| term.iter().filter(|c| **c != '.').count();
    let hidden = |term: &[char], ndim: usize| {
        if term.contains(&'.') {
            ndim.saturating_sub(letters(term))
        } else {
            0
        }
    };
    let most = terms
        .iter()
        .zip(operands)
        .map(|(term, operand)| hidden(term, operand.ndim()))
        .max()
        .unwrap_or(0);
    let spell = |term: &[char], count: usize| -> Vec<char> {
        let private = (most - count..most).map(|i| char::from_u32(0xe000 + i as u32).unwrap_or('.'));
        match term.iter().position(|&c| c == '.') {
            None => term.to_vec(),
            Some(at) => term[..at]
                .iter()
                .copied()
                .chain(private)
                .chain(term[at..].iter().copied().filter(|&c| c != '.'))
                .collect(),
        }
    };
    let mut spelled = Vec::new();
    for (term, operand) in terms.iter().zip(operands) {
        let full = spell(term, hidden(term, operand.ndim()));
        if full.len() != operand.ndim() {
            let message = format!(
                "einsum: subscripts '{}' do not fit an operand of shape {}",
                term.iter().collect::<String>(),
                show_shape(operand.shape())
            );
            return Err(Fault::new(Code::Value, message));
        }
        spelled.push(full);
    }
    Ok((spelled, spell(output, most)))
}

/// Takes diagonals until every letter occurs once.
fn single_letters(mut term: Vec<char>, operand: &Array) -> Result<(Vec<char>, Array), Fault> {
    let mut array = operand.clone();
    loop {
        let pair = (0..term.len()).find_map(|i| (i + 1..term.len()).find(|&j| term[j] == term[i]).map(|j| (i, j)));
        let Some((i, j)) = pair else { return Ok((term, array)) };
        let mut axes: Vec<isize> = (0..term.len() as isize)
            .filter(|&axis| axis != i as isize && axis != j as isize)
            .collect();
        let letter = term[i];
        term = axes.iter().map(|&axis| term[axis as usize]).chain([letter]).collect();
        axes.extend([i as isize, j as isize]);
        array = super::shape::diagonal(&transpose(&array, Some(&axes))?, 0)?;
    }
}

/// Sums the letters that are not needed, and orders the rest as `wanted` (all of which `term` has).
fn arrange(term: &[char], array: &Array, wanted: &[char]) -> Result<Array, Fault> {
    let dropped: Vec<isize> = (0..term.len() as isize)
        .filter(|&axis| !wanted.contains(&term[axis as usize]))
        .collect();
    let kept: Vec<char> = term.iter().copied().filter(|c| wanted.contains(c)).collect();
    let array = if dropped.is_empty() {
        array.clone()
    } else {
        let along = Along {
            axes: Some(dropped),
            keepdims: false,
            dtype: Some(array.dtype()),
        };
        reduce(Reduction::Sum, array, &along)?
    };
    let order: Vec<usize> = wanted.iter().filter_map(|c| kept.iter().position(|k| k == c)).collect();
    Ok(array.permute(&order))
}

/// Joins two operands by one batched matrix product.
fn contract(
    (term_a, a): (&[char], &Array),
    (term_b, b): (&[char], &Array),
    needed: impl Fn(&char) -> bool,
) -> Result<(Vec<char>, Array), Fault> {
    let pick =
        |term: &[char], test: &dyn Fn(&char) -> bool| term.iter().copied().filter(|c| test(c)).collect::<Vec<_>>();
    let batch = pick(term_a, &|c| term_b.contains(c) && needed(c));
    let summed = pick(term_a, &|c| term_b.contains(c) && !needed(c));
    let rows = pick(term_a, &|c| !term_b.contains(c) && needed(c));
    let columns = pick(term_b, &|c| !term_a.contains(c) && needed(c));
    let left = arrange(term_a, a, &[&batch[..], &rows, &summed].concat())?;
    let right = arrange(term_b, b, &[&batch[..], &summed, &columns].concat())?;
    let extents = |array: &Array, from: usize, count: usize| array.shape()[from..from + count].to_vec();
    let (nb, nr, ns, nc) = (batch.len(), rows.len(), summed.len(), columns.len());
    let batch_shape = broadcast_shapes(&extents(&left, 0, nb), &extents(&right, 0, nb))?;
    let summed_shape = broadcast_shapes(&extents(&left, nb + nr, ns), &extents(&right, nb, ns))?;
    let (row_shape, column_shape) = (extents(&left, nb, nr), extents(&right, nb + ns, nc));
    let (depth, batches) = (element_count(&summed_shape)?, element_count(&batch_shape)?);
    let left = left.broadcast_to(&[&batch_shape[..], &row_shape, &summed_shape].concat())?;
    let right = right.broadcast_to(&[&batch_shape[..], &summed_shape, &column_shape].concat())?;
    let out = multiply_matrices(
        &left.reshape(&[batches, element_count(&row_shape)?, depth])?,
        &right.reshape(&[batches, depth, element_count(&column_shape)?])?,
    )?;
    let shape = [batch_shape, row_shape, column_shape].concat();
    Ok(([batch, rows, columns].concat(), out.reshape(&shape)?))
}

/// The last step: sums what the output does not name, in its order.
fn finish_einsum(term: &[char], array: &Array, output: &[char]) -> Result<Array, Fault> {
    if let Some(unknown) = output.iter().find(|c| !term.contains(c)) {
        let message = format!("einsum: output letter '{unknown}' does not occur in the inputs");
        return Err(Fault::new(Code::Value, message));
    }
    Ok(arrange(term, array, output)?.copy().into_scalar())
}
