//! Serde's names of the fields on the path from a value to a part of it.
//!
//! Saved parts are named after the fields in the source, and the fields of a saved struct by serde. With
//! `#[serde(rename)]` these names differ, and may even be swapped. So this module makes up a value of the type,
//! serializes it, and recognizes the part by its address and its type.

use std::any::type_name;
use std::fmt;
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind};

use serde::ser::{
    SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant,
};
use serde::{Deserialize, Serialize, Serializer};

use super::schema::make_one;

/// The serialized names, from the outer field to the inner one. Fields of tuples are named by their numbers.
///
/// `None` if no value of the type can be made up, or if the part is not serialized in place: it is skipped, flattened,
/// written by a custom function, or zero-sized.
pub(crate) fn field_names<'de, T, P>(part: fn(&T) -> &P) -> Option<Vec<String>>
where
    T: Serialize + Deserialize<'de>,
{
    if size_of::<P>() == 0 {
        return None;
    }
    // It is not dropped, because a `Drop` of the user's may have effects.
    let whole: ManuallyDrop<T> = ManuallyDrop::new(make_one()?);
    let mut search = Search {
        address: std::ptr::from_ref(part(&whole)).cast(),
        type_name: type_name::<P>(),
        path: Vec::new(),
        found: None,
    };
    // A `Serialize` of the user's may refuse made-up values in any way.
    let _refused = catch_unwind(AssertUnwindSafe(|| whole.serialize(&mut search)));
    search.found
}

struct Search {
    address: *const (),
    type_name: &'static str,
    path: Vec<String>,
    found: Option<Vec<String>>,
}

impl Search {
    fn visit<T: Serialize + ?Sized>(
        &mut self,
        name: impl Into<String>,
        value: &T,
    ) -> Result<(), fmt::Error> {
        if self.found.is_some() {
            return Ok(());
        }
        self.path.push(name.into());
        let address = std::ptr::from_ref(value).cast();
        if std::ptr::eq(self.address, address) && type_name::<T>() == self.type_name {
            self.found = Some(self.path.clone());
        } else {
            value.serialize(&mut *self)?;
        }
        self.path.pop();
        Ok(())
    }
}

/// Passes over values that have no fields.
macro_rules! pass {
    ($($method:ident($($argument:ty),*);)*) => {
        $(fn $method(self, $(_: $argument),*) -> Result<(), fmt::Error> {
            Ok(())
        })*
    };
}

impl<'a> Serializer for &'a mut Search {
    type Ok = ();
    type Error = fmt::Error;
    type SerializeSeq = Items<'a>;
    type SerializeTuple = Items<'a>;
    type SerializeTupleStruct = Items<'a>;
    type SerializeTupleVariant = Items<'a>;
    type SerializeMap = Items<'a>;
    type SerializeStruct = Items<'a>;
    type SerializeStructVariant = Items<'a>;

    pass! {
        serialize_bool(bool);
        serialize_i8(i8);
        serialize_i16(i16);
        serialize_i32(i32);
        serialize_i64(i64);
        serialize_i128(i128);
        serialize_u8(u8);
        serialize_u16(u16);
        serialize_u32(u32);
        serialize_u64(u64);
        serialize_u128(u128);
        serialize_f32(f32);
        serialize_f64(f64);
        serialize_char(char);
        serialize_str(&str);
        serialize_bytes(&[u8]);
        serialize_none();
        serialize_unit();
        serialize_unit_struct(&'static str);
        serialize_unit_variant(&'static str, u32, &'static str);
    }

    fn serialize_some<T: Serialize + ?Sized>(self, _: &T) -> Result<(), fmt::Error> {
        Ok(())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), fmt::Error> {
        self.visit("0", value)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<(), fmt::Error> {
        Ok(())
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Items<'a>, fmt::Error> {
        Ok(Items::passed(self))
    }

    fn serialize_tuple(self, _: usize) -> Result<Items<'a>, fmt::Error> {
        Ok(Items::visited(self))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Items<'a>, fmt::Error> {
        Ok(Items::visited(self))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Items<'a>, fmt::Error> {
        Ok(Items::passed(self))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Items<'a>, fmt::Error> {
        Ok(Items::passed(self))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Items<'a>, fmt::Error> {
        Ok(Items::visited(self))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Items<'a>, fmt::Error> {
        Ok(Items::passed(self))
    }

    fn is_human_readable(&self) -> bool {
        false
    }
}

/// What a value consists of. Only the fields of structs and tuples are visited: those of lists, maps and variants can be
/// no parts of a local.
struct Items<'a> {
    search: &'a mut Search,
    are_visited: bool,
    number: usize,
}

impl<'a> Items<'a> {
    fn visited(search: &'a mut Search) -> Self {
        Self { search, are_visited: true, number: 0 }
    }

    fn passed(search: &'a mut Search) -> Self {
        Self { search, are_visited: false, number: 0 }
    }

    fn next<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), fmt::Error> {
        let number = self.number;
        self.number += 1;
        self.named(&number.to_string(), value)
    }

    fn named<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), fmt::Error> {
        if self.are_visited { self.search.visit(name, value) } else { Ok(()) }
    }
}

/// The traits of which a value consists item by item.
macro_rules! items {
    ($($Trait:ident::$method:ident;)*) => {
        $(impl $Trait for Items<'_> {
            type Ok = ();
            type Error = fmt::Error;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), fmt::Error> {
                self.next(value)
            }

            fn end(self) -> Result<(), fmt::Error> {
                Ok(())
            }
        })*
    };
}

items! {
    SerializeSeq::serialize_element;
    SerializeTuple::serialize_element;
    SerializeTupleStruct::serialize_field;
    SerializeTupleVariant::serialize_field;
}

/// Those of which it consists name by name.
macro_rules! fields {
    ($($Trait:ident;)*) => {
        $(impl $Trait for Items<'_> {
            type Ok = ();
            type Error = fmt::Error;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                name: &'static str,
                value: &T,
            ) -> Result<(), fmt::Error> {
                self.named(name, value)
            }

            fn end(self) -> Result<(), fmt::Error> {
                Ok(())
            }
        })*
    };
}

fields! {
    SerializeStruct;
    SerializeStructVariant;
}

impl SerializeMap for Items<'_> {
    type Ok = ();
    type Error = fmt::Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, _: &T) -> Result<(), fmt::Error> {
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, _: &T) -> Result<(), fmt::Error> {
        Ok(())
    }

    fn end(self) -> Result<(), fmt::Error> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize, Deserialize)]
    struct Inner(u64, String);

    #[derive(Serialize, Deserialize)]
    struct Outer {
        #[serde(flatten)]
        flat: Flat,
    }

    #[derive(Serialize, Deserialize)]
    struct Flat {
        note: String,
    }

    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Order {
        #[serde(rename = "b")]
        a: u64,
        #[serde(rename = "a")]
        b: u64,
        first_name: String,
        inner: Box<Inner>,
        #[serde(skip)]
        skipped: u64,
        #[serde(with = "as_text")]
        with: u64,
        empty: (),
        maybe: Option<u64>,
        when: jiff::Timestamp,
    }

    #[derive(Clone, Serialize, Deserialize)]
    #[serde(try_from = "u64", into = "u64")]
    struct Never(u64);

    impl TryFrom<u64> for Never {
        type Error = &'static str;

        fn try_from(_: u64) -> Result<Self, &'static str> {
            Err("no")
        }
    }

    impl From<Never> for u64 {
        fn from(never: Never) -> u64 {
            never.0
        }
    }

    mod as_text {
        use serde::{Deserialize, Deserializer, Serializer};

        pub(super) fn serialize<S: Serializer>(number: &u64, to: S) -> Result<S::Ok, S::Error> {
            to.collect_str(number)
        }

        pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
            String::deserialize(from)?.parse().or(Ok(0))
        }
    }

    fn path(names: &[&str]) -> Option<Vec<String>> {
        Some(names.iter().map(|name| (*name).to_owned()).collect())
    }

    #[test]
    fn fields_have_the_names_that_serde_writes() {
        assert_eq!(field_names(|it: &Order| &it.a), path(&["b"]));
        assert_eq!(field_names(|it: &Order| &it.b), path(&["a"]));
        assert_eq!(field_names(|it: &Order| &it.first_name), path(&["firstName"]));
        assert_eq!(field_names(|it: &Order| &it.inner), path(&["inner"]));
        assert_eq!(field_names(|it: &Order| &it.inner.1), path(&["inner", "1"]));
        assert_eq!(field_names(|it: &Order| &it.maybe), path(&["maybe"]));
        assert_eq!(field_names(|it: &Order| &it.when), path(&["when"]));
        assert_eq!(field_names(|it: &(u64, (u64, u64))| &it.1.1), path(&["1", "1"]));
        assert_eq!(field_names(|it: &Inner| &it.0), path(&["0"]));
    }

    #[test]
    fn what_is_not_written_as_it_is_has_no_name() {
        assert_eq!(field_names(|it: &Order| &it.skipped), None);
        assert_eq!(field_names(|it: &Order| &it.with), None);
        assert_eq!(field_names(|it: &Order| &it.empty), None);
        assert_eq!(field_names(|it: &Never| &it.0), None);
        // What is flattened is read by what describes itself.
        assert_eq!(field_names(|it: &Outer| &it.flat.note), None);
    }
}
