//! The methods of `str`.

use crate::builtin;
use crate::interp::Interp;
use crate::interp::builtin::Args;
use crate::interp::raised::{Raised, Result};
use crate::interp::value::Value;

builtin! {
    /// Methods of `str`; the first parameter of each is the string.
    pub STR_METHODS;
    /// The string with its `{}` fields replaced by arguments.
    "format" "(self, /, *args, **kwargs)" => |cx, args| cx.format_template(args);
    /// The string in upper case.
    "upper" "(self, /)" => |_cx, args| Ok(args.str(0)?.to_uppercase().into());
    /// The string in lower case.
    "lower" "(self, /)" => |_cx, args| Ok(args.str(0)?.to_lowercase().into());
    /// The string in lower case, for comparisons.
    "casefold" "(self, /)" => |_cx, args| Ok(args.str(0)?.to_lowercase().into());
    /// First letter in upper case, the rest in lower case.
    "capitalize" "(self, /)" => |_cx, args| Ok(capitalize(args.str(0)?).into());
    /// First letter of each word in upper case, the rest in lower case.
    "title" "(self, /)" => |_cx, args| Ok(title(args.str(0)?).into());
    /// Upper case becomes lower case and the other way round.
    "swapcase" "(self, /)" => |_cx, args| Ok(args.str(0)?.chars().flat_map(swapped).collect::<String>().into());
    /// The string without the characters of `chars` (white space) at both ends.
    "strip" "(self, chars=None, /)" => |_cx, args| stripped(args, true, true);
    /// The string without the characters of `chars` (white space) at the start.
    "lstrip" "(self, chars=None, /)" => |_cx, args| stripped(args, true, false);
    /// The string without the characters of `chars` (white space) at the end.
    "rstrip" "(self, chars=None, /)" => |_cx, args| stripped(args, false, true);
    /// The parts between separators, at most `maxsplit + 1`.
    "split" "(self, /, sep=None, maxsplit=-1)" => |cx, args| split(cx, args, false);
    /// The parts between separators, split from the end.
    "rsplit" "(self, /, sep=None, maxsplit=-1)" => |cx, args| split(cx, args, true);
    /// The lines, without their ends unless `keepends`.
    "splitlines" "(self, /, keepends=False)" => |_cx, args| {
        let keep = args.truth_or(1, false)?;
        let text = args.str(0)?;
        let lines = text.split_inclusive('\n').map(|line| if keep { line } else { line.trim_end_matches(['\n', '\r']) });
        Ok(Value::list(lines.map(Value::from).collect()))
    };
    /// The strings of an iterable, joined by this one.
    "join" "(self, iterable, /)" => |cx, args| join(cx, args);
    /// Whether the string starts with a prefix, or one of a tuple.
    "startswith" "(self, prefix, start=None, end=None, /)" => |_cx, args| affix(args, |text, part| text.starts_with(part));
    /// Whether the string ends with a suffix, or one of a tuple.
    "endswith" "(self, suffix, start=None, end=None, /)" => |_cx, args| affix(args, |text, part| text.ends_with(part));
    /// The string without a prefix.
    "removeprefix" "(self, prefix, /)" => |_cx, args| {
        let text = args.str(0)?;
        Ok(text.strip_prefix(args.str(1)?).unwrap_or(text).into())
    };
    /// The string without a suffix.
    "removesuffix" "(self, suffix, /)" => |_cx, args| {
        let text = args.str(0)?;
        Ok(text.strip_suffix(args.str(1)?).unwrap_or(text).into())
    };
    /// The string with `old` replaced by `new`, at most `count` times.
    "replace" "(self, old, new, count=-1, /)" => |cx, args| {
        let (text, old, new) = (args.str(0)?, args.str(1)?, args.str(2)?);
        let most = usize::try_from(args.int_or(3, -1)?).unwrap_or(usize::MAX);
        let found = if old.is_empty() { text.len() + 1 } else { text.matches(old).count() };
        cx.check_items(text.len().saturating_add(found.min(most).saturating_mul(new.len())))?;
        Ok(text.replacen(old, new, most).into())
    };
    /// The lowest index of a substring, or -1.
    "find" "(self, sub, start=None, end=None, /)" => |_cx, args| Ok(Value::Int(position(args, false)?.unwrap_or(-1)));
    /// The highest index of a substring, or -1.
    "rfind" "(self, sub, start=None, end=None, /)" => |_cx, args| Ok(Value::Int(position(args, true)?.unwrap_or(-1)));
    /// The lowest index of a substring; an error if there is none.
    "index" "(self, sub, start=None, end=None, /)" => |_cx, args| found(position(args, false)?);
    /// The highest index of a substring; an error if there is none.
    "rindex" "(self, sub, start=None, end=None, /)" => |_cx, args| found(position(args, true)?);
    /// How often a substring occurs, without overlaps.
    "count" "(self, sub, start=None, end=None, /)" => |_cx, args| {
        let (window, _) = window(args)?;
        let part = args.str(1)?;
        Ok(if part.is_empty() { window.chars().count() + 1 } else { window.matches(part).count() }.into())
    };
    /// The parts before, of and behind the first separator.
    "partition" "(self, sep, /)" => |_cx, args| partition(args, false);
    /// The parts before, of and behind the last separator.
    "rpartition" "(self, sep, /)" => |_cx, args| partition(args, true);
    /// The string padded on the right.
    "ljust" "(self, width, fillchar=' ', /)" => |cx, args| padded(cx, args, |_, missing| (0, missing));
    /// The string padded on the left.
    "rjust" "(self, width, fillchar=' ', /)" => |cx, args| padded(cx, args, |_, missing| (missing, 0));
    /// The string padded on both sides.
    "center" "(self, width, fillchar=' ', /)" => |cx, args| padded(cx, args, |width, missing| {
        // CPython puts the odd character on the left when the width is odd.
        let left = missing / 2 + (missing & width & 1);
        (left, missing - left)
    });
    /// The string padded with zeros behind its sign.
    "zfill" "(self, width, /)" => |cx, args| {
        let (text, width) = (args.str(0)?, args.int(1)?);
        let missing = usize::try_from(width.max(0)).unwrap_or(usize::MAX).saturating_sub(text.chars().count());
        cx.check_items(missing)?;
        let (sign, digits) = text.split_at(usize::from(text.starts_with(['+', '-'])));
        Ok(format!("{sign}{}{digits}", "0".repeat(missing)).into())
    };
    /// The string with tabs replaced by spaces.
    "expandtabs" "(self, /, tabsize=8)" => |_cx, args| Ok(expand_tabs(args.str(0)?, args.int_or(1, 8)?).into());
    /// Whether all characters are digits and there is one.
    "isdigit" "(self, /)" => |_cx, args| every(args, |letter| letter.is_numeric());
    /// Whether all characters are decimal digits and there is one.
    "isdecimal" "(self, /)" => |_cx, args| every(args, |letter| letter.is_ascii_digit());
    /// Whether all characters are numeric and there is one.
    "isnumeric" "(self, /)" => |_cx, args| every(args, |letter| letter.is_numeric());
    /// Whether all characters are letters and there is one.
    "isalpha" "(self, /)" => |_cx, args| every(args, char::is_alphabetic);
    /// Whether all characters are letters or digits and there is one.
    "isalnum" "(self, /)" => |_cx, args| every(args, char::is_alphanumeric);
    /// Whether all characters are white space and there is one.
    "isspace" "(self, /)" => |_cx, args| every(args, char::is_whitespace);
    /// Whether the cased characters are all upper case and there is one.
    "isupper" "(self, /)" => |_cx, args| {
        let text = args.str(0)?;
        Ok(Value::Bool(text.chars().any(char::is_uppercase) && !text.chars().any(char::is_lowercase)))
    };
    /// Whether the cased characters are all lower case and there is one.
    "islower" "(self, /)" => |_cx, args| {
        let text = args.str(0)?;
        Ok(Value::Bool(text.chars().any(char::is_lowercase) && !text.chars().any(char::is_uppercase)))
    };
    /// Whether the string could be a name.
    "isidentifier" "(self, /)" => |_cx, args| {
        let text = args.str(0)?;
        let starts = text.starts_with(|letter: char| letter.is_alphabetic() || letter == '_');
        Ok(Value::Bool(starts && text.chars().all(|letter| letter.is_alphanumeric() || letter == '_')))
    };
}

/// First letter in upper case, the rest in lower case.
fn capitalize(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first
            .to_uppercase()
            .chain(letters.flat_map(char::to_lowercase))
            .collect()
    })
}

/// Each word capitalised; a word is a run of letters.
fn title(text: &str) -> String {
    let mut inside = false;
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        if inside {
            out.extend(letter.to_lowercase());
        } else {
            out.extend(letter.to_uppercase());
        }
        inside = letter.is_alphabetic();
    }
    out
}

/// The character in the other case.
fn swapped(letter: char) -> Vec<char> {
    if letter.is_uppercase() {
        letter.to_lowercase().collect()
    } else {
        letter.to_uppercase().collect()
    }
}

/// `strip` at one or both ends.
fn stripped(args: &Args, start: bool, end: bool) -> Result<Value> {
    let text = args.str(0)?;
    let chars = args.some(1).map(|_| args.str(1)).transpose()?;
    let drop = |letter: char| chars.map_or_else(|| letter.is_whitespace(), |chars| chars.contains(letter));
    let text = if start { text.trim_start_matches(drop) } else { text };
    Ok(if end { text.trim_end_matches(drop) } else { text }.into())
}

/// `split` and `rsplit`.
fn split(cx: &mut Interp, args: &Args, from_end: bool) -> Result<Value> {
    let text = args.str(0)?;
    let most = usize::try_from(args.int_or(2, -1)?).unwrap_or(usize::MAX);
    let mut parts: Vec<&str> = match args.some(1) {
        None => split_spaces(text, most, from_end),
        Some(_) => {
            let sep = args.str(1)?;
            if sep.is_empty() {
                return Err(Raised::value_error("empty separator"));
            }
            let most = most.saturating_add(1);
            if from_end {
                text.rsplitn(most, sep).collect()
            } else {
                text.splitn(most, sep).collect()
            }
        }
    };
    if from_end {
        parts.reverse();
    }
    cx.check_items(parts.len())?;
    Ok(Value::list(parts.into_iter().map(Value::from).collect()))
}

/// The words of a text; the last part keeps its inner white space once `most` splits were made.
fn split_spaces(text: &str, most: usize, from_end: bool) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let cut = if from_end {
            rest.rfind(char::is_whitespace)
        } else {
            rest.find(char::is_whitespace)
        };
        let Some(at) = cut.filter(|_| parts.len() < most) else {
            parts.push(rest);
            break;
        };
        if from_end {
            let width = rest[at..].chars().next().map_or(1, char::len_utf8);
            parts.push(&rest[at + width..]);
            rest = rest[..at].trim_end();
        } else {
            parts.push(&rest[..at]);
            rest = rest[at..].trim_start();
        }
    }
    parts
}

/// `join`.
fn join(cx: &mut Interp, args: &Args) -> Result<Value> {
    let items = cx.collect(args.value(1))?;
    let sep = args.str(0)?;
    let mut out = String::new();
    for (at, item) in items.iter().enumerate() {
        let Some(part) = item.as_str() else {
            let got = crate::interp::builtin::plain_type_name(item);
            return Err(Raised::type_error(format!(
                "sequence item {at}: expected str instance, {got} found"
            )));
        };
        if at > 0 {
            out.push_str(sep);
        }
        out.push_str(part);
        cx.check_items(out.len())?;
    }
    Ok(out.into())
}

/// The part of the string that `start` and `end` (parameters 2 and 3) select, and its first index in characters.
fn window(args: &Args) -> Result<(&str, usize)> {
    let text = args.str(0)?;
    let length = text.chars().count() as i64;
    let clamp = |at: i64| (if at < 0 { at + length } else { at }).clamp(0, length) as usize;
    let bound = |at: usize, default: i64| match args.some(at) {
        Some(_) => args.int(at).map(clamp),
        None => Ok(default as usize),
    };
    let (start, end) = (bound(2, 0)?, bound(3, length)?);
    let byte = |at: usize| text.char_indices().nth(at).map_or(text.len(), |(byte, _)| byte);
    Ok((if start < end { &text[byte(start)..byte(end)] } else { "" }, start))
}

/// The index of a substring, in characters.
fn position(args: &Args, last: bool) -> Result<Option<i64>> {
    let (window, start) = window(args)?;
    let part = args.str(1)?;
    let at = if last { window.rfind(part) } else { window.find(part) };
    Ok(at.map(|byte| (start + window[..byte].chars().count()) as i64))
}

/// `index` raises where `find` returns -1.
fn found(at: Option<i64>) -> Result<Value> {
    at.map(Value::Int)
        .ok_or_else(|| Raised::value_error("substring not found"))
}

/// `startswith` and `endswith`.
fn affix(args: &Args, test: fn(&str, &str) -> bool) -> Result<Value> {
    let (window, _) = window(args)?;
    let parts = match args.value(1).as_items() {
        Some(items) => items
            .iter()
            .map(|item| item.as_str().map(str::to_owned))
            .collect::<Option<Vec<_>>>(),
        None => Some(vec![args.str(1)?.to_owned()]),
    };
    let parts = parts.ok_or_else(|| args.wrong(1, "a string or a tuple of strings"))?;
    Ok(Value::Bool(parts.iter().any(|part| test(window, part))))
}

/// `partition` and `rpartition`.
fn partition(args: &Args, last: bool) -> Result<Value> {
    let (text, sep) = (args.str(0)?, args.str(1)?);
    if sep.is_empty() {
        return Err(Raised::value_error("empty separator"));
    }
    let parts = match (
        if last {
            text.rsplit_once(sep)
        } else {
            text.split_once(sep)
        },
        last,
    ) {
        (Some((before, after)), _) => [before, sep, after],
        (None, false) => [text, "", ""],
        (None, true) => ["", "", text],
    };
    Ok(Value::tuple(parts.map(Value::from).to_vec()))
}

/// Padding to a width; `sides` gives the characters on the left and right.
fn padded(cx: &mut Interp, args: &Args, sides: fn(usize, usize) -> (usize, usize)) -> Result<Value> {
    let (text, fill) = (args.str(0)?, args.str_or(2, " ")?);
    if fill.chars().count() != 1 {
        return Err(args.wrong(2, "one character"));
    }
    let width = usize::try_from(args.int(1)?.max(0)).unwrap_or(usize::MAX);
    cx.check_items(width)?;
    let (left, right) = sides(width, width.saturating_sub(text.chars().count()));
    Ok(format!("{}{text}{}", fill.repeat(left), fill.repeat(right)).into())
}

/// Tabs become spaces up to the next multiple of `size`.
fn expand_tabs(text: &str, size: i64) -> String {
    let size = usize::try_from(size).unwrap_or(0).min(64);
    let mut out = String::new();
    let mut column = 0;
    for letter in text.chars() {
        if letter == '\t' {
            let spaces = if size == 0 { 0 } else { size - column % size };
            out.extend(std::iter::repeat_n(' ', spaces));
            column += spaces;
        } else {
            out.push(letter);
            column = if letter == '\n' { 0 } else { column + 1 };
        }
    }
    out
}

/// Whether `test` holds for every character and there is one.
fn every(args: &Args, test: fn(char) -> bool) -> Result<Value> {
    let text = args.str(0)?;
    Ok(Value::Bool(!text.is_empty() && text.chars().all(test)))
}
