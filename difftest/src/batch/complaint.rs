//! Errors that rustc reports for a program.

use serde::Deserialize;

/// The compared parts of an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    /// `E0308` and the like. What macros report has none.
    pub code: Option<String>,
    /// The line of the source, from 1, if it is about one: the first of several.
    pub line: Option<usize>,
    /// The last of them.
    pub last_line: Option<usize>,
    /// The message, its labels, notes and helps.
    pub said: Vec<String>,
    /// The lines of the source that have labels.
    pub labeled: Vec<usize>,
    /// All of it, for people.
    pub rendered: String,
}

impl Complaint {
    /// The rule of piton that has been broken, if the message names one.
    pub fn rule(&self) -> Option<&str> {
        self.said.iter().find_map(|text| text.split_once("rule `")?.1.split('`').next())
    }

    /// The first line.
    pub fn headline(&self) -> &str {
        self.rendered.lines().next().unwrap_or_default()
    }
}

/// rustc's JSON for an error or a warning; only the used fields.
#[derive(Deserialize)]
pub(super) struct Diagnostic {
    #[serde(default)]
    pub(super) level: String,
    message: String,
    code: Option<Code>,
    spans: Vec<Span>,
    #[serde(default)]
    children: Vec<Diagnostic>,
    rendered: Option<String>,
}

#[derive(Deserialize)]
struct Code {
    code: String,
}

#[derive(Deserialize)]
struct Span {
    file_name: String,
    line_start: usize,
    line_end: usize,
    is_primary: bool,
    label: Option<String>,
    expansion: Option<Box<Expansion>>,
}

#[derive(Deserialize)]
struct Expansion {
    span: Span,
}

impl Diagnostic {
    /// The number of the program that this is about, and the line of its file.
    pub(super) fn place(&self) -> Option<(usize, usize)> {
        self.lines().map(|(index, [first, _])| (index, first))
    }

    fn lines(&self) -> Option<(usize, [usize; 2])> {
        let (primary, others): (Vec<_>, Vec<_>) = self.spans.iter().partition(|s| s.is_primary);
        primary.into_iter().chain(others).find_map(Span::lines)
    }

    pub(super) fn code(&self) -> Option<String> {
        self.code.as_ref().map(|code| code.code.clone())
    }

    pub(super) fn rendered(&self) -> String {
        self.rendered.clone().unwrap_or_else(|| self.message.clone())
    }

    /// As something said against a source that begins behind this line of its file.
    pub(super) fn complaint(&self, start: usize) -> Complaint {
        let places = self.spans.iter().filter_map(Span::lines);
        Complaint {
            code: self.code(),
            line: self.place().map(|(_, line)| line.saturating_sub(start)),
            last_line: self.lines().map(|(_, [_, line])| line.saturating_sub(start)),
            said: self.said(),
            labeled: places.map(|(_, [line, _])| line.saturating_sub(start)).collect(),
            rendered: self.rendered(),
        }
    }

    fn said(&self) -> Vec<String> {
        let labels = self.spans.iter().filter_map(|span| span.label.clone());
        let children = self.children.iter().flat_map(Self::said);
        [self.message.clone()].into_iter().chain(labels).chain(children).collect()
    }
}

impl Span {
    /// The innermost place in a program that this span comes from.
    fn lines(&self) -> Option<(usize, [usize; 2])> {
        let number = self.file_name.strip_prefix("src/p").and_then(|n| n.strip_suffix(".rs"));
        match number.and_then(|number| number.parse().ok()) {
            Some(index) => Some((index, [self.line_start, self.line_end])),
            None => self.expansion.as_ref()?.span.lines(),
        }
    }
}
