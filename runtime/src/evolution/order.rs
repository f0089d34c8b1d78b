//! Whether the items of lists, sets and maps are at the same places in a value of another type.
//!
//! A list keeps its order whatever its items are. A set or a map has an order of its own, by its keys: it may be another one
//! where a list becomes a set, or where the type of the keys changes, such as by the order of its fields.

use std::mem::discriminant;

use crate::codec::{Content, Fields, Format, NamedType, Schema, keeps_items};

/// Whether an item of a value of the old schema has the same place in the value of today's that is read from it.
pub(super) fn keeps_order(old: &Schema, now: &Schema) -> bool {
    let orders_anew = !old.collections().eq(now.collections())
        && now.collections().any(|name| !keeps_items(name));
    match (&old.format, &now.format) {
        // The formats of a map that sorts its items and of one that does not are alike.
        (Some(_), Some(_)) if orders_anew && old.collections().any(keeps_items) => false,
        (Some((old, old_types)), Some((now, now_types))) => {
            let mut orders = Orders { old: old_types, now: now_types, compared: Vec::new() };
            orders.are_same(old, now, false)
        }
        // Of a type in the tagged form, only the name is known.
        _ => !orders_anew,
    }
}

struct Orders<'a> {
    old: &'a [NamedType],
    now: &'a [NamedType],
    /// The named types that are compared, or have been, and whether as keys.
    compared: Vec<(usize, usize, bool)>,
}

impl<'a> Orders<'a> {
    /// Whether items are at the same places. Of keys, whether they have the same order, as far as a schema shows: that of
    /// a derived `Ord` depends on the order of fields and variants.
    fn are_same(&mut self, old: &'a Format, now: &'a Format, are_keys: bool) -> bool {
        match (old, now) {
            (Format::Set(old), Format::Set(now)) => self.are_same(old, now, true),
            (Format::Map(old, old_value), Format::Map(now, now_value)) => {
                self.are_same(old, now, true) && self.are_same(old_value, now_value, are_keys)
            }
            (Format::Seq(old), Format::Seq(now)) | (Format::Option(old), Format::Option(now)) => {
                self.are_same(old, now, are_keys)
            }
            (Format::Tuple(old), Format::Tuple(now)) => {
                (!are_keys || old.len() == now.len())
                    && old.iter().zip(now).all(|(old, now)| self.are_same(old, now, are_keys))
            }
            (Format::Type(old), Format::Type(now)) => self.types_are_same(*old, *now, are_keys),
            (old, now) if are_keys => old == now || is_integer(old) && is_integer(now),
            (Format::Set(old), Format::Seq(now)) => self.are_same(old, now, false),
            (old, Format::Option(now)) => self.are_same(old, now, false),
            (Format::Seq(_), Format::Set(_)) => false,
            // A value that is read from this has no items, or none of this kind.
            _ => true,
        }
    }

    fn types_are_same(&mut self, old: usize, now: usize, are_keys: bool) -> bool {
        if self.compared.contains(&(old, now, are_keys)) {
            return true;
        }
        self.compared.push((old, now, are_keys));
        let (Some(old), Some(now)) = (self.old.get(old), self.now.get(now)) else {
            return !are_keys;
        };
        match (&old.content, &now.content) {
            (Content::Struct(old), Content::Struct(now)) => {
                self.fields_are_same(old, now, are_keys)
            }
            (Content::Enum(old), Content::Enum(now)) => {
                (!are_keys || have_same_names(old, now))
                    && named_alike(old, now)
                        .all(|(old, now)| self.fields_are_same(old, now, are_keys))
            }
            _ => !are_keys,
        }
    }

    fn fields_are_same(&mut self, old: &'a Fields, now: &'a Fields, are_keys: bool) -> bool {
        match (old, now) {
            (Fields::Named(old), Fields::Named(now)) => {
                (!are_keys || have_same_names(old, now))
                    && named_alike(old, now).all(|(old, now)| self.are_same(old, now, are_keys))
            }
            _ if discriminant(old) != discriminant(now) => !are_keys,
            (old, now) => {
                let (old, now) = (old.formats(), now.formats());
                (!are_keys || old.len() == now.len())
                    && old.into_iter().zip(now).all(|(old, now)| self.are_same(old, now, are_keys))
            }
        }
    }
}

/// Whether both have the same names in the same order.
fn have_same_names<T>(old: &[(String, T)], now: &[(String, T)]) -> bool {
    old.iter().map(|(name, _)| name).eq(now.iter().map(|(name, _)| name))
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
