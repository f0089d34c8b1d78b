use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Debug;

use proptest::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::*;
use crate::codec::sink::Sink;
use crate::codec::source::Source;

/// Reads a value that `Old` has written as `New`.
fn reread<Old, New>(old: &Old) -> Result<New, String>
where
    Old: Serialize + DeserializeOwned,
    New: DeserializeOwned,
{
    let schema = Schema::of::<Old>();
    let mut bytes = Vec::new();
    old.serialize(Sink::new(&mut bytes, schema.form)).expect("plain data");
    let value = read(&bytes, &schema).expect("its own schema");
    New::deserialize(Source::Read(&value, schema.form)).map_err(|error| error.to_string())
}

#[track_caller]
fn reads_itself<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) {
    let again: T = reread(value).expect("the same type");
    assert_eq!(again, *value);
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Order {
    id: Uuid,
    lines: Vec<Line>,
    notes: BTreeMap<(u8, bool), Option<Option<String>>>,
    letter: char,
    large: (u128, i128),
    address: std::net::IpAddr,
    next: Option<Box<Order>>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Line {
    Empty,
    Item(Wrapped),
    Pair(i8, f32),
    Named { unit: (), price: Option<f64> },
    Nested(Box<Line>),
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Wrapped(Vec<u8>);

#[test]
fn a_type_reads_what_it_has_written() {
    let order = Order {
        id: Uuid::from_u128(7),
        lines: vec![
            Line::Empty,
            Line::Item(Wrapped(vec![0, 200, 255])),
            Line::Pair(-3, 0.1),
            Line::Named { unit: (), price: Some(f64::INFINITY) },
            Line::Nested(Box::new(Line::Nested(Box::new(Line::Named { unit: (), price: None })))),
        ],
        notes: [
            ((1, true), None),
            ((2, false), Some(None)),
            ((3, true), Some(Some("note".to_owned()))),
        ]
        .into(),
        letter: 'ä',
        large: (u128::MAX, i128::MIN),
        address: std::net::Ipv6Addr::LOCALHOST.into(),
        next: None,
    };
    reads_itself(&order);
    let again: Order = reread(&order).expect("the same type");
    reads_itself(&Order { next: Some(Box::new(again)), ..order });
    reads_itself(&(i8::MIN, i16::MIN, i32::MIN, i64::MIN, (1_u8, u16::MAX, u32::MAX, u64::MAX)));
    reads_itself(&(u128::from(u64::MAX), i128::from(i64::MIN), -1_i128, 1_i128 << 64));
    reads_itself(&Some(()));
    reads_itself(&vec![(); 1000]);
    reads_itself(&(Err::<(), u8>(3), Cow::Borrowed("x")));
    assert!(reread::<_, f64>(&f64::NAN).is_ok_and(f64::is_nan));
}

mod before {
    use super::*;

    #[derive(Serialize, Deserialize)]
    pub(super) struct Transfer {
        pub(super) from: u64,
        pub(super) to: u64,
        pub(super) gone: String,
        pub(super) kind: Kind,
        pub(super) note: Option<i8>,
    }

    #[derive(Serialize, Deserialize)]
    pub(super) enum Kind {
        Other(u8),
        Wire { fast: bool },
        Cash,
    }
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Transfer {
    kind: Option<Kind>,
    #[serde(alias = "to")]
    target: i128,
    #[serde(default)]
    added: Vec<u8>,
    from: u8,
    note: i64,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Kind {
    Cash,
    #[serde(rename = "Wire")]
    Transfer {
        #[serde(default)]
        slow: bool,
        fast: bool,
    },
}

fn transfer(from: u64, kind: before::Kind, note: Option<i8>) -> before::Transfer {
    before::Transfer { from, to: 2, gone: "gone".into(), kind, note }
}

#[test]
fn a_changed_type_reads_by_names() {
    let wire = || before::Kind::Wire { fast: true };
    let read: Transfer = reread(&transfer(1, wire(), Some(-3))).expect("it fits");
    let kind = Some(Kind::Transfer { slow: false, fast: true });
    assert_eq!(read, Transfer { kind, target: 2, added: vec![], from: 1, note: -3 });
    let cash: Transfer = reread(&transfer(1, before::Kind::Cash, Some(0))).expect("it fits");
    assert_eq!(cash.kind, Some(Kind::Cash));

    let refused = |old| reread::<_, Transfer>(&old).expect_err("it does not fit");
    let range = refused(transfer(300, wire(), Some(0)));
    assert!(range.contains("300") && range.contains("u8"), "{range}");
    let variant = refused(transfer(1, before::Kind::Other(1), Some(0)));
    assert!(variant.contains("`Other`"), "{variant}");
    let none = refused(transfer(1, wire(), None));
    assert!(none.contains("i64"), "{none}");
}

#[test]
fn what_does_not_fit_is_named() {
    #[derive(Debug, Serialize, Deserialize)]
    enum Price<T> {
        Fixed { amount: T },
        Free,
    }
    #[derive(Debug, Serialize, Deserialize)]
    struct Line<T> {
        price: Option<Price<T>>,
    }
    #[derive(Debug, Serialize, Deserialize)]
    struct Order<T> {
        lines: BTreeMap<String, Vec<Line<T>>>,
        free: Price<T>,
    }
    let line = Line { price: Some(Price::Fixed { amount: "much".to_owned() }) };
    let lines = [("first".to_owned(), vec![Line { price: None }, line])].into();
    let order = Order { lines, free: Price::Free };
    let error = reread::<_, Order<u32>>(&order).expect_err("it does not fit");
    assert_eq!(
        error,
        "lines.first[1].price.Fixed.amount: invalid type: string \"much\", expected u32"
    );
    let error = reread::<_, Order<String>>(&BTreeMap::from([("free".to_owned(), ())]));
    assert_eq!(
        error.expect_err("it does not fit"),
        "free: invalid type: unit value, expected enum Price"
    );
}

#[test]
fn what_looks_alike_is_not_taken_for_each_other() {
    // As many letters as a UUID has bytes.
    assert!(reread::<_, Uuid>(&"0123456789abcdef".to_owned()).is_err());
    // Numbers are neither the positions of fields nor of variants.
    assert!(reread::<_, before::Transfer>(&BTreeMap::from([(0_u64, 1_u64), (1, 2)])).is_err());
    assert!(reread::<_, Line>(&BTreeMap::from([(1_u64, vec![1_u8])])).is_err());
    assert!(reread::<_, Line>(&0_u64).is_err());
    assert!(reread::<_, (u8, u8)>(&(1_u8, 2_u8, 3_u8)).is_err());
    assert!(reread::<_, bool>(&1_u8).is_err());
    assert!(reread::<_, u64>(&"1".to_owned()).is_err());
    assert_eq!(reread(&'x'), Ok("x".to_owned()));
    assert_eq!(reread(&"x".to_owned()), Ok('x'));
}

proptest! {
    /// Reading any bytes with any schema returns a value or an error. The schema of a type reads all that the type
    /// reads.
    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(0..20_u8, 0..60)) {
        let schema = Schema::of::<Order>();
        let by_type = crate::codec::decode::<Order>(&bytes);
        let by_schema = read(&bytes, &schema);
        prop_assert!(by_type.is_err() || by_schema.is_ok());
        let again = by_schema.ok().and_then(|value| {
            Order::deserialize(Source::Read(&value, Form::Compact)).ok()
        });
        prop_assert_eq!(again, by_type.ok());
        let tagged = Schema { form: Form::Tagged, format: None, ..schema };
        let _ = read(&bytes, &tagged);
    }
}

#[test]
fn a_schema_without_end_is_refused() {
    let endless = |fields, format| Schema {
        format: Some((
            format,
            vec![NamedType { name: "Endless".into(), content: Content::Struct(fields) }],
        )),
        ..Schema::of::<()>()
    };
    let itself = || Format::Type(0);
    for fields in [Fields::Newtype(itself()), Fields::Tuple(vec![itself(), itself()])] {
        assert!(read(&[0; 9], &endless(fields, itself())).is_err());
    }
    let list = endless(Fields::Unit, Format::Seq(Box::new(itself())));
    assert!(read(&[252, 255, 255, 255, 255], &list).is_err());
    assert!(read(&[3], &list).is_ok());
    assert!(read(&[1; 1000], &endless(Fields::Tuple(vec![]), Format::Type(1))).is_err());
    let deep = endless(Fields::Newtype(Format::Option(Box::new(itself()))), itself());
    assert!(read(&[1; 1_000_000], &deep).is_err());
    let tagged = Schema { form: Form::Tagged, format: None, ..deep };
    for tag in 0..=u8::MAX {
        assert!(read(&[tag; 1_000_000], &tagged).is_err(), "{tag}");
    }
}

#[test]
fn a_range_is_not_read_as_another_kind_of_range() {
    use std::ops::{Range, RangeFrom, RangeInclusive};

    assert_ne!(Schema::of::<Range<u8>>().hash(), Schema::of::<RangeInclusive<u8>>().hash());
    reads_itself(&vec![0..3_u8, 5..6]);
    reads_itself(&Some(0..=3_u8));
    let error =
        reread::<_, Vec<RangeInclusive<u8>>>(&vec![0..3_u8, 5..6]).expect_err("another range");
    assert!(error.contains("expected a `RangeInclusive`, found a `Range`"), "{error}");
    assert!(reread::<_, Option<Range<u8>>>(&Some(0..=3_u8)).is_err());
    assert!(reread::<_, RangeFrom<u8>>(&(0..3_u8)).is_err());
    // Other integers in the same range.
    assert_eq!(reread::<_, Range<u64>>(&(0..3_u8)), Ok(0..3));
}

#[test]
fn a_range_beside_a_value_that_describes_itself_is_not_read_as_another_kind_of_range() {
    use std::ops::{Range, RangeFrom, RangeInclusive};

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Beside<R> {
        range: R,
        value: serde_json::Value,
    }

    fn beside<R>(range: R) -> Beside<R> {
        Beside { range, value: serde_json::json!({ "start": 1 }) }
    }

    assert_eq!(Schema::of::<Beside<Range<u8>>>().form, Form::Tagged);
    reads_itself(&beside(0..3_u8));
    reads_itself(&beside(Some(vec![0..=3_u8])));
    let error = reread::<_, Beside<RangeInclusive<u8>>>(&beside(0..3_u8)).expect_err("another one");
    assert!(error.contains("expected a `RangeInclusive`, found a `Range`"), "{error}");
    assert!(reread::<_, Beside<Vec<Range<u8>>>>(&beside(vec![0..=3_u8])).is_err());
    assert!(reread::<_, Beside<RangeFrom<u8>>>(&beside(0..3_u8)).is_err());
    assert_eq!(reread::<_, Beside<Range<u64>>>(&beside(0..3_u8)), Ok(beside(0..3_u64)));
}
