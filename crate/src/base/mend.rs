//! Rewrites that a rule knows: what to change in a call, and the edit of the text once the call is known.
//!
//! A rule names parameters, never places. Whoever holds the source text turns a [`Mend`] into a [`Fix`]; if the call is not
//! written in the plain form that the edit needs, there is no fix and the hint has to do.

use std::ops::Range;

use crate::base::diag::Fix;
use crate::base::span::{LocId, SourceMap, Span};

/// What to change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// Exchange what two parameters are given.
    Swap(&'static str, &'static str),
    /// Give a parameter this text instead, or as well.
    Set(&'static str, String),
    /// Give a parameter this member of `nki.isa`.
    Member(&'static str, String),
    /// Leave a parameter out.
    Drop(&'static str),
    /// Call another function of the same module.
    Call(&'static str),
    /// Take the rows `from..from + count` of a tile that is written as `tile[begin:end, ...]` with numbers.
    Rows(&'static str, u32, u32),
    /// Copy what a parameter is given to a new SBUF tile with this instruction first, and give that.
    Stage(&'static str, &'static str),
    /// In the call that allocated a tensor, give `keyword` (at a position) this member of `nki.language`.
    Allocate(LocId, &'static str, usize, &'static str),
}

impl Edit {
    /// The allocation that it rewrites; `None` if it rewrites the call itself.
    pub fn allocation(&self) -> Option<LocId> {
        match self {
            Self::Allocate(loc, ..) => Some(*loc),
            Self::Swap(..)
            | Self::Set(..)
            | Self::Member(..)
            | Self::Drop(_)
            | Self::Call(_)
            | Self::Rows(..)
            | Self::Stage(..) => None,
        }
    }
}

/// A rewrite that mends a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mend {
    /// What it does, in a few words.
    pub title: String,
    /// What it changes.
    pub edit: Edit,
}

/// The call that a mend belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// The call expression.
    pub call: Span,
    /// The function that must be called there; helpers that issue it on their own are not rewritten.
    pub function: &'static str,
    /// Its parameters in order.
    pub params: Vec<&'static str>,
}

/// A rewrite at its call, while the text is not at hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// What to change.
    pub mend: Mend,
    /// Where.
    pub site: Site,
}

/// One argument of a call, as ranges of the file.
struct Argument {
    keyword: Option<String>,
    value: Range<usize>,
    /// With the keyword.
    whole: Range<usize>,
}

/// A call taken apart.
struct Call<'t> {
    text: &'t str,
    callee: &'t str,
    arguments: Vec<Argument>,
    /// Where its closing parenthesis is.
    close: usize,
}

impl<'t> Call<'t> {
    /// Takes apart what `span` covers; `None` unless that is a call.
    fn parse(text: &'t str, span: Span) -> Option<Self> {
        let (start, end) = (span.start as usize, span.end as usize);
        let inside = text.get(start..end)?;
        let open = inside.find('(')?;
        let callee = inside[..open].trim();
        let named = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '.';
        if callee.is_empty() || !callee.chars().all(named) || !inside.ends_with(')') {
            return None;
        }
        let close = end - 1;
        let commas = commas(text.get(start + open + 1..close)?)?;
        let mut arguments = Vec::new();
        let mut from = start + open + 1;
        for to in commas.into_iter().map(|at| start + open + 1 + at).chain([close]) {
            if let Some(argument) = argument(text, from..to) {
                arguments.push(argument);
            }
            from = to + 1;
        }
        Some(Self {
            text,
            callee,
            arguments,
            close,
        })
    }

    /// The argument of a parameter, given by name or by position.
    fn argument(&self, name: &str, position: Option<usize>) -> Option<&Argument> {
        let named = self
            .arguments
            .iter()
            .find(|argument| argument.keyword.as_deref() == Some(name));
        let positional = || {
            let argument = self.arguments.get(position?)?;
            let before = &self.arguments[..=position?];
            before.iter().all(|one| one.keyword.is_none()).then_some(argument)
        };
        named.or_else(positional)
    }

    /// The edit that gives a parameter `value`.
    fn set(&self, name: &str, position: Option<usize>, value: &str) -> (Range<usize>, String) {
        if let Some(argument) = self.argument(name, position) {
            return (argument.value.clone(), value.to_owned());
        }
        let Some(last) = self.arguments.last() else {
            return (self.close..self.close, format!("{name}={value}"));
        };
        (last.whole.end..last.whole.end, format!(", {name}={value}"))
    }

    /// The edit that leaves a parameter out, with the comma beside it.
    fn drop(&self, name: &str, position: Option<usize>) -> Option<Range<usize>> {
        let argument = self.argument(name, position)?;
        let at = self.arguments.iter().position(|one| one.whole == argument.whole)?;
        // A positional argument can go only if none follows.
        if argument.keyword.is_none() && at + 1 != self.arguments.len() {
            return None;
        }
        Some(match at {
            0 => argument.whole.start..self.arguments.get(1).map_or(self.close, |next| next.whole.start),
            _ => self.arguments[at - 1].whole.end..argument.whole.end,
        })
    }

    /// The module in front of the function: `nl` of `nl.ndarray`.
    fn module(&self) -> Option<&str> {
        self.callee.rsplit_once('.').map(|(module, _)| module)
    }
}

/// Places of the commas of an argument list that no bracket and no string encloses; `None` for text that this does not understand.
fn commas(text: &str) -> Option<Vec<usize>> {
    let (mut depth, mut quote, mut places) = (0_u32, None, Vec::new());
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match (quote, letter) {
            (Some(_), '\\') => {
                letters.next();
            }
            (Some(open), _) if letter == open => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(letter),
            (None, '#') => return None,
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth = depth.checked_sub(1)?,
            (None, ',') if depth == 0 => places.push(at),
            (None, _) => {}
        }
    }
    (depth == 0 && quote.is_none()).then_some(places)
}

/// The argument between two commas, without the blanks around it.
fn argument(text: &str, range: Range<usize>) -> Option<Argument> {
    let part = text.get(range.clone())?;
    let whole = range.start + (part.len() - part.trim_start().len())..range.start + part.trim_end().len();
    if whole.is_empty() {
        return None;
    }
    let inside = &text[whole.clone()];
    let keyword = inside.split_once('=').filter(|(name, rest)| {
        let name = name.trim();
        let letters = |letter: char| letter.is_alphanumeric() || letter == '_';
        !rest.starts_with('=') && !name.is_empty() && name.chars().all(letters)
    });
    Some(match keyword {
        None => Argument {
            keyword: None,
            value: whole.clone(),
            whole,
        },
        Some((name, value)) => Argument {
            keyword: Some(name.trim().to_owned()),
            value: whole.end - value.trim_start().len()..whole.end,
            whole,
        },
    })
}

/// Functions of `nki.language` that take shape, dtype and buffer in this order.
const ALLOCATIONS: &[&str] = &["ndarray", "zeros", "ones"];

/// The edit that writes `new` for the name `old`, if that stands exactly once in what `span` covers.
pub fn rename(sources: &SourceMap, span: Span, old: &str, new: &str) -> Option<Fix> {
    let text = sources.text(span);
    let letter = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut places = text.match_indices(old).filter(|(at, _)| {
        let before = text[..*at].chars().next_back();
        let after = text[at + old.len()..].chars().next();
        !before.is_some_and(letter) && !after.is_some_and(letter)
    });
    let (at, _) = places.next().filter(|_| !old.is_empty())?;
    if places.next().is_some() {
        return None;
    }
    let start = span.start + at as u32;
    Some(Fix {
        title: format!("write {new}"),
        span: Span::new(span.file, start, start + old.len() as u32),
        replacement: new.to_owned(),
    })
}

/// `tile[begin:end, ...]` with other rows; `None` if its rows are not written as two numbers.
fn rows(tile: &str, from: u32, count: u32) -> Option<String> {
    let (name, index) = tile.split_once('[')?;
    let end = index.find([',', ']'])?;
    let (begin, stop) = index[..end].split_once(':')?;
    let number = |part: &str| part.trim().parse::<u32>().ok();
    let written = number(stop)?.checked_sub(number(begin)?)?;
    (written == count).then(|| format!("{name}[{from}:{}{}", from + count, &index[end..]))
}

/// The text from the start of a statement to the end of an argument, with the argument copied to SBUF first.
fn stage(text: &str, call: &Call, start: usize, value: &Range<usize>, op: &str) -> Option<(usize, String)> {
    let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let indent = &text[line..start];
    if !indent.chars().all(|letter| letter == ' ' || letter == '\t') {
        return None;
    }
    let isa = call.module()?;
    let tile = &text[value.clone()];
    let name = tile.split('[').next()?;
    let letters = |letter: char| letter.is_alphanumeric() || letter == '_';
    if name.is_empty() || !name.chars().all(letters) || name.starts_with(|letter: char| letter.is_numeric()) {
        return None;
    }
    let import = text
        .lines()
        .find_map(|line| line.trim().strip_prefix("import nki.language as "))?;
    let (language, staged) = (import.split_whitespace().next()?, format!("{name}_sbuf"));
    let before = &text[start..value.start];
    let lines = [
        format!("{staged} = {language}.ndarray({tile}.shape, dtype={name}.dtype, buffer={language}.sbuf)"),
        format!("{isa}.{op}(dst={staged}, src={tile})"),
        format!("{before}{staged}"),
    ];
    Some((start, lines.join(&format!("\n{indent}"))))
}

impl Mend {
    /// The edit of the text; `allocation` is the place of a [`LocId`].
    pub fn fix(&self, sources: &SourceMap, site: &Site, allocation: impl Fn(LocId) -> Option<Span>) -> Option<Fix> {
        let place = match self.edit.allocation() {
            Some(loc) => allocation(loc)?,
            None => site.call,
        };
        let text = &sources.file(place.file).text;
        let call = Call::parse(text, place)?;
        let position = |name: &str| site.params.iter().position(|param| *param == name);
        let here = call.callee.rsplit('.').next() == Some(site.function);
        let (range, replacement) = match &self.edit {
            Edit::Allocate(_, keyword, position, member) => {
                if !ALLOCATIONS.contains(&call.callee.rsplit('.').next()?) {
                    return None;
                }
                let module = match call.argument(keyword, Some(*position)) {
                    Some(old) => text[old.value.clone()].rsplit_once('.')?.0,
                    None => call.module()?,
                };
                call.set(keyword, Some(*position), &format!("{module}.{member}"))
            }
            _ if !here => return None,
            Edit::Swap(a, b) => {
                let (a, b) = (call.argument(a, position(a))?, call.argument(b, position(b))?);
                let (a, b) = (a.value.clone(), b.value.clone());
                let (first, last) = if a.start < b.start { (a, b) } else { (b, a) };
                let between = text.get(first.end..last.start)?;
                let swapped = format!("{}{between}{}", &text[last.clone()], &text[first.clone()]);
                (first.start..last.end, swapped)
            }
            Edit::Member(name, member) => {
                let value = match call.module() {
                    Some(module) => format!("{module}.{member}"),
                    None => return None,
                };
                call.set(name, position(name), &value)
            }
            Edit::Set(name, value) => call.set(name, position(name), value),
            Edit::Drop(name) => (call.drop(name, position(name))?, String::new()),
            Edit::Call(name) => {
                let start = place.start as usize + call.callee.len() - site.function.len();
                (start..start + site.function.len(), (*name).to_owned())
            }
            Edit::Stage(name, op) => {
                let value = call.argument(name, position(name))?.value.clone();
                let (start, staged) = stage(text, &call, place.start as usize, &value, op)?;
                (start..value.end, staged)
            }
            Edit::Rows(name, from, count) => {
                let value = call.argument(name, position(name))?.value.clone();
                let replacement = rows(&call.text[value.clone()], *from, *count)?;
                (value, replacement)
            }
        };
        Some(Fix {
            title: self.title.clone(),
            span: Span::new(place.file, range.start as u32, range.end as u32),
            replacement,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::span::SourceFile;

    /// The text after the edit, or nothing.
    fn mended(text: &str, function: &'static str, edit: Edit) -> Option<String> {
        let mut sources = SourceMap::default();
        let file = sources.add(SourceFile::new("k.py", text));
        let call = Span::new(file, 0, text.len() as u32);
        let params = vec!["dst", "src", "engine"];
        let site = Site { call, function, params };
        let title = String::new();
        let fix = Mend { title, edit }.fix(&sources, &site, |_| Some(call))?;
        let mut text = text.to_owned();
        text.replace_range(fix.span.start as usize..fix.span.end as usize, &fix.replacement);
        Some(text)
    }

    #[test]
    fn arguments_are_exchanged_by_name_and_by_position() {
        let swap = || Edit::Swap("dst", "src");
        assert_eq!(
            mended("nisa.copy(dst=a[0, 1], src=b)", "copy", swap()).as_deref(),
            Some("nisa.copy(dst=b, src=a[0, 1])")
        );
        assert_eq!(
            mended("copy(f(a, b), c)", "copy", swap()).as_deref(),
            Some("copy(c, f(a, b))")
        );
        assert_eq!(mended("helper(a, b)", "copy", swap()), None);
        assert_eq!(mended("copy(*both)", "copy", swap()), None);
        assert_eq!(mended("copy(a, # why\n b)", "copy", swap()), None);
    }

    #[test]
    fn arguments_are_set_and_dropped() {
        let engine = || Edit::Drop("engine");
        assert_eq!(
            mended("i.copy(a, b, engine=i.engine.vector)", "copy", engine()).as_deref(),
            Some("i.copy(a, b)")
        );
        assert_eq!(
            mended("copy(engine=v, dst=a)", "copy", engine()).as_deref(),
            Some("copy(dst=a)")
        );
        assert_eq!(mended("copy(a, b, v)", "copy", engine()).as_deref(), Some("copy(a, b)"));
        assert_eq!(mended("copy(a, b)", "copy", engine()), None);
        let set = || Edit::Set("engine", "None".to_owned());
        assert_eq!(
            mended("copy(a, b)", "copy", set()).as_deref(),
            Some("copy(a, b, engine=None)")
        );
        assert_eq!(
            mended("copy(a, engine = x)", "copy", set()).as_deref(),
            Some("copy(a, engine = None)")
        );
        assert_eq!(
            mended("m.copy(a)", "copy", Edit::Call("move")).as_deref(),
            Some("m.move(a)")
        );
    }

    #[test]
    fn an_argument_goes_through_sbuf() {
        let text = "import nki.language as nl\ndef f(x):\n    nisa.copy(dst=a, src=x[0:4], engine=e)\n";
        let mut sources = SourceMap::default();
        let file = sources.add(SourceFile::new("k.py", text));
        let start = text.find("nisa").unwrap() as u32;
        let site = Site {
            call: Span::new(file, start, text.len() as u32 - 1),
            function: "copy",
            params: vec!["dst", "src", "engine"],
        };
        let mend = Mend {
            title: String::new(),
            edit: Edit::Stage("src", "dma_copy"),
        };
        let fix = mend.fix(&sources, &site, |_| None).expect("a fix");
        let mut after = text.to_owned();
        after.replace_range(fix.span.start as usize..fix.span.end as usize, &fix.replacement);
        let expected = "import nki.language as nl\ndef f(x):\n    x_sbuf = nl.ndarray(x[0:4].shape, dtype=x.dtype, buffer=nl.sbuf)\n    \
                        nisa.dma_copy(dst=x_sbuf, src=x[0:4])\n    nisa.copy(dst=a, src=x_sbuf, engine=e)\n";
        assert_eq!(after, expected);
    }

    #[test]
    fn rows_and_allocations_are_rewritten() {
        let rows = || Edit::Rows("src", 32, 16);
        assert_eq!(
            mended("copy(a, b[16:32, 0:4])", "copy", rows()).as_deref(),
            Some("copy(a, b[32:48, 0:4])")
        );
        assert_eq!(mended("copy(a, b[i:j, 0:4])", "copy", rows()), None);
        assert_eq!(mended("copy(a, b)", "copy", rows()), None);
        let psum = || Edit::Allocate(LocId(0), "buffer", 2, "psum");
        assert_eq!(
            mended("nl.ndarray((4, 4), dtype=x, buffer=nl.sbuf)", "", psum()).as_deref(),
            Some("nl.ndarray((4, 4), dtype=x, buffer=nl.psum)")
        );
        assert_eq!(
            mended("l.zeros((4, 4), x)", "", psum()).as_deref(),
            Some("l.zeros((4, 4), x, buffer=l.psum)")
        );
        assert_eq!(
            mended("nl.zeros((4, 4), x, nl.sbuf)", "", psum()).as_deref(),
            Some("nl.zeros((4, 4), x, nl.psum)")
        );
        assert_eq!(mended("nl.zeros((4, 4), x, space)", "", psum()), None);
    }
}
