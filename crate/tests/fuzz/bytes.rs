//! Texts that are no programs: scripts with bytes cut, copied, flipped and joined.

use crate::random::Random;

/// What parsers trip over, to be thrown in.
const SPLINTERS: &[&str] = &[
    "\0",
    "\t",
    "\r",
    "\u{feff}",
    "\u{202e}",
    "é",
    "𝕏",
    "\\\n",
    "\\N{DASH}",
    "\\x",
    "\"\"\"",
    "'''",
    "f'{",
    "f\"{x!r:{y}}",
    "}",
    "{",
    "(",
    ")",
    "[",
    "]",
    "#@param ",
    "#@param {type:\"slider\"",
    "min:1e999",
    "0x",
    "1_",
    "1e",
    "0b2",
    "08",
    "...",
    ":=",
    "->",
    "**",
    "//",
    "@",
    ";",
    "\n",
    "\n\n\t ",
    "    ",
    "lambda",
    "match",
    "case _",
    "async",
    "await",
    "yield",
    "nonlocal",
    "if",
    "else:",
    "elif",
    "except*",
    "finally:",
    "class",
    "def",
    "type X",
    "del",
    "with",
    "as",
    "not",
    "is",
    "in",
    "None",
];

/// A text made from one of `seeds` by a few changes at places that know nothing of syntax. Half the changes may break a letter,
/// as a damaged file would; what cannot be decoded is replaced as an editor does.
pub fn damaged(random: &mut Random, seeds: &[String]) -> String {
    let mut bytes = random.pick(seeds).clone().into_bytes();
    for _ in 0..=random.below(8) {
        let at = random.below(bytes.len() + 1);
        let to = (at + random.below(60)).min(bytes.len());
        match random.below(7) {
            0 => drop(bytes.drain(at..to)),
            1 => {
                let piece = bytes[at..to].to_vec();
                let place = random.below(bytes.len() + 1);
                bytes.splice(place..place, piece);
            }
            2 => {
                let other = random.pick(seeds).as_bytes();
                let from = random.below(other.len() + 1);
                let end = (from + random.below(200)).min(other.len());
                bytes.splice(at..to, other[from..end].iter().copied());
            }
            3 => bytes.splice(at..at, random.pick(SPLINTERS).bytes()).for_each(drop),
            4 => {
                let piece = random.pick(SPLINTERS).repeat(1 + random.below(300));
                bytes.splice(at..at, piece.bytes());
            }
            5 => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << random.below(8);
                }
            }
            _ => bytes.truncate(to),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
