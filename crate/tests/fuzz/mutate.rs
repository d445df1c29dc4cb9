//! Scripts that work, with a few words replaced by others of their kind: close enough to right to get far.

use crate::random::Random;

/// Numbers at which limits lie.
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "2",
    "3",
    "7",
    "16",
    "31",
    "32",
    "33",
    "64",
    "96",
    "127",
    "128",
    "129",
    "256",
    "511",
    "512",
    "513",
    "4096",
    "8192",
    "65535",
    "65536",
    "2**31",
    "2**32",
    "2**63",
    "-2**63",
    "10**30",
    "0.0",
    "-0.0",
    "0.5",
    "1e30",
    "1e-40",
    "float('inf')",
    "float('nan')",
    "None",
    "True",
    "()",
    "[]",
    "''",
    "slice(None)",
    "...",
];

/// A stretch of a text that is one word or one number.
fn words(text: &str) -> Vec<(usize, usize)> {
    let part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let end = (at..bytes.len()).find(|&end| !part(bytes[end])).unwrap_or(bytes.len());
        if end > at {
            found.push((at, end));
        }
        at = end + 1;
    }
    found
}

/// Words that mean something to the parser: exchanged, they would hardly ever leave a program.
const KEYWORDS: &[&str] = &[
    "and", "as", "assert", "break", "class", "continue", "def", "del", "elif", "else", "except", "finally", "for",
    "from", "if", "import", "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while",
    "with", "yield",
];

/// A variant of one of `seeds`.
pub fn mutated(random: &mut Random, seeds: &[String]) -> String {
    let mut text = random.pick(seeds).clone();
    for _ in 0..=random.below(4) {
        let mut found = words(&text);
        found.retain(|&(from, to)| !KEYWORDS.contains(&&text[from..to]));
        if found.is_empty() {
            return text;
        }
        let &(from, to) = random.pick(&found);
        let number = text.as_bytes()[from].is_ascii_digit();
        match random.below(10) {
            // A line goes, or comes twice.
            0 | 1 => {
                let lines: Vec<&str> = text.split_inclusive('\n').collect();
                let at = random.below(lines.len());
                let twice = random.chance(50);
                let kept = lines.iter().enumerate().flat_map(|(line, text)| {
                    let times = if line != at { 1 } else { 2 * usize::from(twice) };
                    std::iter::repeat_n(*text, times)
                });
                text = kept.collect();
            }
            _ if number => text.replace_range(from..to, random.pick::<&str>(NUMBERS)),
            _ => {
                let names: Vec<_> = found
                    .iter()
                    .filter(|word| !text.as_bytes()[word.0].is_ascii_digit())
                    .collect();
                let &&(first, last) = random.pick(&names);
                let other = text[first..last].to_owned();
                text.replace_range(from..to, &other);
            }
        }
    }
    text
}
