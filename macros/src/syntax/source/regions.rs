//! The text between brackets, and the constants declared there.

use super::pieces::{is_word, next_piece};

/// The kind of a pair of brackets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Surroundings {
    /// An `impl` block, with the text before its braces.
    Impl(String),
    /// A `trait`.
    Trait,
    /// The input of a macro, which may move it anywhere.
    Macro,
    /// Items or code.
    Other,
}

/// A pair of brackets. Regions are sorted by their start.
#[derive(Debug)]
pub(crate) struct Region {
    start: usize,
    end: usize,
    /// The index of the enclosing region.
    around: Option<usize>,
    surroundings: Surroundings,
}

/// The names of the constants that are in scope at `position`.
pub(crate) fn declared_for(
    regions: &[Region],
    declared: &[(usize, String)],
    position: usize,
) -> Vec<String> {
    let seen = declared.iter().filter(|(at, _)| is_seen(regions, *at, position));
    seen.map(|(_, name)| name.clone()).collect()
}

/// Whether every region around `at` contains `position`.
pub(crate) fn is_seen(regions: &[Region], at: usize, position: usize) -> bool {
    let mut around = regions.iter().filter(|region| region.holds(at));
    around.all(|region| region.holds(position))
}

/// The innermost region around `position`.
pub(crate) fn innermost(regions: &[Region], position: usize) -> Surroundings {
    // The last region that starts before `position`, or one that encloses it.
    let mut near = regions.partition_point(|region| region.start < position).checked_sub(1);
    while let Some(region) = near.map(|index| &regions[index]) {
        if region.holds(position) {
            return region.surroundings.clone();
        }
        near = region.around;
    }
    Surroundings::Other
}

impl Region {
    fn holds(&self, position: usize) -> bool {
        self.start < position && position < self.end
    }
}

/// The state of reading one item or statement.
#[derive(Default)]
struct Level<'t> {
    /// The first word that is not a modifier, with its position.
    first: Option<(usize, &'t str)>,
    /// Whether the name of a constant follows that word.
    names_constant: bool,
    /// The last three pieces.
    last: [Piece; 3],
    /// The index of the region whose content is read.
    region: Option<usize>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Piece {
    #[default]
    Other,
    Word,
    Bang,
}

impl<'t> Level<'t> {
    fn add(&mut self, piece: Piece) {
        let [_, second, third] = self.last;
        self.last = [second, third, piece];
    }

    /// Returns the word if it names a constant.
    fn add_word(&mut self, at: usize, word: &'t str) -> Option<String> {
        self.add(Piece::Word);
        if matches!(word, "pub" | "unsafe" | "default") {
            return None;
        }
        if self.first.is_none() {
            self.names_constant = word == "const";
            self.first = Some((at, word));
            return None;
        }
        let is_name = std::mem::take(&mut self.names_constant);
        is_name.then(|| word.to_owned())
    }

    /// The kind of the brackets that open at `at`.
    fn opens(&self, text: &str, at: usize, is_brace: bool) -> Option<Surroundings> {
        use Piece::{Bang, Word};
        if matches!(self.last, [_, Word, Bang] | [Word, Bang, Word]) {
            return Some(Surroundings::Macro);
        }
        is_brace.then(|| match self.first {
            Some((start, "impl")) => Surroundings::Impl(text[start..at].to_owned()),
            Some((_, "trait" | "auto")) => Surroundings::Trait,
            _ => Surroundings::Other,
        })
    }

    /// Starts the next item.
    fn restart(&mut self) {
        *self = Self { region: self.region, ..Self::default() };
    }
}

/// Finds the regions of a text, and the names of constants with their positions.
pub(crate) fn find(text: &str) -> (Vec<Region>, Vec<(usize, String)>) {
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
                let around = levels.iter().rev().find_map(|level| level.region);
                let region = surroundings.map(|surroundings| {
                    regions.push(Region { start: at, end: at, around, surroundings });
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The innermost region around the first `HERE` of a text.
    fn around(text: &str) -> Surroundings {
        innermost(&find(text).0, text.find("HERE").expect("a place"))
    }

    #[test]
    fn constants_are_known_where_they_are_seen() {
        let text = "const a: i64 = 1;\npub(crate) const B: X = { const INNER: X = X; INNER };\nmod m {\n \
                    const C: () = ();\n const fn f() { const d: u8 = 0; }\n fn HERE() { const e: u8 = 0; }\n}\n\
                    mod n { const f: u8 = 0; }\n#[allow(x)]\npub const G: u8 = 1;\n";
        let (regions, declared) = find(text);
        let here = text.find("HERE").expect("a place");
        let seen = declared_for(&regions, &declared, here);
        assert_eq!(seen, ["a", "B", "C", "fn", "G"]);
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
