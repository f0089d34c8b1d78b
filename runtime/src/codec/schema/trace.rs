//! Tracing: a deserializer that makes values up and writes down what it is asked for.
//!
//! A type is deserialized again and again. Each pass shows one more variant of an enum that has
//! some left, until a pass shows nothing new; a last pass shows options and lists empty. Recursive
//! types end because an enum whose variants have all been begun continues with one that is known to
//! end, and because options and lists are empty inside of a type that holds itself.

use std::any::type_name;
use std::fmt::Display;

use serde::de::{
    self, DeserializeOwned, DeserializeSeed, EnumAccess, IntoDeserializer, MapAccess, SeqAccess,
    VariantAccess, Visitor,
};

use super::format::{Content, Fields, Format, NamedType, Types};

/// More nesting than this is taken for a type without finite values.
const MAX_DEPTH: usize = 128;

/// More passes than this are not made; each but the last shows a variant that none before it has.
const MAX_PASSES: usize = 10_000;

/// What tracing a type gave.
pub(super) struct Traced<T> {
    pub(super) format: Format,
    pub(super) types: Types,
    /// A value of each pass.
    pub(super) values: Vec<T>,
}

/// Why a type could not be traced.
#[derive(Debug, thiserror::Error)]
pub(super) enum TraceError {
    /// It wants to be told what was written.
    #[error("the type can only be read from a self-describing format")]
    SelfDescribing,
    /// It does not take the values made up for it.
    #[error("{0}")]
    Rejected(String),
}

impl de::Error for TraceError {
    fn custom<T: Display>(message: T) -> Self {
        Self::Rejected(message.to_string())
    }
}

/// Traces `T`, taking every string to be `text`.
pub(super) fn trace<T: DeserializeOwned>(text: &'static str) -> Result<Traced<T>, TraceError> {
    let mut tracer =
        Tracer { text, seen: Vec::new(), stack: Vec::new(), progress: false, sparse: false };
    let mut format = Format::Unknown;
    let mut values = Vec::new();
    for _ in 0..MAX_PASSES {
        tracer.progress = false;
        values.push(T::deserialize(tracer.at(&mut format))?);
        if !tracer.progress {
            break;
        }
    }
    tracer.sparse = true;
    values.push(T::deserialize(tracer.at(&mut format))?);
    let types = tracer.seen.into_iter().map(|seen| seen.named).collect();
    Ok(Traced { format, types, values })
}

struct Tracer {
    text: &'static str,
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
    fn at<'a>(&'a mut self, format: &'a mut Format) -> At<'a> {
        At { tracer: self, format }
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

    /// Makes the values of a struct or variant, by position.
    fn tuple<'de, V: Visitor<'de>>(
        &mut self,
        place: (usize, Option<usize>),
        len: usize,
        visitor: V,
    ) -> Result<V::Value, TraceError> {
        let mut formats = match std::mem::take(self.fields(place.0, place.1)) {
            Fields::Tuple(formats) if formats.len() == len => formats,
            _ => vec![Format::Unknown; len],
        };
        // Left in place for types that hold themselves.
        *self.fields(place.0, place.1) = Fields::Tuple(formats.clone());
        let made = visitor.visit_seq(Items { tracer: self, formats: formats.iter_mut() });
        *self.fields(place.0, place.1) = Fields::Tuple(formats);
        made
    }

    /// Makes the values of a struct or variant, by name.
    fn named<'de, V: Visitor<'de>>(
        &mut self,
        place: (usize, Option<usize>),
        names: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, TraceError> {
        let mut fields = match std::mem::take(self.fields(place.0, place.1)) {
            Fields::Named(fields) if fields.len() == names.len() => fields,
            _ => names.iter().map(|name| ((*name).to_owned(), Format::Unknown)).collect(),
        };
        *self.fields(place.0, place.1) = Fields::Named(fields.clone());
        let formats = fields.iter_mut().map(|(_, format)| format);
        let made = visitor.visit_seq(Items { tracer: self, formats });
        *self.fields(place.0, place.1) = Fields::Named(fields);
        made
    }

    /// Makes the single value of a struct or variant.
    fn newtype<T>(
        &mut self,
        place: (usize, Option<usize>),
        make: impl FnOnce(At<'_>) -> Result<T, TraceError>,
    ) -> Result<T, TraceError> {
        let mut format = match std::mem::take(self.fields(place.0, place.1)) {
            Fields::Newtype(format) => format,
            _ => Format::Unknown,
        };
        *self.fields(place.0, place.1) = Fields::Newtype(format.clone());
        let made = make(self.at(&mut format));
        *self.fields(place.0, place.1) = Fields::Newtype(format);
        made
    }

    /// Makes a value of a named type, which is on the stack meanwhile.
    fn within<T>(
        &mut self,
        index: usize,
        make: impl FnOnce(&mut Self) -> Result<T, TraceError>,
    ) -> Result<T, TraceError> {
        if self.stack.len() >= MAX_DEPTH {
            return Err(endless());
        }
        self.stack.push(index);
        let made = make(self);
        self.stack.pop();
        made
    }
}

fn endless() -> TraceError {
    TraceError::Rejected("the type has no finite values".into())
}

/// A place where a value is wanted.
struct At<'a> {
    tracer: &'a mut Tracer,
    format: &'a mut Format,
}

macro_rules! primitives {
    ($($method:ident, $visit:ident, $format:ident, $value:expr;)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TraceError> {
            *self.format = Format::$format;
            visitor.$visit($value)
        }
    )*};
}

impl<'de> de::Deserializer<'de> for At<'_> {
    type Error = TraceError;

    primitives! {
        deserialize_bool, visit_bool, Bool, false;
        deserialize_i8, visit_i8, I8, 0;
        deserialize_i16, visit_i16, I16, 0;
        deserialize_i32, visit_i32, I32, 0;
        deserialize_i64, visit_i64, I64, 0;
        deserialize_i128, visit_i128, I128, 0;
        deserialize_u8, visit_u8, U8, 0;
        deserialize_u16, visit_u16, U16, 0;
        deserialize_u32, visit_u32, U32, 0;
        deserialize_u64, visit_u64, U64, 0;
        deserialize_u128, visit_u128, U128, 0;
        deserialize_f32, visit_f32, F32, 0.0;
        deserialize_f64, visit_f64, F64, 0.0;
        deserialize_char, visit_char, Char, 'a';
        // Sixteen bytes are a UUID; other types take any number.
        deserialize_bytes, visit_bytes, Bytes, &[0; 16];
        deserialize_byte_buf, visit_byte_buf, Bytes, vec![0; 16];
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TraceError> {
        *self.format = Format::Unit;
        visitor.visit_unit()
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TraceError> {
        *self.format = Format::Str;
        visitor.visit_str(self.tracer.text)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TraceError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TraceError> {
        let mut inner = match std::mem::take(self.format) {
            Format::Option(inner) => inner,
            _ => Box::default(),
        };
        let made = if self.tracer.is_sparse() {
            visitor.visit_none()
        } else {
            visitor.visit_some(self.tracer.at(&mut inner))
        };
        *self.format = Format::Option(inner);
        made
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TraceError> {
        let mut inner = match std::mem::take(self.format) {
            Format::Seq(inner) => inner,
            _ => Box::default(),
        };
        let items = (!self.tracer.is_sparse()).then_some(&mut *inner);
        let made = visitor.visit_seq(Items { tracer: self.tracer, formats: items.into_iter() });
        *self.format = Format::Seq(inner);
        made
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TraceError> {
        let (mut key, mut value) = match std::mem::take(self.format) {
            Format::Map(key, value) => (key, value),
            _ => Default::default(),
        };
        let entry = (!self.tracer.is_sparse()).then_some((&mut *key, &mut *value));
        let made = visitor.visit_map(Entry { tracer: self.tracer, entry, value: None });
        *self.format = Format::Map(key, value);
        made
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, TraceError> {
        let mut formats = match std::mem::take(self.format) {
            Format::Tuple(formats) if formats.len() == len => formats,
            _ => vec![Format::Unknown; len],
        };
        let made = visitor.visit_seq(Items { tracer: self.tracer, formats: formats.iter_mut() });
        *self.format = Format::Tuple(formats);
        made
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, TraceError> {
        let content = Content::Struct(Fields::Unit);
        *self.format = Format::Type(self.tracer.index_of(type_name::<V::Value>(), name, content));
        visitor.visit_unit()
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, TraceError> {
        let content = Content::Struct(Fields::default());
        let index = self.tracer.index_of(type_name::<V::Value>(), name, content);
        *self.format = Format::Type(index);
        self.tracer.within(index, |tracer| {
            tracer.newtype((index, None), |at| visitor.visit_newtype_struct(at))
        })
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, TraceError> {
        let content = Content::Struct(Fields::default());
        let index = self.tracer.index_of(type_name::<V::Value>(), name, content);
        *self.format = Format::Type(index);
        self.tracer.within(index, |tracer| tracer.tuple((index, None), len, visitor))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, TraceError> {
        let content = Content::Struct(Fields::default());
        let index = self.tracer.index_of(type_name::<V::Value>(), name, content);
        *self.format = Format::Type(index);
        self.tracer.within(index, |tracer| tracer.named((index, None), fields, visitor))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, TraceError> {
        let empty = variants.iter().map(|name| ((*name).to_owned(), Fields::Unit)).collect();
        let tracer = self.tracer;
        let index = tracer.index_of(type_name::<V::Value>(), name, Content::Enum(empty));
        *self.format = Format::Type(index);
        let seen = &mut tracer.seen[index];
        let variant = if seen.begun < variants.len() {
            seen.begun += 1;
            tracer.progress = true;
            seen.begun - 1
        } else {
            seen.finite.ok_or_else(endless)?
        };
        let made = tracer.within(index, |tracer| {
            visitor.visit_enum(Variant { tracer, place: (index, Some(variant)) })
        })?;
        tracer.seen[index].finite.get_or_insert(variant);
        Ok(made)
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, TraceError> {
        Err(TraceError::SelfDescribing)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, _: V) -> Result<V::Value, TraceError> {
        Err(TraceError::SelfDescribing)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, TraceError> {
        Err(TraceError::SelfDescribing)
    }

    fn is_human_readable(&self) -> bool {
        false
    }
}

/// Values by position, one for each format.
struct Items<'a, I> {
    tracer: &'a mut Tracer,
    formats: I,
}

impl<'de, 'f, I: Iterator<Item = &'f mut Format>> SeqAccess<'de> for Items<'_, I> {
    type Error = TraceError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, TraceError> {
        let next = self.formats.next();
        next.map(|format| seed.deserialize(self.tracer.at(format))).transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        self.formats.size_hint().1
    }
}

/// One entry of a map, or none.
struct Entry<'a, 'f> {
    tracer: &'a mut Tracer,
    entry: Option<(&'f mut Format, &'f mut Format)>,
    value: Option<&'f mut Format>,
}

impl<'de> MapAccess<'de> for Entry<'_, '_> {
    type Error = TraceError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, TraceError> {
        let Some((key, value)) = self.entry.take() else { return Ok(None) };
        self.value = Some(value);
        seed.deserialize(self.tracer.at(key)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(
        &mut self,
        seed: V,
    ) -> Result<V::Value, TraceError> {
        match self.value.take() {
            Some(value) => seed.deserialize(self.tracer.at(value)),
            None => Err(TraceError::Rejected("a map's value was read before its key".into())),
        }
    }
}

/// One variant of an enum.
struct Variant<'a> {
    tracer: &'a mut Tracer,
    place: (usize, Option<usize>),
}

impl<'de> EnumAccess<'de> for Variant<'_> {
    type Error = TraceError;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(
        self,
        seed: V,
    ) -> Result<(V::Value, Self), TraceError> {
        let number = self.place.1.and_then(|number| u32::try_from(number).ok()).unwrap_or_default();
        let number: de::value::U32Deserializer<TraceError> = number.into_deserializer();
        Ok((seed.deserialize(number)?, self))
    }
}

impl<'de> VariantAccess<'de> for Variant<'_> {
    type Error = TraceError;

    fn unit_variant(self) -> Result<(), TraceError> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(
        self,
        seed: T,
    ) -> Result<T::Value, TraceError> {
        self.tracer.newtype(self.place, |at| seed.deserialize(at))
    }

    fn tuple_variant<V: Visitor<'de>>(
        self,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, TraceError> {
        self.tracer.tuple(self.place, len, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, TraceError> {
        self.tracer.named(self.place, fields, visitor)
    }
}
