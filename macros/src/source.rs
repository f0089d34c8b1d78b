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
        let (regions, declared) = find_regions(&text);
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
        let is_seen = |range: &Range<usize>| is_seen(&self.regions, range.start - 1, position);
        self.ranges_of(name).any(|range| range.end < position && is_seen(range))
    }

    /// Where the contents of each `macro_rules!` of this name are.
    fn ranges_of<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Range<usize>> {
        let definitions = self.definitions.get_or_init(|| find_definitions(&self.text));
        definitions.iter().filter(move |(known, _)| known == name).map(|(_, range)| range)
    }
}

/// What is between a pair of brackets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Surroundings {
    /// An `impl` block: what stands before its braces.
    Impl(String),
    /// A `trait`.
    Trait,
    /// The input of a macro, which may put it anywhere.
    Macro,
    /// Items or code.
    Other,
}

#[derive(Debug)]
struct Region {
    start: usize,
    end: usize,
    surroundings: Surroundings,
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
    Some(innermost(&file.regions, file.position_of(span)?))
}

/// The names of the constants that the file declares where code at `span` sees them.
pub(crate) fn declared_around(span: Span) -> Vec<String> {
    let Some(file) = file_of(span) else { return Vec::new() };
    let Some(position) = file.position_of(span) else { return Vec::new() };
    declared_for(&file.regions, &file.declared, position)
}

fn declared_for(regions: &[Region], declared: &[(usize, String)], position: usize) -> Vec<String> {
    let seen = declared.iter().filter(|(at, _)| is_seen(regions, *at, position));
    seen.map(|(_, name)| name.clone()).collect()
}

/// Whether `position` is in all that `at` is in.
fn is_seen(regions: &[Region], at: usize, position: usize) -> bool {
    let mut around = regions.iter().filter(|region| region.holds(at));
    around.all(|region| region.holds(position))
}

fn innermost(regions: &[Region], position: usize) -> Surroundings {
    let around = regions.iter().filter(|region| region.holds(position));
    // An inner region begins after the outer one.
    let innermost = around.max_by_key(|region| region.start);
    innermost.map_or(Surroundings::Other, |region| region.surroundings.clone())
}

impl Region {
    fn holds(&self, position: usize) -> bool {
        self.start < position && position < self.end
    }
}

/// What has been read of the item or statement at one depth of brackets.
#[derive(Default)]
struct Level {
    /// The first word that is no modifier, and where it is.
    first: Option<(usize, String)>,
    /// Whether that word is to be followed by the name of a constant.
    names_constant: bool,
    /// The last three pieces.
    last: [Piece; 3],
    /// The region that the brackets are, as an index.
    region: Option<usize>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Piece {
    #[default]
    Other,
    Word,
    Bang,
}

impl Level {
    fn add(&mut self, piece: Piece) {
        self.last.rotate_left(1);
        self.last[2] = piece;
    }

    /// Gives the word if it is the name of a constant.
    fn add_word(&mut self, at: usize, word: &str) -> Option<String> {
        self.add(Piece::Word);
        if ["pub", "unsafe", "default"].contains(&word) {
            return None;
        }
        if self.first.is_none() {
            self.names_constant = word == "const";
            self.first = Some((at, word.to_owned()));
            return None;
        }
        let is_name = std::mem::take(&mut self.names_constant);
        is_name.then(|| word.to_owned())
    }

    /// What the brackets are that open at `at`.
    fn opens(&self, text: &str, at: usize, is_brace: bool) -> Option<Surroundings> {
        use Piece::{Bang, Word};
        if matches!(self.last, [_, Word, Bang] | [Word, Bang, Word]) {
            return Some(Surroundings::Macro);
        }
        is_brace.then(|| match &self.first {
            Some((start, word)) if word == "impl" => {
                Surroundings::Impl(text[*start..at].to_owned())
            }
            Some((_, word)) if word == "trait" || word == "auto" => Surroundings::Trait,
            _ => Surroundings::Other,
        })
    }

    /// Begins with the next item.
    fn restart(&mut self) {
        *self = Self { region: self.region, ..Self::default() };
    }
}

/// Finds what is in brackets, and the names of constants. Where rustc puts the tokens of a text it does not tell, so the text is
/// taken apart here, as far as it takes to tell brackets from those in literals and comments.
fn find_regions(text: &str) -> (Vec<Region>, Vec<(usize, String)>) {
    let mut regions: Vec<Region> = Vec::new();
    let mut declared = Vec::new();
    let mut levels = vec![Level::default()];
    let mut next = 0;
    while let Some((at, piece)) = next_piece(text, &mut next) {
        let depth = levels.len();
        let Some(level) = levels.last_mut() else { break };
        let first = piece.as_bytes()[0];
        match first {
            b'{' | b'(' | b'[' => {
                let surroundings = level.opens(text, at, first == b'{');
                let region = surroundings.map(|surroundings| {
                    regions.push(Region { start: at, end: at, surroundings });
                    regions.len() - 1
                });
                levels.push(Level { region, ..Level::default() });
            }
            b'}' | b')' | b']' if depth > 1 => {
                if let Some(region) = levels.pop().and_then(|level| level.region) {
                    regions[region].end = at;
                }
                if let Some(level) = levels.last_mut() {
                    if first == b'}' { level.restart() } else { level.add(Piece::Other) }
                }
            }
            b';' => level.restart(),
            b'!' => level.add(Piece::Bang),
            _ if is_word(first)
                && !matches!(piece.as_bytes().last(), Some(b'"' | b'#' | b'\'')) =>
            {
                declared.extend(level.add_word(at, piece).map(|name| (at, name)));
            }
            _ => level.add(Piece::Other),
        }
    }
    (regions, declared)
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

/// The next word, literal or sign from `next` on, and where it is. Goes on after it.
///
/// Whole files come by here, and nothing optimizes this code: so it looks at bytes.
fn next_piece<'a>(text: &'a str, next: &mut usize) -> Option<(usize, &'a str)> {
    let bytes = text.as_bytes();
    loop {
        let at = *next;
        match bytes.get(at)? {
            first if first.is_ascii_whitespace() => *next += 1,
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                *next = text[at..].find('\n').map_or(text.len(), |end| at + end);
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => *next += length_of_comment(&text[at..]),
            _ => {
                *next += length_of_piece(&text[at..]);
                return Some((at, &text[at..*next]));
            }
        }
    }
}

/// Outside of literals and comments, what is not ASCII is in words only.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

/// The length of the word, literal or sign that `text` starts with.
fn length_of_piece(text: &str) -> usize {
    let up_to = |end: Option<usize>| end.unwrap_or(text.len());
    let bytes = text.as_bytes();
    match bytes[0] {
        b'"' => length_of_string(text),
        b'\'' => {
            let mut chars = text[1..].chars();
            match (chars.next(), chars.next()) {
                (Some('\\'), _) => up_to(text[3..].find('\'').map(|end| end + 4)),
                (Some(c), Some('\'')) => c.len_utf8() + 2,
                // A lifetime.
                _ => 1,
            }
        }
        first if is_word(first) => {
            let mut length = 1;
            while bytes.get(length).is_some_and(|byte| is_word(*byte)) {
                length += 1;
            }
            if !matches!(bytes.get(length), Some(b'"' | b'#' | b'\'')) {
                return length;
            }
            let (word, rest) = text.split_at(length);
            let hashes = rest.len() - rest.trim_start_matches('#').len();
            match word {
                "r" | "br" | "cr" if rest[hashes..].starts_with('"') => {
                    let end = format!("\"{}", "#".repeat(hashes));
                    let open = length + hashes + 1;
                    up_to(text[open..].find(&end).map(|close| open + close + end.len()))
                }
                "b" | "c" if rest.starts_with('"') => length + length_of_string(rest),
                "b" if rest.starts_with('\'') => length + length_of_piece(rest),
                _ => length,
            }
        }
        _ => 1,
    }
}

fn length_of_string(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Comments are nested.
fn length_of_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while at < text.len() {
        if text[at..].starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if text[at..].starts_with("*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return at;
            }
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the first `HERE` of a text is in.
    fn around(text: &str) -> Surroundings {
        innermost(&find_regions(text).0, text.find("HERE").expect("a place"))
    }

    #[test]
    fn constants_are_known_where_they_are_seen() {
        let text = "const a: i64 = 1;\npub(crate) const B: X = { const INNER: X = X; INNER };\nmod m {\n \
                    const C: () = ();\n const fn f() { const d: u8 = 0; }\n fn HERE() { const e: u8 = 0; }\n}\n\
                    mod n { const f: u8 = 0; }\n#[allow(x)]\npub const G: u8 = 1;\n";
        let (regions, declared) = find_regions(text);
        let here = text.find("HERE").expect("a place");
        let seen = declared_for(&regions, &declared, here);
        assert_eq!(seen, ["a", "B", "C", "fn", "G"]);
    }

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

    fn block(head: &str) -> Surroundings {
        Surroundings::Impl(head.to_owned())
    }

    #[test]
    fn the_innermost_block_counts() {
        assert_eq!(around("fn HERE() {}"), Surroundings::Other);
        assert_eq!(around("impl A { }\nfn HERE() {}"), Surroundings::Other);
        assert_eq!(
            around("mod a {\n impl<T> A<T> {\n  fn HERE() {}\n }\n}"),
            block("impl<T> A<T> ")
        );
        assert_eq!(
            around(
                "/// Of A.\n#[cfg(all(x))]\nunsafe impl A<[u8; 2]> where B: C { pub fn x() {} fn HERE"
            ),
            Surroundings::Other,
            "a block that does not end"
        );
        assert_eq!(around("impl A { fn x() { fn HERE() {} } }"), Surroundings::Other);
        assert_eq!(around("fn x() { impl A { async fn HERE() {} } }"), block("impl A "));
        assert_eq!(around("pub unsafe trait A { async fn HERE(); }"), Surroundings::Trait);
        assert_eq!(around("compare! { async fn HERE(); }"), Surroundings::Macro);
        assert_eq!(around("macro_rules! compare { (x) => { fn HERE() {} } }"), Surroundings::Other);
        assert_eq!(around("compare!(async fn HERE() {});"), Surroundings::Macro);
        assert_eq!(around("compare! { impl A { async fn HERE() {} } }"), block("impl A "));
    }

    #[test]
    fn brackets_in_literals_and_comments_do_not_count() {
        for text in [
            "impl A { /* } /* } */ } */ fn HERE() {} }",
            "impl A { // }\n fn HERE() {} }",
            "impl A { const X: &str = \"}\\\"}\"; fn HERE() {} }",
            "impl A { const X: &str = r#\"}\"}\"#; fn HERE() {} }",
            "impl A { const X: [char; 3] = ['}', '\\'', '\\u{7d}']; fn HERE() {} }",
            "impl A { const X: [u8; 2] = [b'}', b'\\'']; fn b<'a>(x: &'a str) {} fn HERE() {} }",
            "impl A { const X: &[u8] = b\"}\"; fn r#if() {} fn HERE() {} }",
            "// ß\nimpl A { const X: &str = \"ßß}\"; fn HERE() {} }",
        ] {
            assert_eq!(around(text), block("impl A "), "{text}");
        }
    }
}
