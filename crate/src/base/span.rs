//! Source files and positions in them.

use serde::Serialize;

use crate::base::index::IndexVec;
use crate::index_type;

index_type!(
    /// A source file of a run.
    FileId
);
index_type!(
    /// An interned [`Loc`]: where an instruction came from, with its call chain.
    LocId
);

/// A byte range in a source file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The range `start..end` of `file`.
    pub const fn new(file: FileId, start: u32, end: u32) -> Self {
        Self { file, start, end }
    }

    /// The smallest range that covers both; both must be of the same file.
    pub fn to(self, other: Self) -> Self {
        Self {
            file: self.file,
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }
}

/// Where an instruction was issued: its span and the call that led there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Loc {
    /// The call expression that issued the instruction.
    pub span: Span,
    /// The call site of the function that contains it; `None` in the kernel's own body.
    pub caller: Option<LocId>,
}

/// A position that people read: lines and columns count from 1, columns in Unicode scalar values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct LineColumn {
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1, in Unicode scalar values.
    pub column: u32,
}

/// One source text.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// The name shown to people, usually a relative path.
    pub name: String,
    /// The whole text.
    pub text: String,
    line_starts: Vec<u32>,
}

impl SourceFile {
    /// Takes a text and finds its lines.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        let starts = text
            .bytes()
            .enumerate()
            .filter(|&(_, byte)| byte == b'\n')
            .map(|(at, _)| at as u32 + 1);
        let line_starts = std::iter::once(0).chain(starts).collect();
        Self {
            name: name.into(),
            text,
            line_starts,
        }
    }

    /// The position of byte `offset`; offsets past the end give the end.
    pub fn position(&self, offset: u32) -> LineColumn {
        let offset = (offset as usize).min(self.text.len());
        let line = self.line_starts.partition_point(|&start| start as usize <= offset) - 1;
        let start = self.line_starts[line] as usize;
        let column = self
            .text
            .get(start..offset)
            .map_or(offset - start, |before| before.chars().count());
        LineColumn {
            line: line as u32 + 1,
            column: column as u32 + 1,
        }
    }

    /// The text of line `line` (from 1) without its line ending; empty past the end.
    pub fn line_text(&self, line: u32) -> &str {
        let index = line.saturating_sub(1) as usize;
        let Some(&start) = self.line_starts.get(index) else {
            return "";
        };
        let end = self
            .line_starts
            .get(index + 1)
            .map_or(self.text.len(), |&next| next as usize);
        self.text
            .get(start as usize..end)
            .unwrap_or("")
            .trim_end_matches(['\n', '\r'])
    }
}

/// All source files of a run.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: IndexVec<FileId, SourceFile>,
}

impl SourceMap {
    /// Adds a file.
    pub fn add(&mut self, file: SourceFile) -> FileId {
        self.files.push(file)
    }

    /// The file `id`.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id]
    }

    /// The file called `name`, if it was added.
    pub fn find(&self, name: &str) -> Option<FileId> {
        self.files
            .iter_enumerated()
            .find(|(_, file)| file.name == name)
            .map(|(id, _)| id)
    }

    /// The text that a span covers.
    pub fn text(&self, span: Span) -> &str {
        self.files[span.file]
            .text
            .get(span.start as usize..span.end as usize)
            .unwrap_or("")
    }

    /// First and last position of a span.
    pub fn range(&self, span: Span) -> (LineColumn, LineColumn) {
        let file = &self.files[span.file];
        (file.position(span.start), file.position(span.end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_not_bytes() {
        let file = SourceFile::new("k.py", "a = 1\nμ = é\n");
        assert_eq!(file.position(6), LineColumn { line: 2, column: 1 });
        assert_eq!(file.position(11), LineColumn { line: 2, column: 5 });
        assert_eq!(file.line_text(2), "μ = é");
        assert_eq!(file.line_text(9), "");
    }
}
