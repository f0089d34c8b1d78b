//! Ranges that are held and give their numbers one by one.

use crate::generate::refusals::marker;
use crate::generate::{Generator, Node, Ty};

/// A range: how it is made, by which expression it is driven, and whether that may be refused. `#` is the
/// variable, each `$` a number. Ranges with their ends in lists and options are a limit that is known.
type Range = (&'static str, &'static str, bool);

const RANGES: [Range; 15] = [
    ("let mut # = 0..i64::rem_euclid($, 4);", "#", false),
    ("let mut # = -1..=i64::rem_euclid($, 3);", "#", false),
    ("let mut # = i64::rem_euclid($, 3)..=i64::rem_euclid($, 5);", "#", false),
    ("let mut # = (i64::rem_euclid($, 3) - 2)..;", "#", false),
    ("let mut #: std::ops::RangeInclusive<i64> = 1..=i64::rem_euclid($, 3);", "#", false),
    ("let mut # = std::ops::RangeInclusive::new(0, i64::rem_euclid($, 3));", "#", false),
    ("let mut # = if $ > 5 { 0..=2 } else { 3..=i64::rem_euclid($, 6) };", "#", false),
    (
        "let mut # = 9_223_372_036_854_775_800..=9_223_372_036_854_775_807 - i64::rem_euclid($, 2);",
        "#",
        false,
    ),
    ("let # = 0..=i64::rem_euclid($, 4);\nlet mut # = #;", "#", false),
    ("let #;\n# = 1..=i64::rem_euclid($, 4);\nlet mut # = #.clone();", "#", false),
    ("let mut # = (0..i64::rem_euclid($, 4), 7);", "#.0", false),
    ("let mut # = Some(2..i64::rem_euclid($, 5)).unwrap_or_default();", "#", false),
    ("let mut # = vec![0..i64::rem_euclid($, 4), 1..2];", "#[0]", false),
    ("let mut # = Box::new(0..i64::rem_euclid($, 4));", "#", false),
    ("let mut # = (0..=i64::rem_euclid($, 4), 7);", "#.0", true),
];

/// How it is driven: `@` is the range, `~` what it gives, `$` what is done with that, and `^` what counts.
const DRIVEN: [&str; 6] = [
    "while let Some(~) = @.next() {\n^$\n}",
    "while let Some(~) = @.next_back() {\n^$\n}",
    "while let Some(~) = @.next() {\n^note(@.nth(1));\n$\n}",
    "loop {\nlet Some(~) = @.next() else { break };\n^$\n}",
    "loop {\nmatch @.next() {\nNone => break,\nSome(~) => {\n^$\n}\n}\n}",
    "for _ in 0..3 {\nlet ~ = @.next().unwrap_or(9);\n^$\n}",
];

/// What is done with it afterwards. `A` is another range of its type.
const AFTERWARDS: [&str; 5] = [
    "note(@.next());",
    "tick().await;\nnote(@.next());",
    "note(@.next_back());\ntick().await;\nnote(@.next());",
    "if % > 1 { @ = A; }\ntick().await;\nnote(@.next());",
    "@ = A;\nnote(@.next());\ntick().await;\nnote(@.next());",
];

impl Generator {
    /// A separate range, iterated by hand, and used again afterwards.
    pub(super) fn driven_range(&mut self) -> Node {
        let is_possible = |(.., refused): &Range| self.may_be_refused || !refused;
        let possible: Vec<Range> = RANGES.into_iter().filter(is_possible).collect();
        let (made, range, is_refusable) = self.rng.pick(&possible);
        let is_open = made.ends_with("..;");
        let fits = |template: &&str| {
            let suits_open = !template.contains("next_back") && !template.contains('A');
            (!is_open || suits_open) && (self.may_await || !template.contains(".await"))
        };
        let driven: Vec<&str> = DRIVEN.into_iter().filter(fits).collect();
        let afterwards: Vec<&str> = AFTERWARDS.into_iter().filter(fits).collect();
        let (driven, afterwards) = (self.rng.pick(&driven), self.rng.pick(&afterwards));
        let (name, item, counter, label) = (self.fresh(), self.fresh(), self.fresh(), self.label());
        let mut nodes: Vec<Node> = made.matches('$').map(|_| self.operand(Ty::Int)).collect();
        nodes.push(self.for_body(&label, &[(item.clone(), Ty::Int, false)]));
        let dots = if made.contains("..=") || made.contains("Inclusive") { "..=" } else { ".." };
        let (low, high) = (self.rng.below(3), self.rng.below(6));
        let boxed = if made.contains("Box") { "Box::new" } else { "" };
        let marker = marker(is_refusable);
        let template = format!("{made}\nlet mut % = 0;\n{label}: {driven}\n{afterwards}")
            .replace('^', "% += 1;\nif % > 4 { break; }\n")
            .replace('A', &format!("{boxed}({low}{dots}{high})"))
            .replace('@', range)
            .replace('~', &item)
            .replace('%', &counter)
            .replace('#', &name);
        Node::stmt(&format!("{marker}{template}"), nodes)
    }
}
