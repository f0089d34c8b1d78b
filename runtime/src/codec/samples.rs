//! Sample values of a schema, for checking whether changed code reads saved values.

use super::schema::{Content, Fields, Form, Format, NamedType, Schema};
use super::value::Value;

/// The maximum number of values of one part. Values beyond it repeat kinds that occur already.
const MOST: usize = 64;

/// Returns some values of the schema. They include each variant, empty and filled options and lists, numbers at the
/// limits of their types, and empty and other texts. A schema in the tagged form, which does not describe its values,
/// has none.
pub(crate) fn of(schema: &Schema) -> Vec<Value> {
    match (schema.form, &schema.format) {
        (Form::Compact, Some((format, types))) => {
            let named = vec![None; types.len()];
            Samples { types, smallest: smallest_of(types), named }.of(format)
        }
        _ => Vec::new(),
    }
}

struct Samples<'a> {
    types: &'a [NamedType],
    /// The smallest value of each type, used where the type contains itself.
    smallest: Vec<Option<Value>>,
    /// The values of each type, computed at first use.
    named: Vec<Option<Vec<Value>>>,
}

impl Samples<'_> {
    fn of(&mut self, format: &Format) -> Vec<Value> {
        let mut samples = match format {
            Format::Unknown => vec![],
            Format::Unit => vec![Value::Null],
            Format::Bool => vec![Value::Bool(false), Value::Bool(true)],
            Format::I8 => signed(i8::MIN.into(), i8::MAX.into()),
            Format::I16 => signed(i16::MIN.into(), i16::MAX.into()),
            Format::I32 => signed(i32::MIN.into(), i32::MAX.into()),
            Format::I64 => signed(i64::MIN.into(), i64::MAX.into()),
            Format::I128 => signed(i128::MIN, i128::MAX),
            Format::U8 => unsigned(u8::MAX.into()),
            Format::U16 => unsigned(u16::MAX.into()),
            Format::U32 => unsigned(u32::MAX.into()),
            Format::U64 => unsigned(u64::MAX.into()),
            Format::U128 => unsigned(u128::MAX),
            Format::F32 => vec![0.0, 0.5, f32::MIN.into(), f32::MAX.into()]
                .into_iter()
                .map(Value::Float)
                .collect(),
            Format::F64 => [0.0, 0.5, f64::MIN, f64::MAX].into_iter().map(Value::Float).collect(),
            Format::Char => vec![Value::Char('a'), Value::Char(char::MAX)],
            Format::Str => vec![Value::Text(String::new()), Value::Text("a".to_owned())],
            Format::Bytes => vec![Value::Bytes(vec![]), Value::Bytes(vec![0; 16])],
            Format::Option(format) => {
                let some = self.of(format).into_iter().map(|value| Value::Some(Box::new(value)));
                std::iter::once(Value::Null).chain(some).collect()
            }
            Format::Seq(format) | Format::Set(format) => {
                let one = self.of(format).into_iter().map(|value| Value::List(vec![value]));
                std::iter::once(Value::List(vec![])).chain(one).collect()
            }
            Format::Map(key, value) => {
                let one = together(vec![self.of(key), self.of(value)]).into_iter();
                let one = one.filter_map(|entry| {
                    let [key, value] = entry.try_into().ok()?;
                    Some(Value::Map(vec![(key, value)]))
                });
                std::iter::once(Value::Map(vec![])).chain(one).collect()
            }
            Format::Tuple(formats) => self.lists(formats),
            Format::Type(index) => self.named(*index),
        };
        samples.truncate(MOST);
        samples
    }

    fn named(&mut self, index: usize) -> Vec<Value> {
        let Some(NamedType { name, content }) = self.types.get(index) else { return vec![] };
        if let Some(known) = &self.named[index] {
            return known.clone();
        }
        self.named[index] = Some(self.smallest[index].iter().cloned().collect());
        let mut samples = match content {
            Content::Struct(fields) => {
                let samples = self.fields(fields).into_iter();
                samples.map(|fields| Value::of_struct(name, fields)).collect()
            }
            Content::Enum(variants) => {
                let mut samples = Vec::new();
                for (name, fields) in variants {
                    let name = || Value::Text(name.clone());
                    match fields {
                        Fields::Unit => samples.push(name()),
                        fields => samples.extend(
                            self.fields(fields)
                                .into_iter()
                                .map(|content| Value::Map(vec![(name(), content)])),
                        ),
                    }
                }
                samples
            }
        };
        samples.truncate(MOST);
        self.named[index] = Some(samples.clone());
        samples
    }

    fn fields(&mut self, fields: &Fields) -> Vec<Value> {
        match fields {
            Fields::Unit => vec![Value::Null],
            Fields::Newtype(format) => self.of(format),
            Fields::Tuple(formats) => self.lists(formats),
            Fields::Named(fields) => {
                let columns = fields.iter().map(|(_, format)| self.of(format)).collect();
                let names = || fields.iter().map(|(name, _)| Value::Text(name.clone()));
                let rows = together(columns).into_iter();
                rows.map(|row| Value::Map(names().zip(row).collect())).collect()
            }
        }
    }

    fn lists(&mut self, formats: &[Format]) -> Vec<Value> {
        let columns = formats.iter().map(|format| self.of(format)).collect();
        together(columns).into_iter().map(Value::List).collect()
    }
}

/// The smallest value of each type that has finite ones.
fn smallest_of(types: &[NamedType]) -> Vec<Option<Value>> {
    let mut smallest = vec![None; types.len()];
    // The parts of a value are found in an earlier round than the value.
    for _ in types {
        for (index, NamedType { content, .. }) in types.iter().enumerate() {
            if smallest[index].is_none() {
                smallest[index] = match content {
                    Content::Struct(fields) => smallest_fields(fields, &smallest),
                    Content::Enum(variants) => variants.iter().find_map(|(name, fields)| {
                        let name = Value::Text(name.clone());
                        Some(match fields {
                            Fields::Unit => name,
                            fields => Value::Map(vec![(name, smallest_fields(fields, &smallest)?)]),
                        })
                    }),
                };
            }
        }
    }
    smallest
}

fn smallest_fields(fields: &Fields, smallest: &[Option<Value>]) -> Option<Value> {
    Some(match fields {
        Fields::Unit => Value::Null,
        Fields::Newtype(format) => smallest_value(format, smallest)?,
        Fields::Tuple(formats) => smallest_value(&Format::Tuple(formats.clone()), smallest)?,
        Fields::Named(fields) => {
            let fields = fields.iter().map(|(name, format)| {
                Some((Value::Text(name.clone()), smallest_value(format, smallest)?))
            });
            Value::Map(fields.collect::<Option<_>>()?)
        }
    })
}

fn smallest_value(format: &Format, smallest: &[Option<Value>]) -> Option<Value> {
    Some(match format {
        Format::Unknown => return None,
        Format::Unit | Format::Option(_) => Value::Null,
        Format::Bool => Value::Bool(false),
        Format::I8 | Format::I16 | Format::I32 | Format::I64 | Format::I128 => Value::Signed(0),
        Format::U8 | Format::U16 | Format::U32 | Format::U64 | Format::U128 => Value::Unsigned(0),
        Format::F32 | Format::F64 => Value::Float(0.0),
        Format::Char => Value::Char('a'),
        Format::Str => Value::Text(String::new()),
        Format::Bytes => Value::Bytes(vec![]),
        Format::Seq(_) | Format::Set(_) => Value::List(vec![]),
        Format::Map(..) => Value::Map(vec![]),
        Format::Tuple(formats) => {
            let items = formats.iter().map(|format| smallest_value(format, smallest));
            Value::List(items.collect::<Option<_>>()?)
        }
        Format::Type(index) => return smallest.get(*index)?.clone(),
    })
}

/// Combines columns to rows in which each value of each column occurs. No rows if a column is empty.
fn together(columns: Vec<Vec<Value>>) -> Vec<Vec<Value>> {
    if columns.iter().any(Vec::is_empty) {
        return vec![];
    }
    let rows = columns.iter().map(Vec::len).max().unwrap_or(1);
    let row = |row: usize| {
        let row = columns.iter().map(|column: &Vec<Value>| column[row % column.len()].clone());
        row.collect()
    };
    (0..rows).map(row).collect()
}

fn signed(least: i128, most: i128) -> Vec<Value> {
    [0, 1, least, most].map(Value::signed).into()
}

fn unsigned(most: u128) -> Vec<Value> {
    [0, 1, most].map(Value::unsigned).into()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::{Deserialize, Serialize};

    use super::*;
    use crate::Secret;
    use crate::codec::source::Source;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    enum Kind {
        Small,
        Large(u64, Option<bool>),
        Both { one: Box<Kind>, other: Vec<Kind> },
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Order {
        kinds: Option<Kind>,
        notes: BTreeMap<i32, Vec<Kind>>,
        token: Secret<String>,
        letter: char,
        sizes: (i128, f32),
    }

    #[test]
    fn they_are_values_of_the_type() {
        let samples = of(&Schema::of::<Order>());
        let read = |value| Order::deserialize(Source::Read(value, Form::Compact));
        let orders: Vec<_> = samples.iter().map(read).collect::<Result<_, _>>().expect("they fit");
        let any = |is_it: &dyn Fn(&Order) -> bool| assert!(orders.iter().any(is_it), "{orders:?}");
        any(&|order| order.kinds.is_none());
        any(&|order| order.kinds == Some(Kind::Small));
        any(&|order| matches!(order.kinds, Some(Kind::Large(u64::MAX, _))));
        any(&|order| matches!(order.kinds, Some(Kind::Large(_, None))));
        any(&|order| matches!(order.kinds, Some(Kind::Large(_, Some(true)))));
        any(&|order| order.notes.is_empty());
        any(&|order| order.notes.get(&i32::MIN).is_some_and(|kinds| !kinds.is_empty()));
        any(&|order| order.token.expose().is_empty());
        any(&|order| order.token.expose() == "a");
        any(&|order| order.sizes.0 == i128::MIN);
        assert!(of(&Schema::of::<serde_json::Value>()).is_empty());
    }

    #[test]
    fn every_variant_is_among_them() {
        let samples = of(&Schema::of::<Vec<Kind>>());
        let both = Value::Text("Both".to_owned());
        let is_both = |value: &Value| {
            let Value::List(list) = value else { return false };
            matches!(&list[..], [Value::Map(variant)] if variant[0].0 == both)
        };
        assert!(samples.iter().any(is_both), "{samples:?}");
    }

    #[test]
    fn there_are_few_of_a_large_type() {
        type Wide = (Vec<Kind>, Vec<Option<Kind>>, Vec<BTreeMap<String, Kind>>);
        let samples = of(&Schema::of::<Vec<(Wide, Wide, Wide)>>());
        assert!((2..=MOST).contains(&samples.len()));
    }
}
