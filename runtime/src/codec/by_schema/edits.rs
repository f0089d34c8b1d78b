//! Random types, values and changes of the types: the changed type must read the same value from the bytes as from
//! JSON.

use std::collections::HashSet;
use std::fmt;
use std::sync::{LazyLock, Mutex};

use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, IgnoredAny, MapAccess, SeqAccess,
    VariantAccess, Visitor,
};
use serde::ser::{SerializeMap, SerializeSeq, SerializeTuple, Serializer};
use serde::{Deserialize, Serialize};

use super::*;
use crate::codec::encode_into;
use crate::codec::schema::Types;
use crate::codec::source::Source;

const NAMES: [&str; 7] = ["a", "b", "c", "d", "e", "f", "g"];

/// A type.
#[derive(Clone, Debug)]
enum Shape {
    Bool,
    I8,
    I64,
    U8,
    U64,
    U128,
    F64,
    Char,
    Str,
    Option(Box<Shape>),
    Seq(Box<Shape>),
    Map(Box<Shape>),
    Tuple(Vec<Shape>),
    Struct(Vec<Field>),
    Enum(Vec<(&'static str, Option<Shape>)>),
}

#[derive(Clone, Debug)]
struct Field {
    name: &'static str,
    shape: Shape,
    /// `#[serde(default)]`.
    default: bool,
}

/// The random number generator: Vigna's splitmix64.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % end as u64) as usize
    }

    fn names(&mut self, count: usize) -> Vec<&'static str> {
        let mut names = NAMES.to_vec();
        (0..count).map(|_| names.swap_remove(self.below(names.len()))).collect()
    }

    fn shape(&mut self, depth: usize) -> Shape {
        let kinds = if depth == 0 { 9 } else { 15 };
        match self.below(kinds) {
            0 => Shape::Bool,
            1 => Shape::I8,
            2 => Shape::I64,
            3 => Shape::U8,
            4 => Shape::U64,
            5 => Shape::U128,
            6 => Shape::F64,
            7 => Shape::Char,
            8 => Shape::Str,
            9 => Shape::Option(Box::new(self.no_option(depth - 1))),
            10 => Shape::Seq(Box::new(self.shape(depth - 1))),
            11 => Shape::Map(Box::new(self.shape(depth - 1))),
            12 => {
                let count = 1 + self.below(3);
                Shape::Tuple((0..count).map(|_| self.shape(depth - 1)).collect())
            }
            13 => {
                let count = 1 + self.below(3);
                let variants = self.names(count).into_iter();
                let variant =
                    |name| (name, (self.below(2) == 0).then(|| self.no_option(depth - 1)));
                Shape::Enum(variants.map(variant).collect())
            }
            _ => {
                let count = self.below(4);
                let fields = self.names(count).into_iter();
                Shape::Struct(fields.map(|name| self.field(name, depth - 1)).collect())
            }
        }
    }

    /// A shape that is no option. JSON cannot tell nested options apart, nor an empty one in a variant from no content.
    fn no_option(&mut self, depth: usize) -> Shape {
        match self.shape(depth) {
            Shape::Option(shape) => *shape,
            shape => shape,
        }
    }

    fn field(&mut self, name: &'static str, depth: usize) -> Field {
        Field { name, shape: self.shape(depth), default: self.below(3) == 0 }
    }

    fn value(&mut self, shape: &Shape) -> Value {
        let small = self.below(4) as u8;
        match shape {
            Shape::Bool => Value::Bool(small > 1),
            Shape::I8 => Value::Signed(i64::from(small) - 2),
            Shape::I64 => Value::Signed([-1, 1, i64::MIN, i64::from(u8::MAX)][self.below(4)]),
            Shape::U8 => Value::Unsigned(u64::from(small) * 85),
            Shape::U64 => Value::Unsigned([0, 127, 128, u64::MAX][self.below(4)]),
            Shape::U128 => Value::Unsigned([0, 300, u64::MAX][self.below(3)]),
            Shape::F64 => Value::Float([0.0, 0.5, -1.0, 1e300][self.below(4)]),
            Shape::Char => Value::Char(['x', 'ä'][self.below(2)]),
            Shape::Str => Value::Text(["", "x", "a", "text"][self.below(4)].to_owned()),
            Shape::Option(_) if small == 0 => Value::Null,
            Shape::Option(shape) => Value::Some(Box::new(self.value(shape))),
            Shape::Seq(shape) => Value::List((0..small).map(|_| self.value(shape)).collect()),
            Shape::Map(shape) => {
                let names = self.names(small.into()).into_iter();
                let entry = |name: &str| (Value::Text(name.to_owned()), self.value(shape));
                Value::Map(names.map(entry).collect())
            }
            Shape::Tuple(shapes) => {
                Value::List(shapes.iter().map(|shape| self.value(shape)).collect())
            }
            Shape::Struct(fields) => {
                let fields = fields.iter();
                let entry =
                    |field: &Field| (Value::Text(field.name.to_owned()), self.value(&field.shape));
                Value::Map(fields.map(entry).collect())
            }
            Shape::Enum(variants) => {
                let (name, content) = &variants[self.below(variants.len())];
                let name = Value::Text((*name).to_owned());
                match content {
                    Some(shape) => Value::Map(vec![(name, self.value(shape))]),
                    None => name,
                }
            }
        }
    }

    /// Changes the type at one place.
    fn edit(&mut self, shape: &mut Shape, may_wrap: bool) {
        if self.below(3) > 0 {
            let inner = match shape {
                Shape::Option(shape) => return self.edit(shape, false),
                Shape::Seq(shape) | Shape::Map(shape) => Some(&mut **shape),
                Shape::Tuple(shapes) => {
                    let index = self.below(shapes.len());
                    Some(&mut shapes[index])
                }
                Shape::Struct(fields) if !fields.is_empty() => {
                    let index = self.below(fields.len());
                    Some(&mut fields[index].shape)
                }
                Shape::Enum(variants) => {
                    let index = self.below(variants.len());
                    match &mut variants[index].1 {
                        Some(shape) => return self.edit(shape, false),
                        None => None,
                    }
                }
                _ => None,
            };
            if let Some(inner) = inner {
                return self.edit(inner, true);
            }
        }
        match (self.below(6), &mut *shape) {
            (0, Shape::Struct(fields)) => fields.reverse(),
            (0, Shape::Enum(variants)) => variants.reverse(),
            (1, Shape::Struct(fields)) => drop(fields.pop()),
            (1, Shape::Enum(variants)) if variants.len() > 1 => drop(variants.pop()),
            (2 | 3, Shape::Struct(fields)) => {
                let name =
                    NAMES.into_iter().find(|name| fields.iter().all(|field| field.name != *name));
                let field = name.map(|name| self.field(name, 1));
                let place = self.below(fields.len() + 1);
                field.into_iter().for_each(|field| fields.insert(place, field));
            }
            (2 | 3, Shape::Enum(variants)) => {
                let name =
                    NAMES.into_iter().find(|name| variants.iter().all(|(one, _)| one != name));
                let place = self.below(variants.len() + 1);
                name.into_iter().for_each(|name| variants.insert(place, (name, None)));
            }
            (0..4, Shape::Option(inner)) => *shape = (**inner).clone(),
            (4, _) => *shape = if may_wrap { self.shape(1) } else { self.no_option(1) },
            (_, Shape::Option(_)) => {}
            _ if may_wrap => *shape = Shape::Option(Box::new(shape.clone())),
            _ => *shape = self.no_option(0),
        }
    }
}

impl Shape {
    fn format(&self, types: &mut Types) -> Format {
        match self {
            Self::Bool => Format::Bool,
            Self::I8 => Format::I8,
            Self::I64 => Format::I64,
            Self::U8 => Format::U8,
            Self::U64 => Format::U64,
            Self::U128 => Format::U128,
            Self::F64 => Format::F64,
            Self::Char => Format::Char,
            Self::Str => Format::Str,
            Self::Option(shape) => Format::Option(Box::new(shape.format(types))),
            Self::Seq(shape) => Format::Seq(Box::new(shape.format(types))),
            Self::Map(shape) => Format::Map(Box::new(Format::Str), Box::new(shape.format(types))),
            Self::Tuple(shapes) => {
                Format::Tuple(shapes.iter().map(|shape| shape.format(types)).collect())
            }
            Self::Struct(fields) => {
                let fields = fields.iter();
                let named = fields.map(|field| (field.name.to_owned(), field.shape.format(types)));
                let content = Content::Struct(Fields::Named(named.collect()));
                types.push(NamedType { name: "Struct".to_owned(), content });
                Format::Type(types.len() - 1)
            }
            Self::Enum(variants) => {
                let variants = variants.iter().map(|(name, shape)| {
                    let fields = shape.as_ref().map(|shape| Fields::Newtype(shape.format(types)));
                    ((*name).to_owned(), fields.unwrap_or(Fields::Unit))
                });
                let content = Content::Enum(variants.collect());
                types.push(NamedType { name: "Enum".to_owned(), content });
                Format::Type(types.len() - 1)
            }
        }
    }

    fn schema(&self) -> Schema {
        let mut types = Types::new();
        let format = self.format(&mut types);
        Schema { form: Form::Compact, format: Some((format, types)), ..Schema::tagged() }
    }
}

/// Serializes as serde's derive would.
struct Typed<'a>(&'a Shape, &'a Value);

impl Serialize for Typed<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match (self.0, self.1) {
            (_, Value::Bool(value)) => value.serialize(serializer),
            (Shape::I8, Value::Signed(value)) => (*value as i8).serialize(serializer),
            (_, Value::Signed(value)) => value.serialize(serializer),
            (Shape::U8, Value::Unsigned(value)) => (*value as u8).serialize(serializer),
            (Shape::U128, Value::Unsigned(value)) => u128::from(*value).serialize(serializer),
            (_, Value::Unsigned(value)) => value.serialize(serializer),
            (_, Value::Float(value)) => value.serialize(serializer),
            (_, Value::Char(value)) => value.serialize(serializer),
            (_, Value::Null) => serializer.serialize_none(),
            (Shape::Option(shape), Value::Some(value)) => {
                serializer.serialize_some(&Typed(shape, value))
            }
            (Shape::Seq(shape), Value::List(list)) => {
                let mut seq = serializer.serialize_seq(Some(list.len()))?;
                list.iter().try_for_each(|item| seq.serialize_element(&Typed(shape, item)))?;
                seq.end()
            }
            (Shape::Tuple(shapes), Value::List(list)) => {
                let mut tuple = serializer.serialize_tuple(list.len())?;
                let mut items = shapes.iter().zip(list);
                items.try_for_each(|(shape, item)| tuple.serialize_element(&Typed(shape, item)))?;
                tuple.end()
            }
            (Shape::Map(shape), Value::Map(entries)) => {
                let mut map = serializer.serialize_map(Some(entries.len()))?;
                for (key, value) in entries {
                    map.serialize_entry(key.text().unwrap_or_default(), &Typed(shape, value))?;
                }
                map.end()
            }
            // Without names in the compact form, and with them in JSON.
            (Shape::Struct(fields), Value::Map(entries)) => {
                use serde::ser::SerializeStruct;
                let mut named = serializer.serialize_struct("Struct", fields.len())?;
                for (field, (_, value)) in fields.iter().zip(entries) {
                    named.serialize_field(field.name, &Typed(&field.shape, value))?;
                }
                named.end()
            }
            (Shape::Enum(variants), value) => {
                let name = match value {
                    Value::Map(entry) => entry[0].0.text(),
                    name => name.text(),
                };
                let number = variants.iter().position(|(one, _)| Some(*one) == name);
                let number = number.expect("a variant of the type");
                let (name, shape) = &variants[number];
                match (shape, value) {
                    (Some(shape), Value::Map(entry)) => serializer.serialize_newtype_variant(
                        "Enum",
                        number as u32,
                        name,
                        &Typed(shape, &entry[0].1),
                    ),
                    _ => serializer.serialize_unit_variant("Enum", number as u32, name),
                }
            }
            (_, Value::Text(value)) => value.serialize(serializer),
            (shape, value) => panic!("{value:?} is no {shape:?}"),
        }
    }
}

/// Returns the same static list for equal names.
fn interned(names: Vec<&'static str>) -> &'static [&'static str] {
    static KNOWN: LazyLock<Mutex<HashSet<&'static [&'static str]>>> = LazyLock::new(Mutex::default);
    let mut known = KNOWN.lock().expect("no panic while it is held");
    if let Some(names) = known.get(&names[..]) {
        return names;
    }
    let names: &'static [&'static str] = names.leak();
    known.insert(names);
    names
}

/// Deserializes as serde's derive would.
#[derive(Clone, Copy)]
struct Reads<'a>(&'a Shape);

impl<'de> DeserializeSeed<'de> for Reads<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Value, D::Error> {
        Ok(match self.0 {
            Shape::Bool => Value::Bool(bool::deserialize(from)?),
            Shape::I8 => Value::Signed(i8::deserialize(from)?.into()),
            Shape::I64 => Value::Signed(i64::deserialize(from)?),
            Shape::U8 => Value::Unsigned(u8::deserialize(from)?.into()),
            Shape::U64 => Value::Unsigned(u64::deserialize(from)?),
            Shape::U128 => Value::unsigned(u128::deserialize(from)?),
            Shape::F64 => Value::Float(from.deserialize_f64(ExactFloat)?),
            Shape::Char => Value::Char(char::deserialize(from)?),
            Shape::Str => Value::Text(String::deserialize(from)?),
            Shape::Option(_) => from.deserialize_option(self)?,
            Shape::Seq(_) => from.deserialize_seq(self)?,
            Shape::Map(_) => from.deserialize_map(self)?,
            Shape::Tuple(shapes) => from.deserialize_tuple(shapes.len(), self)?,
            Shape::Struct(fields) => {
                let names = interned(fields.iter().map(|field| field.name).collect());
                from.deserialize_struct("Struct", names, self)?
            }
            Shape::Enum(variants) => {
                let names = interned(variants.iter().map(|(name, _)| *name).collect());
                from.deserialize_enum("Enum", names, self)?
            }
        })
    }
}

/// As `f64` reads numbers, but for an integer that it would change.
struct ExactFloat;

impl Visitor<'_> for ExactFloat {
    type Value = f64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("f64")
    }

    fn visit_f64<E>(self, number: f64) -> Result<f64, E> {
        Ok(number)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<f64, E> {
        let float = number as f64;
        if float < 2_f64.powi(64) && float as u64 == number {
            Ok(float)
        } else {
            Err(E::custom("changed"))
        }
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<f64, E> {
        let float = number as f64;
        if float < 2_f64.powi(63) && float as i64 == number {
            Ok(float)
        } else {
            Err(E::custom("changed"))
        }
    }
}

fn missing<E: Error>(field: &Field) -> Result<Value, E> {
    match field {
        Field { default: true, .. } => Ok(Value::Text("the default".to_owned())),
        Field { shape: Shape::Option(_), .. } => Ok(Value::Null),
        field => Err(E::missing_field(field.name)),
    }
}

impl<'de> Visitor<'de> for Reads<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        match self.0 {
            Shape::Option(_) => Ok(Value::Null),
            _ => Err(E::custom("nothing")),
        }
    }

    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<Value, D::Error> {
        let Shape::Option(shape) = self.0 else { return Err(D::Error::custom("an option")) };
        Ok(Value::Some(Box::new(Reads(shape).deserialize(inner)?)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        match self.0 {
            Shape::Seq(shape) => {
                while let Some(item) = items.next_element_seed(Reads(shape))? {
                    list.push(item);
                }
            }
            Shape::Tuple(shapes) => {
                for (index, shape) in shapes.iter().enumerate() {
                    let item = items.next_element_seed(Reads(shape))?;
                    list.push(item.ok_or_else(|| A::Error::invalid_length(index, &self))?);
                }
            }
            Shape::Struct(fields) => {
                for (index, field) in fields.iter().enumerate() {
                    list.push(match items.next_element_seed(Reads(&field.shape))? {
                        Some(value) => value,
                        None if field.default => missing(field)?,
                        None => return Err(A::Error::invalid_length(index, &self)),
                    });
                }
            }
            _ => return Err(A::Error::custom("a list")),
        }
        Ok(Value::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let fields = match self.0 {
            Shape::Map(shape) => {
                let mut map = std::collections::BTreeMap::new();
                while let Some(key) = entries.next_key::<String>()? {
                    map.insert(key, entries.next_value_seed(Reads(shape))?);
                }
                let entries = map.into_iter().map(|(key, value)| (Value::Text(key), value));
                return Ok(Value::Map(entries.collect()));
            }
            Shape::Struct(fields) => fields,
            _ => return Err(A::Error::custom("a map")),
        };
        let mut values: Vec<Option<Value>> = vec![None; fields.len()];
        while let Some(Name(name)) = entries.next_key()? {
            match fields.iter().position(|field| field.name == name) {
                Some(index) if values[index].is_some() => {
                    return Err(A::Error::duplicate_field(fields[index].name));
                }
                Some(index) => {
                    values[index] = Some(entries.next_value_seed(Reads(&fields[index].shape))?);
                }
                None => drop(entries.next_value::<IgnoredAny>()?),
            }
        }
        let fields = fields.iter().zip(values);
        let values = fields.map(|(field, value)| value.map_or_else(|| missing(field), Ok));
        Ok(Value::List(values.collect::<Result<_, _>>()?))
    }

    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<Value, A::Error> {
        let Shape::Enum(variants) = self.0 else { return Err(A::Error::custom("an enum")) };
        let (Name(name), content) = data.variant()?;
        let Some((name, shape)) = variants.iter().find(|(one, _)| *one == name) else {
            return Err(A::Error::unknown_variant(&name, &[]));
        };
        let name = Value::Text((*name).to_owned());
        Ok(match shape {
            Some(shape) => Value::Map(vec![(name, content.newtype_variant_seed(Reads(shape))?)]),
            None => {
                content.unit_variant()?;
                name
            }
        })
    }
}

/// The name of a field or a variant.
struct Name(String);

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct InName;
        impl Visitor<'_> for InName {
            type Value = Name;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name")
            }

            fn visit_str<E>(self, name: &str) -> Result<Name, E> {
                Ok(Name(name.to_owned()))
            }
        }
        from.deserialize_identifier(InName)
    }
}

/// Whether the changed type could read the value.
fn reads_as_from_json(seed: u64) -> bool {
    let mut chance = Chance(seed);
    let old = chance.shape(4);
    let value = chance.value(&old);
    let mut new = old.clone();
    for _ in 0..chance.below(4) {
        chance.edit(&mut new, true);
    }
    let json = serde_json::to_value(Typed(&old, &value)).expect("plain data");
    let from_json = Reads(&new).deserialize(&json).ok();
    let explain = || format!("PITON_EDITS_SEED={seed}\n{old:?}\nnow {new:?}\nof {json}");

    let mut bytes = Vec::new();
    encode_into(&Typed(&old, &value), &mut bytes).expect("plain data");
    let by_schema = read(&bytes, &old.schema()).unwrap_or_else(|_| panic!("{}", explain()));
    assert_eq!(by_schema, value, "{}", explain());
    let compact = Reads(&new).deserialize(Source::Read(&by_schema, Form::Compact));
    assert_eq!(compact.as_ref().ok(), from_json.as_ref(), "{compact:?} {}", explain());

    let mut bytes = Vec::new();
    let sink = crate::codec::Sink::new(&mut bytes, Form::Tagged);
    Typed(&old, &value).serialize(sink).expect("plain data");
    let tagged = read(&bytes, &Schema::tagged()).unwrap_or_else(|_| panic!("{}", explain()));
    let tagged = Reads(&new).deserialize(Source::Read(&tagged, Form::Tagged));
    assert_eq!(tagged.as_ref().ok(), from_json.as_ref(), "{tagged:?} {}", explain());
    from_json.is_some()
}

fn variable(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().expect("a number"))
}

#[test]
fn a_changed_type_reads_what_it_would_read_from_json() {
    if let Some(seed) = variable("PITON_EDITS_SEED") {
        reads_as_from_json(seed);
        return;
    }
    let cases = variable("PITON_EDITS").unwrap_or(10_000);
    let read = (0..cases).filter(|seed| reads_as_from_json(*seed)).count() as u64;
    // Both outcomes must be frequent, or the test compares nothing.
    assert!((cases / 4..cases - cases / 20).contains(&read), "{read} of {cases} could be read");
}
