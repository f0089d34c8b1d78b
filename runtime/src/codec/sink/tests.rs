use std::collections::BTreeMap;

use proptest::prelude::*;
use serde::Serialize;

use super::*;
use crate::codec::encode_into;

#[derive(Serialize)]
struct Unit;

#[derive(Serialize)]
struct Newtype(char);

#[derive(Serialize)]
struct Pair(f32, f64);

#[derive(Serialize)]
enum Kind {
    Unit,
    Newtype(Option<Newtype>),
    Tuple(i8, String),
    Struct { unit: Unit, map: BTreeMap<String, i128> },
}

/// Serializes as bytes instead of a list of numbers.
struct AsBytes<'a>(&'a [u8]);

impl Serialize for AsBytes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0)
    }
}

/// A filtered list, whose length is not known in advance.
struct Odd<'a>(&'a [u8]);

impl Serialize for Odd<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().filter(|number| *number % 2 == 1))
    }
}

fn written<T: Serialize + ?Sized>(value: &T) -> Vec<u8> {
    let mut bytes = vec![7];
    encode_into(value, &mut bytes).expect("plain data");
    assert_eq!(bytes.remove(0), 7, "what is there stays");
    bytes
}

fn as_bincode_does<T: Serialize>(value: &T) {
    let expected = bincode::serde::encode_to_vec(value, config::standard());
    assert_eq!(written(value), expected.expect("plain data"));
}

proptest! {
    #[test]
    fn values_are_written_as_bincode_writes_them(
        number in prop_oneof![any::<i128>(), (-70_000..70_000_i128), (-300..300_i128)],
        text in ".{0,300}",
        letter in any::<char>(),
    ) {
        as_bincode_does(&(number as i8, number as i16, number as i32, number as i64, number));
        as_bincode_does(&(number as u8, number as u16, number as u32, number as u64));
        as_bincode_does(&(number as u128, number as usize, number as isize, number > 0));
        as_bincode_does(&(Pair(number as f32, number as f64), Unit, (), Newtype(letter)));
        as_bincode_does(&(text.as_str(), AsBytes(text.as_bytes()), text.as_bytes()));
        as_bincode_does(&(Some(Some(&text)), None::<u8>, [number; 3]));
        as_bincode_does(&vec![
            Kind::Unit,
            Kind::Newtype(Some(Newtype(letter))),
            Kind::Newtype(None),
            Kind::Tuple(number as i8, text.clone()),
            Kind::Struct { unit: Unit, map: [(text, number), (String::new(), 0)].into() },
        ]);
    }
}

#[test]
fn a_list_of_unknown_length_is_refused() {
    let error = encode_into(&Odd(&[1, 2, 3]), &mut Vec::new()).expect_err("it is endless");
    assert_eq!(
        error.to_string(),
        format!(
            "a value of type `{}` cannot be encoded: it has a list that does not say how long it is",
            std::any::type_name::<Odd<'_>>()
        )
    );
}
