//! Tracing: making values of a type up, and writing down what it asks for.
//!
//! A type is deserialized again and again. Each pass shows one more variant of an enum that has
//! some left, until a pass shows nothing new; a last pass shows options and lists empty. Recursive
//! types end because an enum whose variants have all been begun continues with one that is known to
//! end, and because options and lists are empty inside of a type that holds itself.

use std::mem::ManuallyDrop;

use super::super::arguments::Arguments;
use super::super::copying::Copying;
use super::super::source::{Entries, Source, SourceError};
use super::format::{Content, Fields, Format, NamedType, Types};

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
    let mut written = Arguments::NONE;
    match copying.copy(source, Some(&mut written)) {
        Ok(()) => Ok(copying.reads_back(written)),
        Err(error) => {
            drop(written.finish());
            Err(error)
        }
    }
}

/// Makes a tuple of such values. Serde's own code for tuples would be compiled for each list.
pub(super) fn make_tuple(parts: &[Copying], source: Source<'_>) -> Result<bool, SourceError> {
    let Source::Made(place) = source else { return Err(SourceError::self_describing()) };
    if parts.is_empty() {
        *place.format = Format::Unit;
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
pub(in super::super) struct Tracer {
    /// What every string is taken to be.
    pub(in super::super) text: &'static str,
    seen: Vec<Seen>,
    /// The types that are being made, by their index.
    stack: Vec<usize>,
    /// Whether this pass has shown a variant for the first time.
    progress: bool,
    /// Whether options and lists are to be empty.
    sparse: bool,
}

struct Seen {
    /// Tells types of the same name apart, within this process.
    rust_name: &'static str,
    named: NamedType,
    /// How many variants have been begun; they are shown in order.
    begun: usize,
    /// The variant that was first made as a whole, which therefore ends.
    finite: Option<usize>,
}

impl Tracer {
    fn source<'a>(&'a mut self, format: &'a mut Format) -> Source<'a> {
        Source::Made(Place { tracer: self, format })
    }

    /// The index of a named type, which is added if it is new.
    fn index_of(&mut self, rust_name: &'static str, name: &str, content: Content) -> usize {
        if let Some(index) = self.seen.iter().position(|seen| seen.rust_name == rust_name) {
            return index;
        }
        let named = NamedType { name: name.to_owned(), content };
        self.seen.push(Seen { rust_name, named, begun: 0, finite: None });
        self.seen.len() - 1
    }

    /// Whether options and lists are to be empty here.
    fn is_sparse(&self) -> bool {
        let repeats = |(n, index): (usize, &usize)| self.stack[..n].contains(index);
        self.sparse || self.stack.iter().enumerate().any(repeats)
    }

    fn fields(&mut self, index: usize, variant: Option<usize>) -> &mut Fields {
        match (&mut self.seen[index].named.content, variant) {
            (Content::Enum(variants), Some(variant)) => &mut variants[variant].1,
            (Content::Struct(fields), _) => fields,
            // Variants are only asked for of enums.
            (Content::Enum(variants), None) => &mut variants[0].1,
        }
    }

    fn push(&mut self, index: usize) -> Result<(), SourceError> {
        if self.stack.len() >= MAX_DEPTH {
            return Err(endless());
        }
        self.stack.push(index);
        Ok(())
    }
}

fn endless() -> SourceError {
    serde::de::Error::custom("the type has no finite values")
}

/// A place where a value is wanted.
pub(in super::super) struct Place<'a> {
    pub(in super::super) tracer: &'a mut Tracer,
    pub(in super::super) format: &'a mut Format,
}

impl<'a> Place<'a> {
    /// The value of an option, unless it is to be empty.
    pub(in super::super) fn option(self) -> Option<Self> {
        if !matches!(self.format, Format::Option(_)) {
            *self.format = Format::Option(Box::default());
        }
        let Format::Option(format) = self.format else { return None };
        (!self.tracer.is_sparse()).then_some(Self { tracer: self.tracer, format })
    }

    /// The items of a list.
    pub(in super::super) fn items(self) -> Formats<'a> {
        if !matches!(self.format, Format::Seq(_)) {
            *self.format = Format::Seq(Box::default());
        }
        let formats = match self.format {
            Format::Seq(format) if !self.tracer.is_sparse() => std::slice::from_mut(&mut **format),
            _ => &mut [],
        };
        Formats::Plain(self.tracer, formats.iter_mut())
    }

    /// The items of a tuple.
    pub(in super::super) fn tuple(self, len: usize) -> Formats<'a> {
        if !matches!(self.format, Format::Tuple(formats) if formats.len() == len) {
            *self.format = Format::Tuple(vec![Format::Unknown; len]);
        }
        let formats = match self.format {
            Format::Tuple(formats) => &mut formats[..],
            _ => &mut [],
        };
        Formats::Plain(self.tracer, formats.iter_mut())
    }

    /// The entries of a map.
    pub(in super::super) fn entries(self) -> Entries<'a> {
        if !matches!(self.format, Format::Map(..)) {
            *self.format = Format::Map(Box::default(), Box::default());
        }
        match self.format {
            Format::Map(key, value) if !self.tracer.is_sparse() => {
                Entries::Made(self.tracer, Some(&mut **key), Some(&mut **value))
            }
            _ => Entries::Made(self.tracer, None, None),
        }
    }

    /// A struct, of which it is not known yet what it holds.
    pub(in super::super) fn begin(
        self,
        rust_name: &'static str,
        name: &str,
    ) -> Result<Begun<'a>, SourceError> {
        let content = Content::Struct(Fields::default());
        let index = self.tracer.index_of(rust_name, name, content);
        *self.format = Format::Type(index);
        self.tracer.push(index)?;
        Ok(Begun { tracer: self.tracer, index, variant: None })
    }

    /// The variant of an enum that is to be shown.
    pub(in super::super) fn variant(
        self,
        rust_name: &'static str,
        name: &str,
        variants: &[&'static str],
    ) -> Result<Enumerated<'a>, SourceError> {
        let empty = variants.iter().map(|name| ((*name).to_owned(), Fields::Unit)).collect();
        let tracer = self.tracer;
        let index = tracer.index_of(rust_name, name, Content::Enum(empty));
        *self.format = Format::Type(index);
        let seen = &mut tracer.seen[index];
        let variant = if seen.begun < variants.len() {
            seen.begun += 1;
            tracer.progress = true;
            seen.begun - 1
        } else {
            seen.finite.ok_or_else(endless)?
        };
        tracer.push(index)?;
        Ok(Enumerated { tracer, index, variant })
    }
}

/// A struct or variant whose content is about to be made.
pub(in super::super) struct Begun<'a> {
    tracer: &'a mut Tracer,
    index: usize,
    variant: Option<usize>,
}

impl<'a> Begun<'a> {
    pub(in super::super) fn unit(self) -> Taken<'a> {
        self.take(|_| Fields::Unit)
    }

    pub(in super::super) fn newtype(self) -> Taken<'a> {
        self.take(|known| match known {
            known @ Fields::Newtype(_) => known,
            _ => Fields::Newtype(Format::Unknown),
        })
    }

    pub(in super::super) fn tuple(self, len: usize) -> Taken<'a> {
        self.take(|known| match known {
            Fields::Tuple(formats) if formats.len() == len => Fields::Tuple(formats),
            _ => Fields::Tuple(vec![Format::Unknown; len]),
        })
    }

    pub(in super::super) fn named(self, names: &[&'static str]) -> Taken<'a> {
        self.take(|known| match known {
            Fields::Named(fields) if fields.len() == names.len() => Fields::Named(fields),
            _ => {
                let fields = names.iter().map(|name| ((*name).to_owned(), Format::Unknown));
                Fields::Named(fields.collect())
            }
        })
    }

    fn take(self, shape: impl FnOnce(Fields) -> Fields) -> Taken<'a> {
        let Self { tracer, index, variant } = self;
        let known = tracer.fields(index, variant);
        let fields = shape(std::mem::take(known));
        // Left in place for types that hold themselves.
        known.clone_from(&fields);
        Taken { tracer, index, variant, fields: ManuallyDrop::new(fields), next: 0 }
    }
}

/// The content of a struct or variant while it is made.
pub(in super::super) struct Taken<'a> {
    tracer: &'a mut Tracer,
    index: usize,
    variant: Option<usize>,
    /// Nobody drops them before [`Taken::finish`], or what reads a type would have code for that on each way
    /// out. A type that fails to be made takes them with it.
    fields: ManuallyDrop<Fields>,
    next: usize,
}

impl Taken<'_> {
    /// The only part.
    pub(in super::super) fn content(&mut self) -> Place<'_> {
        if !matches!(*self.fields, Fields::Newtype(_)) {
            *self.fields = Fields::Newtype(Format::Unknown);
        }
        match &mut *self.fields {
            Fields::Newtype(format) => Place { tracer: self.tracer, format },
            _ => unreachable!("it has just been made one"),
        }
    }

    fn next(&mut self) -> Option<Place<'_>> {
        let index = self.next;
        self.next += 1;
        let format = match &mut *self.fields {
            Fields::Tuple(formats) => formats.get_mut(index),
            Fields::Named(fields) => fields.get_mut(index).map(|(_, format)| format),
            Fields::Unit | Fields::Newtype(_) => None,
        }?;
        Some(Place { tracer: self.tracer, format })
    }

    fn len(&self) -> usize {
        let count = match &*self.fields {
            Fields::Tuple(formats) => formats.len(),
            Fields::Named(fields) => fields.len(),
            Fields::Unit | Fields::Newtype(_) => 0,
        };
        count.saturating_sub(self.next)
    }

    /// Writes down what the content was.
    pub(in super::super) fn finish(&mut self) {
        let fields = std::mem::take(&mut *self.fields);
        *self.tracer.fields(self.index, self.variant) = fields;
        // An enum is on the stack until its variant is finished.
        if self.variant.is_none() {
            self.tracer.stack.pop();
        }
    }
}

/// Values by position, one for each format.
pub(in super::super) enum Formats<'a> {
    /// Of a list or tuple.
    Plain(&'a mut Tracer, std::slice::IterMut<'a, Format>),
    /// Of a struct or variant.
    Taken(Taken<'a>),
}

impl Formats<'_> {
    pub(in super::super) fn next(&mut self) -> Option<Place<'_>> {
        match self {
            Self::Plain(tracer, formats) => formats.next().map(|format| Place { tracer, format }),
            Self::Taken(taken) => taken.next(),
        }
    }

    pub(in super::super) fn len(&self) -> usize {
        match self {
            Self::Plain(_, formats) => formats.len(),
            Self::Taken(taken) => taken.len(),
        }
    }

    pub(in super::super) fn finish(&mut self) {
        if let Self::Taken(taken) = self {
            taken.finish();
        }
    }
}

/// An enum while one of its variants is made.
pub(in super::super) struct Enumerated<'a> {
    tracer: &'a mut Tracer,
    index: usize,
    variant: usize,
}

impl Enumerated<'_> {
    /// The number of the variant.
    pub(in super::super) fn number(&self) -> u32 {
        u32::try_from(self.variant).unwrap_or(u32::MAX)
    }

    pub(in super::super) fn begin(&mut self) -> Begun<'_> {
        Begun { tracer: self.tracer, index: self.index, variant: Some(self.variant) }
    }

    /// Notes that values of this variant end.
    pub(in super::super) fn finish(&mut self) {
        self.tracer.stack.pop();
        self.tracer.seen[self.index].finite.get_or_insert(self.variant);
    }
}
