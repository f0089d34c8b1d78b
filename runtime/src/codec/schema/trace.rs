//! Tracing: making values of a type up, and writing down what it asks for.
//!
//! A type is deserialized again and again. Each pass shows one more variant of an enum that has
//! some left, until a pass shows nothing new; a last pass shows options and lists empty. Recursive
//! types end because an enum whose variants have all been begun continues with one that is known to
//! end, and because options and lists are empty inside of a type that holds itself.

use super::super::arguments::Arguments;
use super::super::copying::Copying;
use super::super::reader::Reader;
use super::super::source::{Source, SourceError};
use super::Form;
use super::format::{Content, Fields, Format, NamedType, Types};
use super::places::Place;

/// More nesting than this is taken for a type without finite values.
const MAX_DEPTH: usize = 128;

/// More passes than this are not made; each but the last shows a variant that none before it has.
const MAX_PASSES: usize = 10_000;

/// What tracing a type gave.
pub(super) struct Traced {
    pub(super) format: Format,
    pub(super) types: Types,
    /// Whether the value of each pass survives the binary encoding.
    pub(super) reads_back: bool,
}

/// Makes one value of whatever is traced, and tells whether it survives the binary encoding.
pub(super) type MakeAny<'a> = &'a dyn Fn(Source<'_>) -> Result<bool, SourceError>;

/// Makes a value that is read by `copying`.
pub(super) fn make(copying: Copying, source: Source<'_>) -> Result<bool, SourceError> {
    let mut source = Some(source);
    let mut reader = Reader::of_source(&mut source);
    let mut written = Arguments::plain(Form::Compact);
    if copying.copy(&mut reader, &mut written) {
        Ok(copying.reads_back(written))
    } else {
        drop(written.finish());
        Err(reader.source_failure())
    }
}

/// Makes a tuple of such values. Serde's own code for tuples would be compiled for each list.
pub(super) fn make_tuple(parts: &[Copying], source: Source<'_>) -> Result<bool, SourceError> {
    let Source::Made(place) = source else { return Err(SourceError::self_describing()) };
    if parts.is_empty() {
        place.is(Format::Unit);
        return Ok(true);
    }
    let mut formats = place.tuple(parts.len());
    let mut reads_back = true;
    for copying in parts {
        if let Some(place) = formats.next() {
            reads_back &= make(*copying, Source::Made(place))?;
        }
    }
    formats.finish();
    Ok(reads_back)
}

/// Traces a type, taking every string to be `text`.
pub(super) fn trace(make: MakeAny<'_>, text: &'static str) -> Result<Traced, SourceError> {
    let mut tracer =
        Tracer { text, seen: Vec::new(), stack: Vec::new(), progress: false, sparse: false };
    let mut format = Format::Unknown;
    let mut reads_back = true;
    for _ in 0..MAX_PASSES {
        tracer.progress = false;
        reads_back &= make(tracer.source(&mut format))?;
        if !tracer.progress {
            break;
        }
    }
    tracer.sparse = true;
    reads_back &= make(tracer.source(&mut format))?;
    let types = tracer.seen.into_iter().map(|seen| seen.named).collect();
    Ok(Traced { format, types, reads_back })
}

/// What is known of a type so far, and how its values are made up.
pub(super) struct Tracer {
    /// What every string is taken to be.
    pub(super) text: &'static str,
    pub(super) seen: Vec<Seen>,
    /// The types that are being made, by their index.
    pub(super) stack: Vec<usize>,
    /// Whether this pass has shown a variant for the first time.
    pub(super) progress: bool,
    /// Whether options and lists are to be empty.
    sparse: bool,
}

pub(super) struct Seen {
    /// Tells types of the same name apart, within this process.
    rust_name: &'static str,
    named: NamedType,
    /// How many variants have been begun; they are shown in order.
    pub(super) begun: usize,
    /// The variant that was first made as a whole, which therefore ends.
    pub(super) finite: Option<usize>,
}

impl Tracer {
    fn source<'a>(&'a mut self, format: &'a mut Format) -> Source<'a> {
        Source::Made(Place::new(self, format))
    }

    /// The index of a named type, which is added if it is new.
    pub(super) fn index_of(
        &mut self,
        rust_name: &'static str,
        name: &str,
        content: Content,
    ) -> usize {
        if let Some(index) = self.seen.iter().position(|seen| seen.rust_name == rust_name) {
            return index;
        }
        let named = NamedType { name: name.to_owned(), content };
        self.seen.push(Seen { rust_name, named, begun: 0, finite: None });
        self.seen.len() - 1
    }

    /// Whether options and lists are to be empty here.
    pub(super) fn is_sparse(&self) -> bool {
        let repeats = |(n, index): (usize, &usize)| self.stack[..n].contains(index);
        self.sparse || self.stack.iter().enumerate().any(repeats)
    }

    pub(super) fn fields(&mut self, index: usize, variant: Option<usize>) -> &mut Fields {
        match (&mut self.seen[index].named.content, variant) {
            (Content::Enum(variants), Some(variant)) => &mut variants[variant].1,
            (Content::Struct(fields), _) => fields,
            // Variants are only asked for of enums.
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

pub(super) fn endless() -> SourceError {
    serde::de::Error::custom("the type has no finite values")
}
