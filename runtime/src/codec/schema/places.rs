//! The places in a type for which the tracer makes values up, in the order in which serde visits them.
//!
//! They refer to the tracer through [`Hidden`], because the code that serde generates for users' types contains them.

use std::mem::ManuallyDrop;

use super::super::source::SourceError;
use super::super::value::Value;
use super::format::{Content, Fields, Format};
use super::trace::Tracer;
use crate::hidden::Hidden;

/// A place for which a value is requested.
pub(in super::super) struct Place<'a> {
    tracer: &'a mut (dyn Hidden<Tracer> + 'static),
    format: &'a mut (dyn Hidden<Format> + 'static),
}

impl<'a> Place<'a> {
    pub(super) fn new(tracer: &'a mut Tracer, format: &'a mut Format) -> Self {
        Self { tracer, format }
    }

    fn parts(self) -> (&'a mut Tracer, &'a mut Format) {
        let tracer = self.tracer.reveal_mut();
        tracer.parts += 1;
        (tracer, self.format.reveal_mut())
    }

    /// Records the format of the value. Keeps the known parts if the format is like the known one.
    fn note(self, format: Format) -> (&'a mut Tracer, &'a mut Format) {
        let (tracer, known) = self.parts();
        if !known.is_like(&format) {
            tracer.differs |= *known != Format::Unknown;
            *known = format;
        }
        (tracer, known)
    }

    /// Records the format of the value.
    pub(in super::super) fn is(self, format: Format) {
        self.note(format);
    }

    /// A number, a truth value or nothing.
    pub(in super::super) fn scalar(self, format: Format) -> &'a Value {
        let (tracer, format) = self.note(format);
        let numbers = &tracer.numbers;
        match format {
            Format::Bool => &numbers.truth,
            Format::F32 | Format::F64 => &numbers.float,
            Format::Unit => &Value::Null,
            Format::I8 | Format::I16 | Format::I32 | Format::I64 | Format::I128 => &numbers.signed,
            _ => &numbers.unsigned,
        }
    }

    /// A text for this Rust type.
    pub(in super::super) fn text(self, rust_name: &'static str) -> &'static str {
        self.note(Format::Str).0.text(rust_name)
    }

    /// The value of an option; `None` if the option shall be empty.
    pub(in super::super) fn option(self) -> Option<Self> {
        let (tracer, format) = self.note(Format::Option(Box::default()));
        let Format::Option(format) = format else { return None };
        (!tracer.is_empty_here()).then_some(Self::new(tracer, format))
    }

    /// The items of a list.
    pub(in super::super) fn items(self) -> Formats<'a> {
        let (tracer, format) = self.note(Format::Seq(Box::default()));
        let left = usize::from(!tracer.is_empty_here());
        Formats::Plain(Self::new(tracer, format), 0, left)
    }

    /// The items of a tuple.
    pub(in super::super) fn tuple(self, len: usize) -> Formats<'a> {
        let (tracer, format) = self.note(Format::Tuple(vec![Format::Unknown; len]));
        Formats::Plain(Self::new(tracer, format), 0, len)
    }

    /// The key and the value of the only entry of a map; nothing if the map shall be empty.
    pub(in super::super) fn entry(self) -> Formats<'a> {
        let (tracer, format) = self.note(Format::Map(Box::default(), Box::default()));
        let left = if tracer.is_empty_here() { 0 } else { 2 };
        Formats::Plain(Self::new(tracer, format), 0, left)
    }

    /// The part number `index` of a list, tuple or map.
    fn part(&mut self, index: usize) -> Option<Place<'_>> {
        let format = match (self.format.reveal_mut(), index) {
            (Format::Seq(item) | Format::Set(item), _) => item,
            (Format::Tuple(items), _) => items.get_mut(index)?,
            (Format::Map(key, _), 0) => key,
            (Format::Map(_, value), 1) => value,
            _ => return None,
        };
        Some(Place { tracer: self.tracer, format })
    }

    /// A struct with these fields.
    pub(in super::super) fn begin(
        self,
        rust_name: &'static str,
        name: &str,
        fields: Fields,
    ) -> Result<Begun<'a>, SourceError> {
        let (tracer, format) = self.parts();
        let index = tracer.index_of(rust_name, name, Content::Struct(fields));
        let tracer = Self::new(tracer, format).note(Format::Type(index)).0;
        tracer.push(index)?;
        Ok(Begun { tracer, index, variant: None })
    }

    /// The variant of an enum to make next.
    pub(in super::super) fn variant(
        self,
        rust_name: &'static str,
        name: &str,
        variants: &[&'static str],
    ) -> Result<Enumerated<'a>, SourceError> {
        let (tracer, format) = self.parts();
        let empty = variants.iter().map(|name| ((*name).to_owned(), Fields::Unit)).collect();
        let index = tracer.index_of(rust_name, name, Content::Enum(empty));
        let tracer = Self::new(tracer, format).note(Format::Type(index)).0;
        tracer.push(index)?;
        let variant = tracer.choose(index)?;
        Ok(Enumerated { tracer, index, variant })
    }
}

/// A struct or variant before its content is made.
pub(in super::super) struct Begun<'a> {
    tracer: &'a mut Tracer,
    index: usize,
    variant: Option<usize>,
}

impl<'a> Begun<'a> {
    pub(in super::super) fn unit(self) -> Taken<'a> {
        self.take(Fields::Unit)
    }

    pub(in super::super) fn newtype(self) -> Taken<'a> {
        self.take(Fields::newtype())
    }

    pub(in super::super) fn tuple(self, len: usize) -> Formats<'a> {
        Formats::Taken(self.take(Fields::tuple(len)))
    }

    pub(in super::super) fn named(self, names: &[&'static str]) -> Formats<'a> {
        Formats::Taken(self.take(Fields::named(names)))
    }

    /// Records the shape. Keeps the known parts if the shape is like the known one.
    fn take(self, shape: Fields) -> Taken<'a> {
        let Self { tracer, index, variant } = self;
        let known = tracer.fields(index, variant);
        // Stays in place for types that contain themselves.
        let is_new = !known.is_like(&shape);
        let is_other = is_new && *known != Fields::Unit;
        if is_new {
            *known = shape;
        }
        let fields: Box<dyn Hidden<Fields>> = Box::new(known.clone());
        tracer.differs |= is_other;
        Taken { tracer, index, variant, fields: ManuallyDrop::new(fields), next: 0 }
    }
}

/// The content of a struct or variant while it is made.
pub(in super::super) struct Taken<'a> {
    tracer: &'a mut (dyn Hidden<Tracer> + 'static),
    index: usize,
    variant: Option<usize>,
    /// Not dropped before [`Taken::finish`]: the code that reads a type would otherwise contain drop code for each
    /// exit.
    fields: ManuallyDrop<Box<dyn Hidden<Fields>>>,
    next: usize,
}

impl Taken<'_> {
    /// The only part.
    pub(in super::super) fn content(&mut self) -> Place<'_> {
        let fields = (**self.fields).reveal_mut();
        if !matches!(fields, Fields::Newtype(_)) {
            *fields = Fields::Newtype(Format::Unknown);
        }
        match fields {
            Fields::Newtype(format) => Place { tracer: self.tracer, format },
            _ => unreachable!("it has just been made one"),
        }
    }

    fn next(&mut self) -> Option<Place<'_>> {
        let index = self.next;
        self.next += 1;
        let format = match (**self.fields).reveal_mut() {
            Fields::Tuple(formats) => formats.get_mut(index),
            Fields::Named(fields) => fields.get_mut(index).map(|(_, format)| format),
            Fields::Unit | Fields::Newtype(_) => None,
        }?;
        Some(Place { tracer: self.tracer, format })
    }

    fn len(&self) -> usize {
        let count = match (**self.fields).reveal() {
            Fields::Tuple(formats) => formats.len(),
            Fields::Named(fields) => fields.len(),
            Fields::Unit | Fields::Newtype(_) => 0,
        };
        count.saturating_sub(self.next)
    }

    /// Records the content.
    pub(in super::super) fn finish(&mut self) {
        let fields = std::mem::take((**self.fields).reveal_mut());
        let nothing: Box<dyn Hidden<Fields>> = Box::new(Fields::Unit);
        drop(ManuallyDrop::into_inner(std::mem::replace(
            &mut self.fields,
            ManuallyDrop::new(nothing),
        )));
        let tracer = self.tracer.reveal_mut();
        *tracer.fields(self.index, self.variant) = fields;
        // An enum is on the stack until its variant is finished.
        if self.variant.is_none() {
            tracer.stack.pop();
        }
    }
}

/// Values by position, one for each format.
pub(in super::super) enum Formats<'a> {
    /// The parts of a list, tuple or map: its place, the index of the next part, and the number of parts.
    Plain(Place<'a>, usize, usize),
    /// The parts of a struct or variant.
    Taken(Taken<'a>),
}

impl Formats<'_> {
    pub(in super::super) fn next(&mut self) -> Option<Place<'_>> {
        match self {
            Self::Plain(place, next, end) if *next < *end => {
                *next += 1;
                place.part(*next - 1)
            }
            Self::Plain(..) => None,
            Self::Taken(taken) => taken.next(),
        }
    }

    pub(in super::super) fn len(&self) -> usize {
        match self {
            Self::Plain(_, next, end) => end - next,
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
    tracer: &'a mut (dyn Hidden<Tracer> + 'static),
    index: usize,
    variant: usize,
}

impl Enumerated<'_> {
    /// The number of the variant.
    pub(in super::super) fn number(&self) -> u32 {
        u32::try_from(self.variant).unwrap_or(u32::MAX)
    }

    pub(in super::super) fn begin(&mut self) -> Begun<'_> {
        let tracer = self.tracer.reveal_mut();
        Begun { tracer, index: self.index, variant: Some(self.variant) }
    }

    /// Records that this variant has finite values.
    pub(in super::super) fn finish(&mut self) {
        let tracer = self.tracer.reveal_mut();
        tracer.stack.pop();
        tracer.seen[self.index].finite.get_or_insert(self.variant);
    }
}
