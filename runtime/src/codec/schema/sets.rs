//! Telling sets from lists: serde reads and writes both as sequences.
//!
//! A set keeps one of two equal items. So each traced value gets every item of its sequences twice, and is read and written
//! again: a sequence that has one item then is a set.

use std::collections::HashSet;

use super::super::arguments::Arguments;
use super::super::by_schema;
use super::super::copying::Copying;
use super::super::reader::Reader;
use super::super::source::Source;
use super::super::value::Value;
use super::Schema;
use super::format::{Content, Fields, Form, Format, NamedType, Types, holds};

/// Turns the sequences that are sets into [`Format::Set`]. The `values` are of the type, in the compact form. A sequence is
/// known by its address, which stays the same meanwhile.
pub(super) fn find_sets(
    copying: Copying,
    format: (Format, Types),
    values: &[Vec<u8>],
) -> (Format, Types) {
    if !holds(&format, &|format| matches!(format, Format::Seq(_))) {
        return format;
    }
    let format = Some(format);
    let mut schema =
        Schema { type_name: "value".into(), form: Form::Compact, format, problem: None };
    let mut sets = HashSet::new();
    if let Some((format, types)) = &schema.format {
        for bytes in values {
            let Ok(mut value) = by_schema::read(bytes, &schema) else { continue };
            each_sequence(format, types, &mut value, &mut |_, items| items.extend(items.clone()));
            // A type may refuse equal items, which says nothing.
            let Some(mut again) = rewritten(copying, &value, &schema) else { continue };
            each_sequence(format, types, &mut again, &mut |format, items| {
                if items.len() == 1 {
                    sets.insert(std::ptr::from_ref(format));
                }
            });
        }
    }
    let mut turn = |format: &mut Format| {
        if sets.contains(&std::ptr::from_ref(format))
            && let Format::Seq(item) = format
        {
            *format = Format::Set(std::mem::take(item));
        }
    };
    if let Some((format, types)) = &mut schema.format {
        format.for_each(&mut turn);
        types.iter_mut().for_each(|named| named.content.for_each_format(&mut turn));
    }
    schema.format.unwrap_or_default()
}

/// The value, read and written again.
fn rewritten(copying: Copying, value: &Value, schema: &Schema) -> Option<Value> {
    let mut source = Some(Source::Read(value, Form::Compact));
    let mut reader = Reader::of_source(&mut source);
    let mut written = Arguments::plain(Form::Compact);
    let is_read = copying.copy(&mut reader, &mut written);
    let written = written.finish().ok().filter(|_| is_read)?;
    // Behind the byte of the encoding.
    by_schema::read(&written.as_bytes()[1..], schema).ok()
}

/// Visits the items of each sequence in a value, the innermost first.
fn each_sequence(
    format: &Format,
    types: &[NamedType],
    value: &mut Value,
    visit: &mut dyn FnMut(&Format, &mut Vec<Value>),
) {
    match (format, value) {
        (_, Value::Secret(value) | Value::Range(_, value)) => {
            each_sequence(format, types, value, visit)
        }
        (Format::Option(format), Value::Some(value)) => each_sequence(format, types, value, visit),
        (Format::Seq(item), Value::List(items)) => {
            items.iter_mut().for_each(|value| each_sequence(item, types, value, visit));
            visit(format, items);
        }
        (Format::Tuple(formats), Value::List(items)) => {
            for (format, value) in formats.iter().zip(items) {
                each_sequence(format, types, value, visit);
            }
        }
        (Format::Map(_, format), Value::Map(entries)) => {
            entries.iter_mut().for_each(|(_, value)| each_sequence(format, types, value, visit));
        }
        (Format::Type(index), value) => match types.get(*index).map(|named| &named.content) {
            Some(Content::Struct(fields)) => each_in_fields(fields, types, value, visit),
            Some(Content::Enum(variants)) => {
                let Value::Map(map) = value else { return };
                let Some((name, content)) = map.first_mut() else { return };
                let of_name = |(variant, _): &&(String, Fields)| name.text() == Some(variant);
                if let Some((_, fields)) = variants.iter().find(of_name) {
                    each_in_fields(fields, types, content, visit);
                }
            }
            None => {}
        },
        _ => {}
    }
}

fn each_in_fields(
    fields: &Fields,
    types: &[NamedType],
    value: &mut Value,
    visit: &mut dyn FnMut(&Format, &mut Vec<Value>),
) {
    match (fields, value) {
        (fields, Value::Secret(value) | Value::Range(_, value)) => {
            each_in_fields(fields, types, value, visit)
        }
        (Fields::Newtype(format), value) => each_sequence(format, types, value, visit),
        (Fields::Tuple(formats), Value::List(items)) => {
            for (format, value) in formats.iter().zip(items) {
                each_sequence(format, types, value, visit);
            }
        }
        (Fields::Named(fields), Value::Map(entries)) => {
            for ((_, format), (_, value)) in fields.iter().zip(entries) {
                each_sequence(format, types, value, visit);
            }
        }
        _ => {}
    }
}
