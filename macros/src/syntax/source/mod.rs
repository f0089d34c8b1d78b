//! The source file around a function.
//!
//! A macro receives only the function, but it can find and read the function's source file. If the file cannot be
//! found, as for code from another macro, its content is unknown.

use std::cell::{OnceCell, RefCell};
use std::ops::Range;
use std::path::PathBuf;
use std::rc::Rc;

use proc_macro2::Span;

pub(crate) use self::regions::Surroundings;
use super::source::pieces::next_piece;
use super::source::regions::Region;

pub(crate) mod constants;
pub(crate) mod hashers;
pub(crate) mod imports;
mod pieces;
mod regions;
pub(crate) mod statics;

/// The text of a file, with an index.
#[derive(Debug)]
pub(crate) struct SourceFile {
    pub(crate) text: String,
    /// The start of each line.
    lines: Vec<usize>,
    regions: Vec<Region>,
    /// The `macro_rules!` of the file, found when first needed.
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

    /// The position of a span's start in the text.
    fn position_of(&self, span: Span) -> Option<usize> {
        let start = span.unwrap().start();
        let line = *self.lines.get(start.line() - 1)?;
        let (column, _) = self.text[line..].char_indices().nth(start.column() - 1)?;
        Some(line + column)
    }

    /// The body of each `macro_rules!` of this name.
    pub(crate) fn definitions<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.ranges_of(name).map(|range| &self.text[range.clone()])
    }

    /// Whether a `macro_rules!` of this name is in scope at `span`: it comes earlier in an enclosing block or module.
    pub(crate) fn defines(&self, name: &str, span: Span) -> bool {
        self.ranges_of(name).next().is_some()
            && self.position_of(span).is_some_and(|position| self.defines_before(name, position))
    }

    fn defines_before(&self, name: &str, position: usize) -> bool {
        let is_seen =
            |range: &Range<usize>| regions::is_seen(&self.regions, range.start - 1, position);
        self.ranges_of(name).any(|range| range.end < position && is_seen(range))
    }

    /// The range of each `macro_rules!` body of this name.
    fn ranges_of<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Range<usize>> {
        let definitions = self.definitions.get_or_init(|| find_definitions(&self.text));
        definitions.iter().filter(move |(known, _)| known == name).map(|(_, range)| range)
    }
}

thread_local! {
    // rustc expands the workflows of a file one after the other.
    static LAST: RefCell<Option<(PathBuf, Rc<SourceFile>)>> = const { RefCell::new(None) };
}

/// The file that contains `span`.
pub(crate) fn file_of(span: Span) -> Option<Rc<SourceFile>> {
    // Outside rustc, as in a unit test, a span has no file.
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

/// The brackets directly around `span`; `None` if unknown.
pub(crate) fn surroundings_of(span: Span) -> Option<Surroundings> {
    let file = file_of(span)?;
    Some(regions::innermost(&file.regions, file.position_of(span)?))
}

/// The names of the file's constants that are in scope at `span`.
pub(crate) fn declared_around(span: Span) -> Vec<String> {
    let Some(file) = file_of(span) else { return Vec::new() };
    let Some(position) = file.position_of(span) else { return Vec::new() };
    regions::declared_for(&file.regions, &file.declared, position)
}

/// Finds `macro_rules!` definitions: their names, and the ranges of their bodies.
fn find_definitions(text: &str) -> Vec<(String, Range<usize>)> {
    let mut definitions = Vec::new();
    // The open definitions: the depth of their brackets, the name, and the start of the body.
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
