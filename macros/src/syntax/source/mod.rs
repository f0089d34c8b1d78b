//! The source file around a function.
//!
//! A macro is given the function and nothing else, but it can find the file that the function is
//! in, and see what is there. If the file cannot be found, as in code that another macro generated,
//! nothing is known of it.

use std::cell::{OnceCell, RefCell};
use std::ops::Range;
use std::path::PathBuf;
use std::rc::Rc;

use proc_macro2::Span;

pub(crate) use self::regions::Surroundings;
use super::source::pieces::next_piece;
use super::source::regions::Region;

pub(crate) mod hashers;
pub(crate) mod imports;
mod pieces;
mod regions;
pub(crate) mod statics;

/// A file that has been read.
#[derive(Debug)]
pub(crate) struct SourceFile {
    pub(crate) text: String,
    /// Where the lines begin.
    lines: Vec<usize>,
    regions: Vec<Region>,
    /// Looked for when a macro is met that may be one of them.
    definitions: OnceCell<Vec<(String, Range<usize>)>>,
    declared: Vec<(usize, String)>,
}

impl SourceFile {
    fn new(text: String) -> Self {
        let (regions, declared) = regions::find(&text);
        let ends = text.match_indices('\n').map(|(end, _)| end + 1);
        let lines = std::iter::once(0).chain(ends).collect();
        Self { text, lines, regions, definitions: OnceCell::new(), declared }
    }

    /// Where `span`, which is in the file, begins in its text.
    fn position_of(&self, span: Span) -> Option<usize> {
        let start = span.unwrap().start();
        let line = *self.lines.get(start.line() - 1)?;
        let (column, _) = self.text[line..].char_indices().nth(start.column() - 1)?;
        Some(line + column)
    }

    /// What is in the brackets of each `macro_rules!` of this name.
    pub(crate) fn definitions<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.ranges_of(name).map(|range| &self.text[range.clone()])
    }

    /// Whether there is a `macro_rules!` of this name that code at `span` sees, because it comes later in what
    /// the definition is in.
    pub(crate) fn defines(&self, name: &str, span: Span) -> bool {
        self.ranges_of(name).next().is_some()
            && self.position_of(span).is_some_and(|position| self.defines_before(name, position))
    }

    fn defines_before(&self, name: &str, position: usize) -> bool {
        let is_seen =
            |range: &Range<usize>| regions::is_seen(&self.regions, range.start - 1, position);
        self.ranges_of(name).any(|range| range.end < position && is_seen(range))
    }

    /// Where the contents of each `macro_rules!` of this name are.
    fn ranges_of<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Range<usize>> {
        let definitions = self.definitions.get_or_init(|| find_definitions(&self.text));
        definitions.iter().filter(move |(known, _)| known == name).map(|(_, range)| range)
    }
}

thread_local! {
    // Workflows of one file are expanded one after the other.
    static LAST: RefCell<Option<(PathBuf, Rc<SourceFile>)>> = const { RefCell::new(None) };
}

/// The file that `span` is in.
pub(crate) fn file_of(span: Span) -> Option<Rc<SourceFile>> {
    // Without a compiler around there is no file, as in a unit test.
    let path = proc_macro::is_available().then(|| span.unwrap().local_file()).flatten()?;
    LAST.with_borrow_mut(|last| {
        if let Some((known, file)) = last
            && *known == path
        {
            return Some(Rc::clone(file));
        }
        let text = std::fs::read_to_string(&path).ok()?;
        let file = Rc::new(SourceFile::new(text));
        *last = Some((path, Rc::clone(&file)));
        Some(file)
    })
}

/// What `span` is directly in; `None` if it is not known.
pub(crate) fn surroundings_of(span: Span) -> Option<Surroundings> {
    let file = file_of(span)?;
    Some(regions::innermost(&file.regions, file.position_of(span)?))
}

/// The names of the constants that the file declares where code at `span` sees them.
pub(crate) fn declared_around(span: Span) -> Vec<String> {
    let Some(file) = file_of(span) else { return Vec::new() };
    let Some(position) = file.position_of(span) else { return Vec::new() };
    regions::declared_for(&file.regions, &file.declared, position)
}

/// Finds the definitions of macros: their names, and where in the text the brackets' contents are.
fn find_definitions(text: &str) -> Vec<(String, Range<usize>)> {
    let mut definitions = Vec::new();
    // Those that are open: the depth of their brackets, the name, and where the contents begin.
    let mut open: Vec<(usize, &str, usize)> = Vec::new();
    let mut last = [""; 3];
    let (mut depth, mut next) = (0_usize, 0);
    while let Some((at, piece)) = next_piece(text, &mut next) {
        match piece {
            "{" | "(" | "[" => {
                depth += 1;
                if let ["macro_rules", "!", name] = last {
                    open.push((depth, name, next));
                }
            }
            "}" | ")" | "]" => {
                if let Some((_, name, start)) = open.pop_if(|(opened, ..)| *opened == depth) {
                    definitions.push((name.to_owned(), start..at));
                }
                depth = depth.saturating_sub(1);
            }
            _ => {}
        }
        last.rotate_left(1);
        last[2] = piece;
    }
    definitions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_seen_after_them_in_what_they_are_in() {
        let text = "macro_rules! a { () => {} }\nfn f() { macro_rules! b { () => {} } }\nmod m {\n \
                    macro_rules! c ( () => {} );\n fn HERE() { macro_rules! d { () => {} } }\n}\n\
                    macro_rules! e { () => {} }\n";
        let file = SourceFile::new(text.to_owned());
        let here = text.find("HERE").expect("a place");
        let seen = ["a", "b", "c", "d", "e"].map(|name| file.defines_before(name, here));
        assert_eq!(seen, [true, false, true, false, false]);
    }
}
