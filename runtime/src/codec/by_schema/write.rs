//! Writing a value by a schema, without its type: the bytes are those that a type with the schema would write.
//!
//! Used for values that people enter, so an error says where the value does not fit, what was expected there and what
//! was found.

use std::fmt;

use serde::ser::{
    Error as _, Serialize, SerializeMap as _, SerializeSeq as _, SerializeTuple as _, Serializer,
};

use crate::codec::CodecError;
use crate::codec::schema::{Content, Fields, Form, Format, NamedType, Schema};
use crate::codec::sink::Sink;
use crate::codec::value::{Number, Value};

/// Writes a value as a type with this schema does. A number fits every type that can represent it. Fields and variants
/// are matched by name; no field may be missing or unknown.
///
/// The schema of a type in the tagged form does not restrict its values, so any value is written.
///
/// # Errors
/// [`CodecError::Encode`] if the value does not fit.
pub(crate) fn write(value: &Value, schema: &Schema) -> Result<Vec<u8>, CodecError> {
    write_as(value, schema, Tolerance::Nothing)
}

/// Writes a value as [`write`] does, without the fields that the schema lacks.
///
/// # Errors
/// [`CodecError::Encode`] if the value does not fit.
pub(crate) fn write_known(value: &Value, schema: &Schema) -> Result<Vec<u8>, CodecError> {
    write_as(value, schema, Tolerance::UnknownFields)
}

/// Checks that a type with this schema can read a value that another type has written. The schema does not tell which
/// fields have a default, nor that fields are unknown to be ignored, so a field may be missing or unknown.
///
/// # Errors
/// [`CodecError::Encode`] if the value does not fit.
pub(crate) fn check(value: &Value, schema: &Schema) -> Result<(), CodecError> {
    write_as(value, schema, Tolerance::OtherType).map(drop)
}

/// How a value may differ from its schema.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tolerance {
    Nothing,
    /// It may have fields that the schema lacks.
    UnknownFields,
    /// Another type has written it: it may lack fields and have others, and a text is no number.
    OtherType,
}

fn write_as(value: &Value, schema: &Schema, tolerance: Tolerance) -> Result<Vec<u8>, CodecError> {
    let mut out = Vec::new();
    let sink = Sink::new(&mut out, schema.form);
    let written = match (schema.form, &schema.format) {
        (Form::Compact, Some((format, types))) => {
            Typed { value, tolerance, format, types, path: &Path::Whole }.serialize(sink)
        }
        _ => Untyped(value).serialize(sink),
    };
    match written {
        Ok(()) => Ok(out),
        Err(error) => Err(CodecError::Encode { type_name: "value", reason: error.to_string() }),
    }
}

/// The path from the whole value to a part.
enum Path<'a> {
    Whole,
    Field(&'a Path<'a>, &'a str),
    Item(&'a Path<'a>, usize),
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole => Ok(()),
            Self::Field(Path::Whole, name) => f.write_str(name),
            Self::Field(parent, name) => write!(f, "{parent}.{name}"),
            Self::Item(parent, index) => write!(f, "{parent}[{index}]"),
        }
    }
}

/// A value to write in this format.
struct Typed<'a> {
    value: &'a Value,
    tolerance: Tolerance,
    format: &'a Format,
    types: &'a [NamedType],
    path: &'a Path<'a>,
}

impl<'a> Typed<'a> {
    fn with(&self, value: &'a Value, format: &'a Format, path: &'a Path<'a>) -> Typed<'a> {
        Typed { value, tolerance: self.tolerance, format, types: self.types, path }
    }

    fn misfit<E: serde::ser::Error>(&self, expected: &dyn fmt::Display) -> E {
        self.misfit_of(expected, &self.value.unexpected())
    }

    fn misfit_of<E: serde::ser::Error>(
        &self,
        expected: &dyn fmt::Display,
        found: &dyn fmt::Display,
    ) -> E {
        match self.path {
            Path::Whole => E::custom(format_args!("expected {expected}, found {found}")),
            path => E::custom(format_args!("`{path}`: expected {expected}, found {found}")),
        }
    }

    /// The text that may stand for a number.
    fn number_text(&self) -> Option<&str> {
        self.value.text().filter(|_| self.tolerance != Tolerance::OtherType)
    }

    /// The value as an integer of this type, if it fits.
    fn integer<T: TryFrom<u128> + TryFrom<i128>, E: serde::ser::Error>(
        &self,
        expected: &str,
    ) -> Result<T, E> {
        let number = match self.value.number() {
            Some(Number::Unsigned(number)) => T::try_from(u128::from(number)).ok(),
            Some(Number::Signed(number)) => T::try_from(i128::from(number)).ok(),
            Some(Number::BigUnsigned(number)) => T::try_from(number).ok(),
            Some(Number::BigSigned(number)) => T::try_from(number).ok(),
            Some(Number::Float(_)) => None,
            // Integers that JSON cannot represent are shown as texts.
            None => self.number_text().and_then(|text| {
                let unsigned =
                    text.parse::<u128>().ok().and_then(|number| T::try_from(number).ok());
                unsigned.or_else(|| T::try_from(text.parse::<i128>().ok()?).ok())
            }),
        };
        number.ok_or_else(|| self.misfit(&expected))
    }

    fn float<E: serde::ser::Error>(&self) -> Result<f64, E> {
        match self.value.number() {
            Some(Number::Float(number)) => Ok(number),
            Some(Number::Unsigned(number)) => Ok(number as f64),
            Some(Number::Signed(number)) => Ok(number as f64),
            Some(Number::BigUnsigned(number)) => Ok(number as f64),
            Some(Number::BigSigned(number)) => Ok(number as f64),
            // Infinities and `NaN`.
            None => {
                let text = self.number_text().and_then(|text| text.parse().ok());
                text.ok_or_else(|| self.misfit(&"a number"))
            }
        }
    }

    fn bytes<E: serde::ser::Error>(&self) -> Result<Vec<u8>, E> {
        let expected = "bytes: a list of numbers to 255, or a text of hex digits behind `0x`";
        let bytes = match self.value.inner() {
            Value::Bytes(bytes) => Some(bytes.clone()),
            Value::List(list) => list
                .iter()
                .map(|item| match item.number() {
                    Some(Number::Unsigned(byte)) => u8::try_from(byte).ok(),
                    _ => None,
                })
                .collect(),
            value => value.text().and_then(|text| text.strip_prefix("0x")).and_then(from_hex),
        };
        bytes.ok_or_else(|| self.misfit(&expected))
    }

    fn items<E: serde::ser::Error>(&self, expected: &dyn fmt::Display) -> Result<&'a [Value], E> {
        match self.value.inner() {
            Value::List(list) => Ok(list),
            _ => Err(self.misfit(expected)),
        }
    }

    fn tuple<S: Serializer>(&self, formats: &[Format], serializer: S) -> Result<S::Ok, S::Error> {
        let expected = format_args!("a list of {}", formats.len()).to_string();
        let items = self.items(&expected)?;
        if items.len() != formats.len() {
            return Err(self.misfit(&expected));
        }
        let mut tuple = serializer.serialize_tuple(formats.len())?;
        for (index, (item, format)) in items.iter().zip(formats).enumerate() {
            tuple.serialize_element(&self.with(item, format, &Path::Item(self.path, index)))?;
        }
        tuple.end()
    }

    fn struct_of<S: Serializer>(
        &self,
        fields: &[(String, Format)],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let names = || fields.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
        let Value::Map(map) = self.value.inner() else {
            return Err(self.misfit(&format_args!("a struct of {}", names())));
        };
        let is_strict = self.tolerance == Tolerance::Nothing;
        let is_known =
            |key: &Value| fields.iter().any(|(name, _)| key.text() == Some(name.as_str()));
        if let Some((key, _)) = map.iter().find(|(key, _)| is_strict && !is_known(key)) {
            let key = key.text().unwrap_or_default();
            let field = Path::Field(self.path, key);
            let reason =
                format_args!("`{field}`: there is no such field; known fields: {}", names());
            return Err(S::Error::custom(reason.to_string()));
        }
        let mut tuple = serializer.serialize_tuple(fields.len())?;
        for (name, format) in fields {
            let field = map.iter().find(|(key, _)| key.text() == Some(name.as_str()));
            let path = Path::Field(self.path, name);
            let value = match (field, format) {
                (Some((_, value)), _) => value,
                // As in serde's own reading of JSON.
                (None, Format::Option(_)) => &Value::Null,
                (None, _) if self.tolerance == Tolerance::OtherType => continue,
                (None, _) => return Err(S::Error::custom(format_args!("`{path}`: it is missing"))),
            };
            tuple.serialize_element(&self.with(value, format, &path))?;
        }
        tuple.end()
    }

    fn enum_of<S: Serializer>(
        &self,
        variants: &[(String, Fields)],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let (name, content) = match self.value.inner() {
            Value::Map(map) if map.len() == 1 => (map[0].0.text(), &map[0].1),
            value => (value.text(), &Value::Null),
        };
        let found = (0..).zip(variants).find(|(_, (variant, _))| Some(variant.as_str()) == name);
        let Some((number, (name, fields))) = found else {
            let names: Vec<_> = variants.iter().map(|(name, _)| format!("`{name}`")).collect();
            let expected = format_args!("one of {}", names.join(", "));
            return Err(match (self.value.inner(), name) {
                (Value::Map(_), Some(name)) => self.misfit_of(&expected, &format_args!("`{name}`")),
                _ => self.misfit(&expected),
            });
        };
        let path = Path::Field(self.path, name);
        let content = Inside { of: self.with(content, &Format::Unit, &path), fields };
        match fields {
            Fields::Unit if *content.of.value.inner() != Value::Null => {
                Err(content.of.misfit(&"nothing: the variant has no content"))
            }
            Fields::Unit => serializer.serialize_unit_variant("", number, ""),
            _ => serializer.serialize_newtype_variant("", number, "", &content),
        }
    }
}

impl Serialize for Typed<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.format {
            Format::Unknown => {
                Err(self.misfit(&"nothing: its schema does not say what may be there"))
            }
            Format::Unit if *self.value.inner() == Value::Null => serializer.serialize_unit(),
            Format::Unit => Err(self.misfit(&"null")),
            Format::Bool => match self.value.truth() {
                Some(truth) => serializer.serialize_bool(truth),
                None => Err(self.misfit(&"true or false")),
            },
            Format::I8 => serializer.serialize_i8(self.integer("a number of type i8")?),
            Format::I16 => serializer.serialize_i16(self.integer("a number of type i16")?),
            Format::I32 => serializer.serialize_i32(self.integer("a number of type i32")?),
            Format::I64 => serializer.serialize_i64(self.integer("a number of type i64")?),
            Format::I128 => serializer.serialize_i128(self.integer("a number of type i128")?),
            Format::U8 => serializer.serialize_u8(self.integer("a number of type u8")?),
            Format::U16 => serializer.serialize_u16(self.integer("a number of type u16")?),
            Format::U32 => serializer.serialize_u32(self.integer("a number of type u32")?),
            Format::U64 => serializer.serialize_u64(self.integer("a number of type u64")?),
            Format::U128 => serializer.serialize_u128(self.integer("a number of type u128")?),
            Format::F32 => serializer.serialize_f32(self.float()? as f32),
            Format::F64 => serializer.serialize_f64(self.float()?),
            Format::Char => {
                let mut characters = self.value.text().unwrap_or_default().chars();
                match (self.value.inner(), characters.next(), characters.next()) {
                    (Value::Char(character), ..) => serializer.serialize_char(*character),
                    (_, Some(character), None) => serializer.serialize_char(character),
                    _ => Err(self.misfit(&"a text of one character")),
                }
            }
            Format::Str => match self.value.text() {
                Some(text) => serializer.serialize_str(text),
                None => Err(self.misfit(&"a text")),
            },
            Format::Bytes => serializer.serialize_bytes(&self.bytes()?),
            Format::Option(format) => match self.value.open() {
                Value::Null => serializer.serialize_none(),
                Value::Some(value) => {
                    serializer.serialize_some(&self.with(value, format, self.path))
                }
                value => serializer.serialize_some(&self.with(value, format, self.path)),
            },
            Format::Seq(format) | Format::Set(format) => {
                let items = self.items(&"a list")?;
                let mut list = serializer.serialize_seq(Some(items.len()))?;
                for (index, item) in items.iter().enumerate() {
                    list.serialize_element(&self.with(
                        item,
                        format,
                        &Path::Item(self.path, index),
                    ))?;
                }
                list.end()
            }
            Format::Map(key_format, value_format) => {
                let Value::Map(map) = self.value.inner() else {
                    return Err(self.misfit(&"a map"));
                };
                let mut entries = serializer.serialize_map(Some(map.len()))?;
                for (key, value) in map {
                    let path = Path::Field(self.path, key.text().unwrap_or("a key"));
                    let key = self.with(key, key_format, &path);
                    entries.serialize_entry(&key, &self.with(value, value_format, &path))?;
                }
                entries.end()
            }
            Format::Tuple(formats) => self.tuple(formats, serializer),
            Format::Type(index) => match self.types.get(*index).map(|named| &named.content) {
                None => Err(self.misfit(&"nothing: its schema lacks the type")),
                Some(Content::Struct(fields)) => {
                    let of = self.with(self.value, self.format, self.path);
                    Inside { of, fields }.serialize(serializer)
                }
                Some(Content::Enum(variants)) => self.enum_of(variants, serializer),
            },
        }
    }
}

/// The content of a struct or a variant.
struct Inside<'a> {
    of: Typed<'a>,
    fields: &'a Fields,
}

impl Serialize for Inside<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { of, fields } = self;
        match fields {
            Fields::Unit if *of.value.inner() == Value::Null => serializer.serialize_unit(),
            Fields::Unit => Err(of.misfit(&"null")),
            Fields::Newtype(format) => of.with(of.value, format, of.path).serialize(serializer),
            Fields::Tuple(formats) => of.tuple(formats, serializer),
            Fields::Named(fields) => of.struct_of(fields, serializer),
        }
    }
}

/// A value to write in the tagged form.
struct Untyped<'a>(&'a Value);

impl Serialize for Untyped<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Null => serializer.serialize_unit(),
            Value::Bool(value) => serializer.serialize_bool(*value),
            Value::Unsigned(value) => serializer.serialize_u64(*value),
            Value::Signed(value) => serializer.serialize_i64(*value),
            Value::BigUnsigned(value) => serializer.serialize_u128(*value),
            Value::BigSigned(value) => serializer.serialize_i128(*value),
            Value::Float(value) => serializer.serialize_f64(*value),
            Value::Char(value) => serializer.serialize_char(*value),
            Value::Text(value) | Value::Key(value) => serializer.serialize_str(value),
            Value::Bytes(value) => serializer.serialize_bytes(value),
            Value::Some(value) => serializer.serialize_some(&Untyped(value)),
            Value::Secret(value) => {
                serializer.serialize_newtype_struct(crate::codec::schema::SECRET, &Untyped(value))
            }
            Value::Range(_, fields) => Untyped(fields).serialize(serializer),
            Value::List(list) => serializer.collect_seq(list.iter().map(Untyped)),
            Value::Map(map) => serializer
                .collect_map(map.iter().map(|(key, value)| (Untyped(key), Untyped(value)))),
        }
    }
}

fn from_hex(digits: &str) -> Option<Vec<u8>> {
    let digits = digits.as_bytes();
    let is_whole = digits.len().is_multiple_of(2) && digits.iter().all(u8::is_ascii_hexdigit);
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    is_whole.then(|| digits.chunks(2).map(byte).collect()).flatten()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::de::DeserializeOwned;
    use serde::{Deserialize, Serialize};
    use serde_json::json;

    use super::*;
    use crate::Secret;
    use crate::codec::{Reader, next_value, only_value, render};

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    enum Kind {
        Small,
        Large(u64),
        Pair(i8, Option<bool>),
        Named { size: f64 },
    }

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    struct Whole {
        id: u32,
        kinds: Vec<Kind>,
        by_number: BTreeMap<u16, char>,
        token: Secret<String>,
        next: Option<Box<Whole>>,
        big: (u128, i128),
        raw: Raw,
    }

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    struct Raw(#[serde(with = "raw")] Vec<u8>);

    mod raw {
        use serde::{Deserialize as _, Deserializer, Serializer};

        pub(super) fn serialize<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
            to.serialize_bytes(bytes)
        }

        pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
            Vec::deserialize(from)
        }
    }

    fn whole() -> Whole {
        Whole {
            id: 7,
            kinds: vec![
                Kind::Small,
                Kind::Large(u64::MAX),
                Kind::Pair(-8, Some(true)),
                Kind::Pair(1, None),
                Kind::Named { size: 0.5 },
            ],
            by_number: BTreeMap::from([(3, 'ü')]),
            token: Secret::new("t".to_owned()),
            next: None,
            big: (u128::MAX, i128::MIN),
            raw: Raw(vec![0, 255]),
        }
    }

    fn from_json(json: &serde_json::Value) -> Value {
        Value::deserialize(json).expect("a value")
    }

    fn read<T: DeserializeOwned>(bytes: &[u8], form: Form) -> T {
        only_value(Reader::plain(bytes, "value", form), next_value).expect("such a value")
    }

    #[test]
    fn what_is_read_by_a_schema_is_written_by_it() {
        let value = Whole { next: Some(Box::new(whole())), ..whole() };
        let mut bytes = Vec::new();
        crate::codec::encode_into(&value, &mut bytes).expect("plain data");
        let schema = Schema::of::<Whole>();
        assert_eq!(schema.form, Form::Compact);
        let found = super::super::read(&bytes, &schema).expect("such a value");
        assert_eq!(write(&found, &schema).expect("the same"), bytes);
    }

    #[test]
    fn what_is_shown_as_json_is_written_again() {
        let value = Whole { token: Secret::new("(secret)".to_owned()), ..whole() };
        let mut bytes = Vec::new();
        crate::codec::encode_into(&value, &mut bytes).expect("plain data");
        let schema = Schema::of::<Whole>();
        let shown = render::to_json(&super::super::read(&bytes, &schema).expect("such a value"));
        let written = write(&from_json(&shown), &schema).expect("it fits");
        assert_eq!(read::<Whole>(&written, Form::Compact), value);
    }

    #[test]
    fn an_option_may_be_left_out() {
        #[derive(Debug, PartialEq, Serialize, Deserialize)]
        struct Visit {
            guest: String,
            escort: Option<String>,
            seats: Vec<Seat>,
        }
        #[derive(Debug, PartialEq, Serialize, Deserialize)]
        enum Seat {
            Row { number: u8, aisle: Option<bool> },
        }
        let json = json!({ "guest": "ann", "seats": [{ "Row": { "number": 3 } }] });
        let written = write(&from_json(&json), &Schema::of::<Visit>()).expect("it fits");
        let seats = vec![Seat::Row { number: 3, aisle: None }];
        let visit = Visit { guest: "ann".to_owned(), escort: None, seats };
        assert_eq!(read::<Visit>(&written, Form::Compact), visit);
    }

    #[test]
    fn fields_that_the_schema_lacks_are_left_out() {
        #[derive(Serialize, Deserialize)]
        struct Pay {
            cents: u8,
            lines: Vec<Line>,
        }
        #[derive(Serialize, Deserialize)]
        struct Line {
            sku: String,
        }
        let schema = Schema::of::<Pay>();
        let pay = |line| from_json(&json!({ "cents": 1, "fee": 2, "lines": [line] }));
        let value = pay(json!({ "sku": "a", "gift": true }));
        assert!(write(&value, &schema).is_err());
        let known = from_json(&json!({ "cents": 1, "lines": [{ "sku": "a" }] }));
        assert_eq!(
            write_known(&value, &schema).expect("the rest fits"),
            write(&known, &schema).expect("it fits")
        );
        assert!(write_known(&pay(json!({ "gift": true })), &schema).is_err(), "`sku` is missing");
    }

    #[test]
    fn what_does_not_fit_is_told_with_its_path() {
        #[derive(Serialize, Deserialize)]
        struct Order {
            cents: u8,
            kinds: Vec<Kind>,
        }
        let schema = Schema::of::<Order>();
        let refused = |json| match write(&from_json(&json), &schema) {
            Err(CodecError::Encode { reason, .. }) => reason,
            written => panic!("{written:?}"),
        };
        let cases = [
            (json!(7), "expected a struct of cents, kinds, found integer `7`"),
            (
                json!({ "cents": 256, "kinds": [] }),
                "`cents`: expected a number of type u8, found integer `256`",
            ),
            (
                json!({ "cents": 1.5, "kinds": [] }),
                "`cents`: expected a number of type u8, found floating point `1.5`",
            ),
            (json!({ "cents": 1 }), "`kinds`: it is missing"),
            (
                json!({ "cents": 1, "kinds": [], "sum": 2 }),
                "`sum`: there is no such field; known fields: cents, kinds",
            ),
            (
                json!({ "cents": 1, "kinds": ["Small", "Tiny"] }),
                "`kinds[1]`: expected one of `Small`, `Large`, `Pair`, `Named`, found string \"Tiny\"",
            ),
            (
                json!({ "cents": 1, "kinds": [{ "Pair": [1] }] }),
                "`kinds[0].Pair`: expected a list of 2, found sequence",
            ),
            (
                json!({ "cents": 1, "kinds": [{ "Named": { "size": "big" } }] }),
                "`kinds[0].Named.size`: expected a number, found string \"big\"",
            ),
        ];
        for (json, reason) in cases {
            assert_eq!(refused(json), reason);
        }
    }

    #[test]
    fn a_value_in_the_tagged_form_is_written_as_it_is() {
        let schema = Schema::of::<serde_json::Value>();
        let json = json!({ "a": [1, -2, 0.5, null, true], "b": { "c": "d" } });
        let written = write(&from_json(&json), &schema).expect("it fits");
        assert_eq!(read::<serde_json::Value>(&written, schema.form), json);
    }
}
