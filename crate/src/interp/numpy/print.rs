//! How NumPy shows arrays and scalars.

use super::array::{Array, Item, Kind, lane_item};
use super::buffer;
use super::narrow;
use super::node::{Demand, Host, show_shape};
use super::promote::{is_extension, numpy_name};
use crate::numerics::dtype::Dtype;

/// Digits behind the point that arrays show at most.
const PRECISION: usize = 8;
/// Elements above which arrays are summarised.
const THRESHOLD: usize = 1000;
/// Elements shown at each end of a summarised axis.
const EDGE: usize = 3;
/// Width of a line.
const LINE_WIDTH: usize = 75;

/// The shortest digits that give the value back in its dtype: digits without a point, and the decimal exponent of the
/// first one.
fn shortest(x: f64, dtype: Dtype) -> (String, i32) {
    let text = match dtype {
        Dtype::F32 => format!("{:e}", x as f32),
        Dtype::F16 => (0..6)
            .map(|digits| format!("{x:.digits$e}"))
            .find(|text| {
                text.parse::<f32>()
                    .is_ok_and(|back| f64::from(narrow::round(Dtype::F16, back)) == x)
            })
            .unwrap_or_else(|| format!("{x:e}")),
        _ => format!("{x:e}"),
    };
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    (digits, exponent.parse().unwrap_or(0))
}

/// Positional digits without trailing zeros (`1.`), with at most `precision` behind the point.
fn positional(x: f64, dtype: Dtype, precision: usize) -> String {
    let (digits, exponent) = shortest(x.abs(), dtype);
    let sign = if x.is_sign_negative() { "-" } else { "" };
    let behind = (digits.len() as i32 - 1 - exponent).max(0) as usize;
    if behind > precision {
        let text = format!("{:.precision$}", x.abs());
        return format!("{sign}{}", text.trim_end_matches('0'));
    }
    if exponent < 0 {
        let zeros = "0".repeat((-exponent - 1) as usize);
        return format!("{sign}0.{zeros}{}", digits.trim_end_matches('0'));
    }
    let whole = exponent as usize + 1;
    let padded = format!("{digits:0<whole$}");
    format!("{sign}{}.{}", &padded[..whole], padded[whole..].trim_end_matches('0'))
}

/// Scientific digits with `behind` digits behind the point, or as many as needed up to the precision.
fn scientific(x: f64, dtype: Dtype, behind: Option<usize>) -> String {
    let (mut digits, mut exponent) = shortest(x.abs(), dtype);
    if digits.len() > PRECISION + 1 {
        let text = format!("{:.PRECISION$e}", x.abs());
        let (mantissa, power) = text.split_once('e').unwrap_or((&text, "0"));
        digits = mantissa.chars().filter(char::is_ascii_digit).collect();
        exponent = power.parse().unwrap_or(0);
    }
    let trimmed = digits[1..].trim_end_matches('0');
    let fraction = match behind {
        Some(behind) => format!("{trimmed:0<behind$}"),
        None => trimmed.to_owned(),
    };
    let sign = if x.is_sign_negative() { "-" } else { "" };
    let power = if exponent < 0 { '-' } else { '+' };
    format!("{sign}{}.{fraction}e{power}{:02}", &digits[..1], exponent.abs())
}

/// A NumPy float scalar as `str` shows it.
fn float_scalar(x: f64, dtype: Dtype) -> String {
    if !x.is_finite() {
        return non_finite(x);
    }
    if is_extension(dtype) {
        return general(x, 6);
    }
    let magnitude = x.abs();
    let limit = match dtype {
        Dtype::F16 => 1e3,
        Dtype::F32 => 1e6,
        _ => 1e16,
    };
    if magnitude != 0.0 && (magnitude >= limit || magnitude < 1e-4) {
        let (digits, exponent) = shortest(magnitude, dtype);
        let sign = if x < 0.0 { "-" } else { "" };
        let power = if exponent < 0 { '-' } else { '+' };
        let fraction = digits[1..].trim_end_matches('0');
        let point = if fraction.is_empty() { "" } else { "." };
        return format!("{sign}{}{point}{fraction}e{power}{:02}", &digits[..1], exponent.abs());
    }
    let text = positional(x, dtype, usize::MAX);
    if text.ends_with('.') { format!("{text}0") } else { text }
}

/// `nan`, `inf`, `-inf`.
fn non_finite(x: f64) -> String {
    if x.is_nan() {
        "nan".into()
    } else if x > 0.0 {
        "inf".into()
    } else {
        "-inf".into()
    }
}

/// C's `%.{digits}g`.
fn general(x: f64, digits: usize) -> String {
    let places = digits - 1;
    let text = format!("{:.places$e}", x.abs());
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let sign = if x.is_sign_negative() { "-" } else { "" };
    let trim = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    if exponent < -4 || exponent >= digits as i32 {
        let power = if exponent < 0 { '-' } else { '+' };
        return format!("{sign}{}e{power}{:02}", trim(mantissa), exponent.abs());
    }
    let behind = (digits as i32 - 1 - exponent).max(0) as usize;
    format!("{sign}{}", trim(&format!("{:.behind$}", x.abs())))
}

/// One element as `str` of a NumPy scalar shows it.
pub fn show_item(item: Item, dtype: Dtype) -> String {
    match item {
        Item::Bool(x) => (if x { "True" } else { "False" }).into(),
        Item::Int(x) => x.to_string(),
        Item::Float(x) => float_scalar(x, dtype),
    }
}

/// One element as `repr` of a NumPy scalar shows it.
pub fn repr_item(item: Item, dtype: Dtype) -> String {
    match item {
        _ if is_extension(dtype) => show_item(item, dtype),
        Item::Bool(_) => format!("np.{}_", show_item(item, dtype)),
        Item::Int(_) | Item::Float(_) => format!("np.{}({})", numpy_name(dtype), show_item(item, dtype)),
    }
}

/// How floats of one array are shown.
enum FloatStyle {
    Positional { left: usize, right: usize },
    Scientific { width: usize, behind: usize },
}

/// From where on an array shows exponents: the digits that its dtype is sure of, eight at most.
fn large(dtype: Dtype) -> f64 {
    match dtype {
        Dtype::F16 => 1e3,
        Dtype::F32 => 1e6,
        _ => 1e8,
    }
}

impl FloatStyle {
    /// Looks at all shown values.
    fn of(values: &[f64], dtype: Dtype) -> Self {
        let finite = || values.iter().copied().filter(|x| x.is_finite());
        let magnitudes = || finite().map(f64::abs).filter(|&x| x != 0.0);
        let (most, least) = (
            magnitudes().fold(0.0, f64::max),
            magnitudes().fold(f64::INFINITY, f64::min),
        );
        let special = values
            .iter()
            .filter(|x| !x.is_finite())
            .map(|&x| non_finite(x).len())
            .max()
            .unwrap_or(0);
        if most >= large(dtype) || (most > 0.0 && (least < 1e-4 || most / least > 1000.0)) {
            let behind = |x| scientific(x, dtype, None).split(['.', 'e']).nth(1).map_or(0, str::len);
            let behind = finite().map(behind).max().unwrap_or(0);
            let width = finite()
                .map(|x| scientific(x, dtype, Some(behind)).len())
                .max()
                .unwrap_or(0);
            return Self::Scientific {
                width: width.max(special),
                behind,
            };
        }
        let parts = |x: f64| {
            let text = positional(x, dtype, PRECISION);
            text.split_once('.')
                .map_or((0, 0), |(left, right)| (left.len(), right.len()))
        };
        let (mut left, right) = finite()
            .map(parts)
            .fold((0, 0), |seen, part| (seen.0.max(part.0), seen.1.max(part.1)));
        if special > 0 {
            left = left.max(special.saturating_sub(right + 1));
        }
        Self::Positional { left, right }
    }

    /// Shows one value.
    fn show(&self, x: f64, dtype: Dtype) -> String {
        match *self {
            Self::Positional { left, right } => {
                let width = left + right + 1;
                if !x.is_finite() {
                    return format!("{:>width$}", non_finite(x));
                }
                let text = positional(x, dtype, PRECISION);
                let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
                format!("{whole:>left$}.{fraction:<right$}")
            }
            Self::Scientific { width, behind } if x.is_finite() => {
                format!("{:>width$}", scientific(x, dtype, Some(behind)))
            }
            Self::Scientific { width, .. } => format!("{:>width$}", non_finite(x)),
        }
    }
}

/// Whether an axis is cut in the middle.
fn is_cut(extent: usize, summarised: bool) -> bool {
    summarised && extent > 2 * EDGE
}

/// Positions of an axis that are shown.
fn shown(extent: usize, summarised: bool) -> Vec<usize> {
    if is_cut(extent, summarised) {
        (0..EDGE).chain(extent - EDGE..extent).collect()
    } else {
        (0..extent).collect()
    }
}

/// Flat positions of all shown elements.
fn shown_positions(shape: &[usize], summarised: bool) -> Vec<usize> {
    shape.iter().fold(vec![0], |starts, &extent| {
        let axis = shown(extent, summarised);
        starts
            .iter()
            .flat_map(|start| axis.iter().map(move |at| start * extent + at))
            .collect()
    })
}

/// Texts of the shown elements, all formatted alike.
fn element_texts(items: &[Item], dtype: Dtype, alone: bool) -> Vec<String> {
    let floats: Vec<f64> = items.iter().map(|item| item.to_f64()).collect();
    if items.iter().any(|item| matches!(item, Item::Float(_))) && !is_extension(dtype) {
        let style = FloatStyle::of(&floats, dtype);
        return floats.iter().map(|&x| style.show(x, dtype)).collect();
    }
    let texts: Vec<String> = items.iter().map(|&item| show_item(item, dtype)).collect();
    let width = if is_extension(dtype) || alone {
        0
    } else if dtype == Dtype::Bool {
        "False".len()
    } else {
        texts.iter().map(String::len).max().unwrap_or(0)
    };
    texts.into_iter().map(|text| format!("{text:>width$}")).collect()
}

/// Lays out one axis; `texts` yields elements in order, `indent` is the column of the bracket.
fn lay_out(
    shape: &[usize],
    texts: &mut std::vec::IntoIter<String>,
    summarised: bool,
    separator: &str,
    indent: usize,
    line_width: usize,
) -> String {
    let Some((&extent, inner)) = shape.split_first() else {
        return texts.next().unwrap_or_default();
    };
    let count = shown(extent, summarised).len();
    let cut = is_cut(extent, summarised);
    let mut parts: Vec<String> = (0..count)
        .map(|_| lay_out(inner, texts, summarised, separator, indent + 1, line_width))
        .collect();
    if cut {
        parts.insert(EDGE, "...".into());
    }
    if inner.is_empty() {
        return format!("[{}]", wrap(&parts, separator, indent + 1, line_width));
    }
    let gap = format!(
        "{}{}{}",
        separator.trim_end(),
        "\n".repeat(inner.len()),
        " ".repeat(indent + 1)
    );
    format!("[{}]", parts.join(&gap))
}

/// Joins elements into lines of limited width.
fn wrap(parts: &[String], separator: &str, indent: usize, line_width: usize) -> String {
    let mut out = String::new();
    let mut column = indent;
    for (i, part) in parts.iter().enumerate() {
        let last = i + 1 == parts.len();
        let need = part.len() + if last { 0 } else { separator.trim_end().len() };
        if i > 0 && column + need > line_width - usize::from(last) * (line_width - line_width.min(LINE_WIDTH)) {
            out.truncate(out.trim_end().len());
            out.push('\n');
            out.push_str(&" ".repeat(indent));
            column = indent;
        }
        out.push_str(part);
        column += part.len();
        if !last {
            out.push_str(separator);
            column += separator.len();
        }
    }
    out
}

/// Elements of an array that are shown, and the layout.
fn body(array: &Array, host: &dyn Host, separator: &str, prefix: usize, suffix: usize) -> Result<String, Demand> {
    let summarised = array.len() > THRESHOLD;
    let held = array.force(host)?;
    let positions = shown_positions(array.shape(), summarised);
    let lanes = buffer::lanes(&held.pick(&positions), array.dtype()).into_owned();
    let items: Vec<Item> = (0..positions.len()).map(|i| lane_item(&lanes, i)).collect();
    let texts = element_texts(&items, array.dtype(), array.ndim() == 0);
    Ok(lay_out(
        array.shape(),
        &mut texts.into_iter(),
        summarised,
        separator,
        prefix,
        LINE_WIDTH - suffix,
    ))
}

/// `str(array)`.
///
/// # Errors
/// As forcing.
pub fn show(array: &Array, host: &dyn Host) -> Result<String, Demand> {
    if array.kind() != Kind::Array || array.ndim() == 0 {
        return Ok(show_item(array.item(host)?, array.dtype()));
    }
    if array.is_empty() {
        return Ok("[]".into());
    }
    body(array, host, " ", 0, 0)
}

/// `repr(array)`.
///
/// # Errors
/// As forcing.
pub fn repr(array: &Array, host: &dyn Host) -> Result<String, Demand> {
    if array.kind() != Kind::Array {
        return Ok(repr_item(array.item(host)?, array.dtype()));
    }
    let dtype = array.dtype();
    let text = if array.is_empty() {
        "[]".to_owned()
    } else {
        body(array, host, ", ", 6, 1)?
    };
    let mut notes = Vec::new();
    if (array.is_empty() && array.shape() != [0]) || array.len() > THRESHOLD {
        notes.push(format!("shape={}", show_shape(array.shape())));
    }
    if array.is_empty() || !matches!(dtype, Dtype::Bool | Dtype::I64 | Dtype::F64) {
        notes.push(format!("dtype={}", numpy_name(dtype)));
    }
    if notes.is_empty() {
        return Ok(format!("array({text})"));
    }
    let notes = notes.join(", ");
    let last_line = text.rsplit('\n').next().map_or(0, str::len) + if text.contains('\n') { 0 } else { 6 };
    let gap = if last_line + notes.len() + 3 > LINE_WIDTH {
        ",\n      "
    } else {
        ", "
    };
    Ok(format!("array({text}{gap}{notes})"))
}

/// A float as an element of an array shows it (`1.`).
pub fn float_in_array(x: f64, dtype: Dtype) -> String {
    let rounded = if dtype == Dtype::F32 { f64::from(x as f32) } else { x };
    if is_extension(dtype) {
        general(x, 6)
    } else {
        FloatStyle::of(&[rounded], dtype).show(rounded, dtype)
    }
}

/// What stands for an array whose values are not computed.
pub fn show_unknown(array: &Array) -> String {
    format!(
        "array(shape={}, dtype={}, values not computed)",
        show_shape(array.shape()),
        numpy_name(array.dtype())
    )
}
