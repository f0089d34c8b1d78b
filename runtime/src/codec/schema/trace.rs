//! Tracing: deserializing made-up values of a type, and recording what the type requests.
//!
//! A type is deserialized repeatedly. Each pass makes one more variant of an enum, until a pass finds nothing new.
//! Recursive types end because inside a type that contains itself, options and lists are empty and an enum is a variant
//! with finite values.
//!
//! Each value is also written and read back. The fields that are left out (`skip_serializing_if`) depend on the value,
//! so this is repeated with different values, see [`Filling`].

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde::Deserialize;

use super::super::arguments::Arguments;
use super::super::copying::Copying;
use super::super::reader::Reader;
use super::super::source::{Source, SourceError};
use super::super::value::Value;
use super::format::{Content, Fields, Form, Format, NamedType, Types};
use super::places::Place;

/// A type with more nesting than this counts as one without finite values.
const MAX_DEPTH: usize = 128;

/// If a value has more parts than this, the rest of it is made as small as possible: types that contain each other have
/// values of any size.
const MANY_PARTS: usize = 2_000;

/// The maximum number of parts over all passes. A type that needs more is not traced completely.
const MAX_PARTS: usize = 100_000;

/// Candidates for texts, tried in this order until a type accepts one. Common types that parse a text accept at least
/// one of them.
const TEXTS: [&str; 14] = [
    "",
    "1970-01-01T00:00:00Z",
    "1970-01-01T00:00:00",
    "1970-01-01",
    "00:00:00",
    "1970-01-01T00:00:00+00:00[UTC]",
    "PT1S",
    "0",
    "1.0.0",
    "a",
    "https://localhost/",
    "127.0.0.1",
    "127.0.0.0/8",
    "00000000-0000-0000-0000-000000000000",
];

/// The content of made-up values.
#[derive(Clone, Copy, Debug)]
pub(super) struct Filling {
    /// The value of numbers; truth values are true if it is not 0.
    pub(super) number: u8,
    /// Whether options and lists are empty at even and at odd nesting depths of types.
    pub(super) empty: [bool; 2],
}

impl Filling {
    /// Fills every part of a type.
    pub(super) const FULL: Self = Self { number: 1, empty: [false, false] };
    /// Together with [`Filling::FULL`], gives each field both a default and another value.
    pub(super) const OTHERS: [[bool; 2]; 3] = [[true, true], [true, false], [false, true]];
}

/// The result of tracing a type.
pub(super) struct Traced {
    /// Its format; `None` if a part was not reached, or differs between passes.
    pub(super) format: Option<(Format, Types)>,
    /// Whether the value of each pass reads back unchanged.
    pub(super) reads_back: bool,
    /// The values that were written.
    pub(super) written: Vec<Vec<u8>>,
}

/// Traces a type, and writes its values in this form.
pub(super) fn trace(copying: Copying, filling: Filling, form: Form) -> Result<Traced, SourceError> {
    let mut tracer = Tracer::new(filling);
    let mut format = Format::Unknown;
    let mut reads_back = true;
    let mut all_written = Vec::new();
    loop {
        tracer.begin_pass();
        let source = Source::Made(Place::new(&mut tracer, &mut format));
        let made = catch_unwind(AssertUnwindSafe(|| make(copying, source, form)));
        match made.unwrap_or_else(|_| Err(panicked())) {
            Ok(written) => {
                reads_back &= written.is_some();
                all_written.extend(written);
                if tracer.shown_now.is_empty() {
                    break;
                }
            }
            Err(error) => {
                if error.is_of_self_describing() || error.is(PANICKED) || !tracer.has_another_text()
                {
                    return Err(error);
                }
            }
        }
        if tracer.parts > MAX_PARTS {
            return Err(endless());
        }
    }
    let is_whole = !tracer.differs && tracer.has_shown_all() && is_known(&format, &tracer);
    let types = tracer.seen.into_iter().map(|seen| seen.named).collect();
    Ok(Traced { format: is_whole.then_some((format, types)), reads_back, written: all_written })
}

/// Makes up a value of a type; `None` for types that only read self-describing input.
pub(in super::super) fn make_one<'de, T: Deserialize<'de>>() -> Option<T> {
    let mut tracer = Tracer::new(Filling::FULL);
    let mut format = Format::Unknown;
    loop {
        tracer.begin_pass();
        let source = Source::Made(Place::new(&mut tracer, &mut format));
        match catch_unwind(AssertUnwindSafe(|| T::deserialize(source))) {
            Ok(Ok(value)) => return Some(value),
            Ok(Err(error)) if !error.is_of_self_describing() && tracer.has_another_text() => {}
            _ => return None,
        }
    }
}

/// Makes a value and encodes it. Returns the bytes if they decode to the same value.
fn make(copying: Copying, source: Source<'_>, form: Form) -> Result<Option<Vec<u8>>, SourceError> {
    let mut source = Some(source);
    let mut reader = Reader::of_source(&mut source);
    let mut written = Arguments::plain(form);
    if copying.copy(&mut reader, &mut written) {
        Ok(copying.reads_back(written, form))
    } else {
        drop(written.finish());
        Err(reader.source_failure())
    }
}

/// Whether values that a type accepts are the same after they have been written in the tagged form and read. For types
/// that cannot be traced.
pub(super) fn reads_back_tagged(copying: Copying) -> bool {
    let mut samples = vec![
        Value::Null,
        Value::Bool(true),
        Value::Unsigned(1),
        Value::Signed(-1),
        Value::Float(0.5),
        Value::List(vec![]),
        Value::Map(vec![]),
    ];
    samples.extend(TEXTS.map(|text| Value::Text(text.to_owned())));
    samples.iter().all(|sample| {
        let source = Source::Read(sample, Form::Tagged);
        // Ignore a value that the type refuses.
        let made = catch_unwind(AssertUnwindSafe(|| make(copying, source, Form::Tagged)));
        made.map_or(true, |made| made.map_or(true, |written| written.is_some()))
    })
}

/// Whether every part of the format is known.
fn is_known(format: &Format, tracer: &Tracer) -> bool {
    let is_known = |content: &Content| content.formats().into_iter().all(Format::is_known);
    format.is_known() && tracer.seen.iter().all(|seen| is_known(&seen.named.content))
}

/// The known part of a type, and the state that determines the next made-up value.
pub(super) struct Tracer {
    filling: Filling,
    /// The made-up number, in each of serde's number types.
    pub(super) numbers: Numbers,
    /// The index in [`TEXTS`] per Rust type, if it is not the first.
    texts: Vec<(&'static str, usize)>,
    /// The Rust type that the last text was for.
    last_text: Option<&'static str>,
    pub(super) seen: Vec<Seen>,
    /// The indexes of the types being made, the outermost first.
    pub(super) stack: Vec<usize>,
    /// The variants made in this pass, each with its type and its previous status.
    shown_now: Vec<(usize, usize, Shown)>,
    /// Whether a part had another format than before.
    pub(super) differs: bool,
    /// The number of parts made, in all and before this pass.
    pub(super) parts: usize,
    parts_before: usize,
}

/// The made-up numbers and truth value.
pub(super) struct Numbers {
    pub(super) unsigned: Value,
    pub(super) signed: Value,
    pub(super) float: Value,
    pub(super) truth: Value,
}

pub(super) struct Seen {
    /// Tells types of the same name apart, within this process.
    rust_name: &'static str,
    named: NamedType,
    /// For an enum, how much of each variant is known.
    shown: Vec<Shown>,
    /// The variant that was first made completely, which is therefore finite.
    pub(super) finite: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    No,
    /// With options and lists that had to be empty.
    InPart,
    Whole,
}

impl Tracer {
    fn new(filling: Filling) -> Self {
        let Filling { number, .. } = filling;
        Self {
            filling,
            numbers: Numbers {
                unsigned: Value::Unsigned(number.into()),
                signed: Value::Signed(number.into()),
                float: Value::Float(number.into()),
                truth: Value::Bool(number != 0),
            },
            texts: Vec::new(),
            last_text: None,
            seen: Vec::new(),
            stack: Vec::new(),
            shown_now: Vec::new(),
            differs: false,
            parts: 0,
            parts_before: 0,
        }
    }

    fn begin_pass(&mut self) {
        self.stack.clear();
        self.shown_now.clear();
        self.last_text = None;
        self.parts_before = self.parts;
    }

    /// After a failed pass: reverts it and selects the next text for the Rust type that got the last one. Returns
    /// whether there is one.
    fn has_another_text(&mut self) -> bool {
        for (index, variant, before) in self.shown_now.drain(..) {
            self.seen[index].shown[variant] = before;
        }
        let Some(rust_name) = self.last_text else { return false };
        let text = match self.texts.iter_mut().find(|(name, _)| *name == rust_name) {
            Some((_, text)) => text,
            None => {
                self.texts.push((rust_name, 0));
                let last = self.texts.len() - 1;
                &mut self.texts[last].1
            }
        };
        *text += 1;
        *text < TEXTS.len()
    }

    /// A text for this Rust type.
    pub(super) fn text(&mut self, rust_name: &'static str) -> &'static str {
        self.last_text = Some(rust_name);
        let text = self.texts.iter().find(|(name, _)| *name == rust_name);
        TEXTS[text.map_or(0, |(_, text)| *text)]
    }

    /// The index of a named type. Adds the type if it is new.
    pub(super) fn index_of(
        &mut self,
        rust_name: &'static str,
        name: &str,
        content: Content,
    ) -> usize {
        let is_same = |seen: &Seen| {
            seen.rust_name == rust_name
                && seen.named.name == name
                && seen.named.content.is_like(&content)
        };
        if let Some(index) = self.seen.iter().position(is_same) {
            return index;
        }
        let variants = if let Content::Enum(variants) = &content { variants.len() } else { 0 };
        let shown = vec![Shown::No; variants];
        let named = NamedType { name: name.to_owned(), content };
        self.seen.push(Seen { rust_name, named, shown, finite: None });
        self.seen.len() - 1
    }

    /// Whether the current value is inside a value of its own type, or has grown too large.
    fn must_end(&self) -> bool {
        let repeats = |(n, index): (usize, &usize)| self.stack[..n].contains(index);
        self.parts - self.parts_before > MANY_PARTS || self.stack.iter().enumerate().any(repeats)
    }

    /// Whether options and lists are empty here.
    pub(super) fn is_empty_here(&self) -> bool {
        self.filling.empty[self.stack.len() % 2] || self.must_end()
    }

    /// Chooses the variant of the enum that is on the stack.
    pub(super) fn choose(&mut self, index: usize) -> Result<usize, SourceError> {
        let must_end = self.must_end();
        let seen = &self.seen[index];
        let next = match (must_end, seen.finite) {
            (false, _) => seen.shown.iter().position(|shown| *shown != Shown::Whole),
            (true, None) => seen.shown.iter().position(|shown| *shown == Shown::No),
            (true, Some(_)) => None,
        };
        if let Some(variant) = next {
            let shown = &mut self.seen[index].shown[variant];
            self.shown_now.push((index, variant, *shown));
            *shown = if must_end { Shown::InPart } else { Shown::Whole };
            return Ok(variant);
        }
        if !must_end
            && self.shown_now.is_empty()
            && let Some(variant) = self.leads_on(index)
        {
            return Ok(variant);
        }
        self.seen[index].finite.ok_or_else(endless)
    }

    /// A variant of an enum that contains a variant not yet made completely.
    fn leads_on(&self, index: usize) -> Option<usize> {
        let Content::Enum(variants) = &self.seen[index].named.content else { return None };
        // Types that contain themselves are not entered.
        let mut visited = self.stack.clone();
        variants.iter().position(|(_, fields)| self.any_of(fields.formats(), &mut visited))
    }

    fn any_of(&self, formats: Vec<&Format>, visited: &mut Vec<usize>) -> bool {
        formats.into_iter().any(|format| self.any_in(format, visited))
    }

    fn any_in(&self, format: &Format, visited: &mut Vec<usize>) -> bool {
        match format {
            Format::Option(format) | Format::Seq(format) | Format::Set(format) => {
                self.any_in(format, visited)
            }
            Format::Tuple(formats) => formats.iter().any(|format| self.any_in(format, visited)),
            Format::Map(key, value) => self.any_in(key, visited) || self.any_in(value, visited),
            Format::Type(index) if !visited.contains(index) => {
                visited.push(*index);
                let Seen { named, shown, .. } = &self.seen[*index];
                shown.iter().any(|shown| *shown != Shown::Whole)
                    || self.any_of(named.content.formats(), visited)
            }
            _ => false,
        }
    }

    fn has_shown_all(&self) -> bool {
        self.seen.iter().all(|seen| seen.shown.iter().all(|shown| *shown == Shown::Whole))
    }

    pub(super) fn fields(&mut self, index: usize, variant: Option<usize>) -> &mut Fields {
        match (&mut self.seen[index].named.content, variant) {
            (Content::Enum(variants), Some(variant)) => &mut variants[variant].1,
            (Content::Struct(fields), _) => fields,
            // Only enums have a variant.
            (Content::Enum(variants), None) => &mut variants[0].1,
        }
    }

    pub(super) fn push(&mut self, index: usize) -> Result<(), SourceError> {
        if self.stack.len() >= MAX_DEPTH {
            return Err(endless());
        }
        self.stack.push(index);
        Ok(())
    }
}

const PANICKED: &str = "its `Deserialize` panics";

fn panicked() -> SourceError {
    serde::de::Error::custom(PANICKED)
}

pub(super) fn endless() -> SourceError {
    serde::de::Error::custom("the type has no finite values")
}
