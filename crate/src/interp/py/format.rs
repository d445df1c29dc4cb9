//! The format mini-language: `format(value, spec)`, f-strings and `str.format`, for integers, floats and strings.
//!
//! Pure text work; reference: "Format Specification Mini-Language" of the Python library documentation.

use num_bigint::{BigInt, Sign};

/// A format spec, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spec {
    fill: char,
    align: Option<char>,
    sign: char,
    alternate: bool,
    zero: bool,
    width: usize,
    grouping: Option<char>,
    precision: Option<usize>,
    kind: Option<char>,
}

/// Widths and precisions above this are refused: they would only fill memory.
const LARGEST: usize = 1 << 16;

impl Spec {
    /// Takes `text` apart.
    ///
    /// # Errors
    /// The text of Python's `ValueError`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let letters: Vec<char> = text.chars().collect();
        let mut at = 0;
        let is_align = |letter: Option<&char>| letter.is_some_and(|letter| "<>=^".contains(*letter));
        let mut spec = Self {
            fill: ' ',
            align: None,
            sign: '-',
            alternate: false,
            zero: false,
            width: 0,
            grouping: None,
            precision: None,
            kind: None,
        };
        if is_align(letters.get(1)) {
            (spec.fill, spec.align, at) = (letters[0], Some(letters[1]), 2);
        } else if is_align(letters.first()) {
            (spec.align, at) = (Some(letters[0]), 1);
        }
        if let Some(&sign) = letters.get(at).filter(|letter| "+- ".contains(**letter)) {
            (spec.sign, at) = (sign, at + 1);
        }
        if letters.get(at) == Some(&'z') {
            at += 1;
        }
        if letters.get(at) == Some(&'#') {
            (spec.alternate, at) = (true, at + 1);
        }
        if letters.get(at) == Some(&'0') {
            (spec.zero, at) = (true, at + 1);
        }
        (spec.width, at) = number(&letters, at).map_or(Ok((0, at)), |found| bounded(found, "width"))?;
        if let Some(&grouping) = letters.get(at).filter(|letter| ",_".contains(**letter)) {
            (spec.grouping, at) = (Some(grouping), at + 1);
        }
        if letters.get(at) == Some(&'.') {
            let found = number(&letters, at + 1).ok_or("Format specifier missing precision")?;
            let (precision, next) = bounded(found, "precision")?;
            (spec.precision, at) = (Some(precision), next);
        }
        spec.kind = letters.get(at).copied();
        if at + usize::from(spec.kind.is_some()) < letters.len() {
            return Err(format!("Invalid format specifier '{text}'"));
        }
        Ok(spec)
    }

    /// Pads a number to the width, between sign and digits if asked to.
    fn pad_number(&self, sign: &str, prefix: &str, digits: &str) -> String {
        let (fill, align) = match self.align {
            Some(align) => (self.fill, align),
            None if self.zero => ('0', '='),
            None => (self.fill, '>'),
        };
        let fill = if self.zero && self.align.is_some() && self.fill == ' ' {
            '0'
        } else {
            fill
        };
        let used = sign.chars().count() + prefix.chars().count() + digits.chars().count();
        let missing = self.width.saturating_sub(used);
        if align == '=' {
            let digits = match self.grouping {
                Some(mark) if fill == '0' => pad_grouped(digits, mark, digits.chars().count() + missing),
                _ => fill.to_string().repeat(missing) + digits,
            };
            return format!("{sign}{prefix}{digits}");
        }
        pad(&format!("{sign}{prefix}{digits}"), fill, align, missing)
    }

    /// The sign to show.
    fn sign_of(&self, negative: bool) -> &'static str {
        match (negative, self.sign) {
            (true, _) => "-",
            (false, '+') => "+",
            (false, ' ') => " ",
            (false, _) => "",
        }
    }
}

/// The digits at `at`, and where they end.
fn number(letters: &[char], at: usize) -> Option<(usize, usize)> {
    let end = letters[at.min(letters.len())..]
        .iter()
        .take_while(|letter| letter.is_ascii_digit())
        .count()
        + at;
    let digits: String = letters.get(at..end)?.iter().collect();
    (end > at).then(|| (digits.parse().unwrap_or(usize::MAX), end))
}

/// Refuses sizes that only fill memory.
fn bounded(found: (usize, usize), what: &str) -> Result<(usize, usize), String> {
    if found.0 > LARGEST {
        Err(format!("{what} in format string is above {LARGEST}"))
    } else {
        Ok(found)
    }
}

/// Adds `missing` fill characters around `text`.
fn pad(text: &str, fill: char, align: char, missing: usize) -> String {
    let left = match align {
        '<' => 0,
        '^' => missing / 2,
        _ => missing,
    };
    let fill = fill.to_string();
    format!("{}{text}{}", fill.repeat(left), fill.repeat(missing - left))
}

/// Zero-pads digits that have separators, keeping a separator between every three digits.
fn pad_grouped(digits: &str, mark: char, width: usize) -> String {
    let (whole, rest) = match digits.find(['.', 'e', 'E', '%']) {
        Some(at) => digits.split_at(at),
        None => (digits, ""),
    };
    let mut plain: String = whole.chars().filter(|letter| *letter != mark).collect();
    while group(&plain, mark, 3).chars().count() + rest.chars().count() < width {
        plain.insert(0, '0');
    }
    group(&plain, mark, 3) + rest
}

/// Puts `mark` between groups of `size` digits, from the right.
fn group(digits: &str, mark: char, size: usize) -> String {
    let count = digits.chars().count();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (count - at).is_multiple_of(size) {
            out.push(mark);
        }
        out.push(digit);
    }
    out
}

/// Formats a string.
///
/// # Errors
/// The text of Python's `ValueError`.
pub fn format_str(text: &str, spec: &Spec) -> Result<String, String> {
    if let Some(kind) = spec.kind.filter(|kind| *kind != 's') {
        return Err(format!("Unknown format code '{kind}' for object of type 'str'"));
    }
    if spec.sign != '-' {
        return Err("Sign not allowed in string format specifier".into());
    }
    let shown: String = match spec.precision {
        Some(precision) => text.chars().take(precision).collect(),
        None => text.to_owned(),
    };
    let missing = spec.width.saturating_sub(shown.chars().count());
    let fill = if spec.zero && spec.align.is_none() {
        '0'
    } else {
        spec.fill
    };
    Ok(pad(&shown, fill, spec.align.unwrap_or('<'), missing))
}

/// Formats an integer.
///
/// # Errors
/// The text of Python's `ValueError`.
pub fn format_int(value: &BigInt, spec: &Spec) -> Result<String, String> {
    let kind = spec.kind.unwrap_or('d');
    if "eEfFgG%".contains(kind) {
        let float = num_traits::ToPrimitive::to_f64(value).unwrap_or(f64::INFINITY);
        return format_float(float, spec);
    }
    if spec.precision.is_some() {
        return Err("Precision not allowed in integer format specifier".into());
    }
    let magnitude = value.magnitude();
    let (digits, prefix) = match kind {
        'd' | 'n' => (magnitude.to_str_radix(10), ""),
        'x' => (magnitude.to_str_radix(16), "0x"),
        'X' => (magnitude.to_str_radix(16).to_uppercase(), "0X"),
        'o' => (magnitude.to_str_radix(8), "0o"),
        'b' => (magnitude.to_str_radix(2), "0b"),
        'c' => {
            let letter = u32::try_from(value).ok().and_then(char::from_u32);
            let letter = letter.ok_or("%c arg not in range(0x110000)")?;
            let missing = spec.width.saturating_sub(1);
            return Ok(pad(&letter.to_string(), spec.fill, spec.align.unwrap_or('<'), missing));
        }
        _ => return Err(format!("Unknown format code '{kind}' for object of type 'int'")),
    };
    let digits = match spec.grouping {
        Some(mark) => group(&digits, mark, if kind == 'd' { 3 } else { 4 }),
        None => digits,
    };
    let prefix = if spec.alternate { prefix } else { "" };
    Ok(spec.pad_number(spec.sign_of(value.sign() == Sign::Minus), prefix, &digits))
}

/// Formats a float.
///
/// # Errors
/// The text of Python's `ValueError`.
pub fn format_float(value: f64, spec: &Spec) -> Result<String, String> {
    let kind = spec.kind;
    if let Some(kind) = kind.filter(|kind| !"eEfFgGn%".contains(*kind)) {
        return Err(format!("Unknown format code '{kind}' for object of type 'float'"));
    }
    let sign = spec.sign_of(value.is_sign_negative() && !value.is_nan());
    let magnitude = value.abs();
    let mut digits = match (kind, magnitude.is_finite()) {
        (_, false) => (if value.is_nan() { "nan" } else { "inf" }).to_owned(),
        (Some('e' | 'E'), _) => exponential(magnitude, spec.precision.unwrap_or(6)),
        (Some('f' | 'F'), _) => format!("{magnitude:.*}", spec.precision.unwrap_or(6)),
        (Some('%'), _) => format!("{:.*}", spec.precision.unwrap_or(6), magnitude * 100.0),
        (Some('g' | 'G' | 'n'), _) => general(magnitude, spec.precision.unwrap_or(6), spec.alternate),
        (_, _) => match spec.precision {
            Some(precision) => with_point(general_from(magnitude, precision, 1)),
            None => repr_float(magnitude),
        },
    };
    if kind.is_some_and(|kind| kind.is_ascii_uppercase()) {
        digits = digits.to_uppercase();
    }
    if let Some(mark) = spec.grouping.filter(|_| magnitude.is_finite()) {
        let end = digits.find(['.', 'e', 'E']).unwrap_or(digits.len());
        digits = group(&digits[..end], mark, 3) + &digits[end..];
    }
    if kind == Some('%') {
        digits.push('%');
    }
    Ok(spec.pad_number(sign, "", &digits))
}

/// `1.5e+03` with `precision` digits behind the point.
fn exponential(magnitude: f64, precision: usize) -> String {
    let text = format!("{magnitude:.precision$e}");
    match text.split_once('e') {
        Some((mantissa, exponent)) => format!("{mantissa}e{}", exponent_text(exponent.parse().unwrap_or(0))),
        None => text,
    }
}

/// An exponent with sign and at least two digits.
fn exponent_text(exponent: i32) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{sign}{:02}", exponent.unsigned_abs())
}

/// `%g`: the shorter of fixed and exponential notation, without trailing zeros unless `keep`.
fn general(magnitude: f64, precision: usize, keep: bool) -> String {
    let text = general_digits(magnitude, precision.max(1), 0);
    if keep { text } else { strip_zeros(&text) }
}

/// Like `%g`, but switches to an exponent `earlier` digits before.
fn general_from(magnitude: f64, precision: usize, earlier: i32) -> String {
    strip_zeros(&general_digits(magnitude, precision.max(1), earlier))
}

/// `precision` significant digits, fixed or exponential by size.
fn general_digits(magnitude: f64, precision: usize, earlier: i32) -> String {
    let scientific = exponential(magnitude, precision - 1);
    let exponent: i32 = scientific
        .split_once('e')
        .and_then(|(_, text)| text.parse().ok())
        .unwrap_or(0);
    if exponent < -4 || exponent >= precision as i32 - earlier.min(precision as i32 - 1) {
        return scientific;
    }
    format!("{magnitude:.*}", (precision as i32 - 1 - exponent).max(0) as usize)
}

/// Drops zeros behind the point, and the point if nothing is left.
fn strip_zeros(text: &str) -> String {
    let (mantissa, exponent) = match text.find('e') {
        Some(at) => text.split_at(at),
        None => (text, ""),
    };
    if !mantissa.contains('.') {
        return text.to_owned();
    }
    format!("{}{exponent}", mantissa.trim_end_matches('0').trim_end_matches('.'))
}

/// Adds `.0` to digits that look like an integer.
fn with_point(text: String) -> String {
    if text.contains(['.', 'e', 'n', 'i']) {
        text
    } else {
        text + ".0"
    }
}

/// `repr(float)`: the shortest digits that read back as the same value.
pub fn repr_float(value: f64) -> String {
    if !value.is_finite() {
        return (if value.is_nan() {
            "nan"
        } else if value > 0.0 {
            "inf"
        } else {
            "-inf"
        })
        .to_owned();
    }
    let scientific = format!("{value:e}");
    let Some((mantissa, exponent)) = scientific.split_once('e') else {
        return scientific;
    };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..16).contains(&exponent) {
        return with_point(format!("{value}"));
    }
    format!("{mantissa}e{}", exponent_text(exponent))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn float(value: f64, spec: &str) -> String {
        format_float(value, &Spec::parse(spec).unwrap()).unwrap()
    }

    fn int(value: i64, spec: &str) -> String {
        format_int(&BigInt::from(value), &Spec::parse(spec).unwrap()).unwrap()
    }

    // Every expectation was printed by CPython 3.11.
    #[test]
    fn floats_look_like_cpython() {
        let cases = [
            (1234.5, ".2f", "1234.50"),
            (0.000123, ".2e", "1.23e-04"),
            (1234567.0, ",.1f", "1,234,567.0"),
            (0.5, ".1%", "50.0%"),
            (1e20, "g", "1e+20"),
            (0.0001, "g", "0.0001"),
            (0.00001, "g", "1e-05"),
            (123456789.0, "g", "1.23457e+08"),
            (3.0, "", "3.0"),
            (3.0, ".3", "3.0"),
            (123.0, ".3", "1.23e+02"),
            (-1.5, "+08.2f", "-0001.50"),
            (1.5, "+08.2f", "+0001.50"),
            (2.5, ">10.1f", "       2.5"),
            (2.5, "*^9.1f", "***2.5***"),
            (f64::INFINITY, "8.2f", "     inf"),
            (f64::NAN, ".2f", "nan"),
            (1e-9, ".2e", "1.00e-09"),
            (1234.0, "010,.1f", "0,001,234.0"),
            (100000.0, ".6g", "100000"),
            (1000000.0, ".6g", "1e+06"),
            (1.0, "#.3g", "1.00"),
        ];
        for (value, spec, expected) in cases {
            assert_eq!(float(value, spec), expected, "{value} {spec}");
        }
    }

    #[test]
    fn integers_look_like_cpython() {
        let cases = [
            (255, "x", "ff"),
            (255, "#06x", "0x00ff"),
            (5, "03d", "005"),
            (-5, "04d", "-005"),
            (1234567, ",", "1,234,567"),
            (1234567, "_", "1_234_567"),
            (5, "b", "101"),
            (65, "c", "A"),
            (7, "<4", "7   "),
            (7, "^5", "  7  "),
            (3, ".2f", "3.00"),
        ];
        for (value, spec, expected) in cases {
            assert_eq!(int(value, spec), expected, "{value} {spec}");
        }
    }

    #[test]
    fn reprs_are_the_shortest() {
        let cases = [
            (0.1, "0.1"),
            (1e16, "1e+16"),
            (123456789012345680.0, "1.2345678901234568e+17"),
            (1e15, "1000000000000000.0"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (-0.0, "-0.0"),
            (1e100, "1e+100"),
            (5e-324, "5e-324"),
        ];
        for (value, expected) in cases {
            assert_eq!(repr_float(value), expected);
        }
    }

    #[test]
    fn mistakes_have_pythons_words() {
        assert_eq!(Spec::parse("5.").unwrap_err(), "Format specifier missing precision");
        assert_eq!(Spec::parse("5dd").unwrap_err(), "Invalid format specifier '5dd'");
        let spec = Spec::parse("d").unwrap();
        assert_eq!(
            format_float(1.0, &spec).unwrap_err(),
            "Unknown format code 'd' for object of type 'float'"
        );
    }
}
