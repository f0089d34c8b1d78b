use std::collections::BTreeMap;
use std::fmt::Debug;
use std::ops::{Range, RangeInclusive};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::codec::{Described, from_payload, given, to_payload};

/// Checks that this value is refused by the type `New`, because of a range.
#[track_caller]
fn is_refused<Old, New>(old: &Old)
where
    Old: Serialize + DeserializeOwned,
    New: Serialize + DeserializeOwned + Debug,
{
    let payload = to_payload(old).expect("plain data");
    let error = from_payload::<New>(&payload).expect_err("it has another kind of range");
    assert!(error.to_string().contains("expected a `Range"), "{error}");
    let given = given(old).expect("plain data");
    assert!(Described::of::<New>().convert(given).is_err());
}

#[track_caller]
fn is_read<Old, New>(old: &Old, new: &New)
where
    Old: Serialize + DeserializeOwned,
    New: Serialize + DeserializeOwned + Debug + PartialEq,
{
    let payload = to_payload(old).expect("plain data");
    assert_eq!(from_payload::<New>(&payload).as_ref(), Ok(new));
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Untagged<R> {
    Name(String),
    Span(R),
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind")]
enum Internal<R> {
    None,
    Span { range: R },
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Inner<R> {
    range: R,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Flattened<R> {
    #[serde(flatten)]
    inner: Inner<R>,
}

#[test]
fn a_buffered_range_is_not_read_as_another_kind_of_range() {
    use Untagged::Span;

    is_refused::<_, Untagged<RangeInclusive<u8>>>(&Span(1..3_u8));
    is_refused::<_, Untagged<Range<u64>>>(&Span(1..=3_u8));
    is_refused::<_, Vec<Untagged<Range<i64>>>>(&vec![Span(1..=3_u8)]);
    is_refused::<_, Internal<RangeInclusive<u8>>>(&Internal::Span { range: 1..3_u8 });
    is_refused::<_, Flattened<RangeInclusive<u8>>>(&Flattened { inner: Inner { range: 1..3_u8 } });
    // The old type is not buffered.
    is_refused::<_, Flattened<RangeInclusive<u8>>>(&Inner { range: 1..3_u8 });
    is_refused::<_, Untagged<RangeInclusive<i32>>>(&(1..3_u8));
}

#[test]
fn a_buffered_range_of_the_same_kind_is_read() {
    use Untagged::Span;

    is_read(&Span(1..3_u8), &Span(1..3_u64));
    is_read(&Span(1..=3_u8), &Span(1..=3_u8));
    is_read(&Internal::Span { range: 1..3_u8 }, &Internal::Span { range: 1..3_i64 });
    is_read(&Inner { range: 1..3_u8 }, &Flattened { inner: Inner { range: 1..3_u8 } });
    is_read(&Flattened { inner: Inner { range: 1..=3_u8 } }, &Inner { range: 1..=3_u8 });
    // One is dropped, and another one is a default.
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Whole {
        #[serde(default = "all")]
        all: RangeInclusive<u8>,
        #[serde(flatten)]
        more: BTreeMap<String, String>,
    }
    fn all() -> RangeInclusive<u8> {
        0..=9
    }
    let whole: Result<Whole, _> =
        from_payload(&to_payload(&BTreeMap::<String, Range<u8>>::new()).expect("plain data"));
    assert_eq!(whole, Ok(Whole { all: all(), more: BTreeMap::new() }));
}
