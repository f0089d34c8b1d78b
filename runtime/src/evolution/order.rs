//! Whether the items of lists, sets and maps are at the same places in a value of another type.
//!
//! A list keeps its order whatever its items are. A set or a map has an order of its own, by its keys: it may be another one
//! where a list becomes a set, or where the type of the keys changes, such as by the order of its fields.

use crate::codec::{Content, Fields, Format, NamedType, Schema};

/// Whether an item of a value of the old schema has the same place in the value of today's that is read from it.
pub(super) fn keeps_order(old: &Schema, now: &Schema) -> bool {
    match (&old.format, &now.format) {
        (Some((old, old_types)), Some((now, now_types))) => {
            let mut orders = Orders { old: old_types, now: now_types, compared: Vec::new() };
            orders.are_same(old, now)
        }
        // What a type in the tagged form does is not known. It seldom lends items.
        _ => true,
    }
}

struct Orders<'a> {
    old: &'a [NamedType],
    now: &'a [NamedType],
    /// The named types that are compared, or have been.
    compared: Vec<(usize, usize)>,
}

impl Orders<'_> {
    fn are_same(&mut self, old: &Format, now: &Format) -> bool {
        match (old, now) {
            (Format::Set(old), Format::Set(now)) => self.are_equal(old, now),
            (Format::Map(old, old_value), Format::Map(now, now_value)) => {
                self.are_equal(old, now) && self.are_same(old_value, now_value)
            }
            (Format::Seq(old) | Format::Set(old), Format::Seq(now))
            | (Format::Option(old), Format::Option(now)) => self.are_same(old, now),
            (old, Format::Option(now)) => self.are_same(old, now),
            (Format::Seq(_), Format::Set(_)) => false,
            (Format::Tuple(old), Format::Tuple(now)) => self.all_same(old, now),
            (Format::Type(old), Format::Type(now)) => self.types_are_same(*old, *now),
            // A value that is read from this has no items, or none of this kind.
            _ => true,
        }
    }

    fn all_same(&mut self, old: &[Format], now: &[Format]) -> bool {
        old.iter().zip(now).all(|(old, now)| self.are_same(old, now))
    }

    fn types_are_same(&mut self, old: usize, now: usize) -> bool {
        if self.compared.contains(&(old, now)) {
            return true;
        }
        self.compared.push((old, now));
        let content = |types: &[NamedType], index| {
            types.get(index).map(|named: &NamedType| named.content.clone())
        };
        match (content(self.old, old), content(self.now, now)) {
            (Some(Content::Struct(old)), Some(Content::Struct(now))) => {
                self.fields_are_same(&old, &now)
            }
            (Some(Content::Enum(old)), Some(Content::Enum(now))) => {
                named_alike(&old, &now).all(|(old, now)| self.fields_are_same(old, now))
            }
            _ => true,
        }
    }

    fn fields_are_same(&mut self, old: &Fields, now: &Fields) -> bool {
        match (old, now) {
            (Fields::Newtype(old), Fields::Newtype(now)) => self.are_same(old, now),
            (Fields::Tuple(old), Fields::Tuple(now)) => self.all_same(old, now),
            (Fields::Named(old), Fields::Named(now)) => {
                named_alike(old, now).all(|(old, now)| self.are_same(old, now))
            }
            _ => true,
        }
    }

    /// Whether keys of these formats have the same order, as far as a schema shows: that of a derived `Ord` depends on the
    /// order of fields and variants.
    fn are_equal(&self, old: &Format, now: &Format) -> bool {
        Keys { old: self.old, now: self.now, compared: Vec::new() }.are_equal(old, now)
    }
}

/// What has the same name in both.
fn named_alike<'a, T>(
    old: &'a [(String, T)],
    now: &'a [(String, T)],
) -> impl Iterator<Item = (&'a T, &'a T)> {
    let of_name = |name: &String| now.iter().find(|(other, _)| other == name);
    old.iter().filter_map(move |(name, old)| Some((old, &of_name(name)?.1)))
}

/// Integers are ordered by their values, whatever their types are.
fn is_integer(format: &Format) -> bool {
    use Format::{I8, I16, I32, I64, I128, U8, U16, U32, U64, U128};
    matches!(format, I8 | I16 | I32 | I64 | I128 | U8 | U16 | U32 | U64 | U128)
}

struct Keys<'a> {
    old: &'a [NamedType],
    now: &'a [NamedType],
    compared: Vec<(usize, usize)>,
}

impl Keys<'_> {
    fn are_equal(&mut self, old: &Format, now: &Format) -> bool {
        match (old, now) {
            (Format::Option(old), Format::Option(now))
            | (Format::Seq(old), Format::Seq(now))
            | (Format::Set(old), Format::Set(now)) => self.are_equal(old, now),
            (Format::Map(old, old_value), Format::Map(now, now_value)) => {
                self.are_equal(old, now) && self.are_equal(old_value, now_value)
            }
            (Format::Tuple(old), Format::Tuple(now)) => self.all_equal(old, now),
            (Format::Type(old), Format::Type(now)) => self.types_are_equal(*old, *now),
            (old, now) => old == now || is_integer(old) && is_integer(now),
        }
    }

    fn all_equal(&mut self, old: &[Format], now: &[Format]) -> bool {
        old.len() == now.len() && old.iter().zip(now).all(|(old, now)| self.are_equal(old, now))
    }

    fn types_are_equal(&mut self, old: usize, now: usize) -> bool {
        if self.compared.contains(&(old, now)) {
            return true;
        }
        self.compared.push((old, now));
        let content = |types: &[NamedType], index| {
            types.get(index).map(|named: &NamedType| named.content.clone())
        };
        match (content(self.old, old), content(self.now, now)) {
            (Some(Content::Struct(old)), Some(Content::Struct(now))) => {
                self.fields_are_equal(&old, &now)
            }
            (Some(Content::Enum(old)), Some(Content::Enum(now))) => {
                old.len() == now.len()
                    && old.iter().zip(&now).all(|((name, old), (other, now))| {
                        name == other && self.fields_are_equal(old, now)
                    })
            }
            _ => false,
        }
    }

    fn fields_are_equal(&mut self, old: &Fields, now: &Fields) -> bool {
        match (old, now) {
            (Fields::Unit, Fields::Unit) => true,
            (Fields::Newtype(old), Fields::Newtype(now)) => self.are_equal(old, now),
            (Fields::Tuple(old), Fields::Tuple(now)) => self.all_equal(old, now),
            (Fields::Named(old), Fields::Named(now)) => {
                old.len() == now.len()
                    && old.iter().zip(now).all(|((name, old), (other, now))| {
                        name == other && self.are_equal(old, now)
                    })
            }
            _ => false,
        }
    }
}
