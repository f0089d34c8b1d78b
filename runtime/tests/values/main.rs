//! Types of every kind as the argument, a local and the result of a workflow: a value is the same before and after it
//! was saved.

#![allow(unreachable_pub)]

mod sent;
mod types;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::fmt::Debug;
use std::net::{IpAddr, SocketAddr};
use std::num::NonZeroU8;
use std::time::Duration;

use piton::machine::{Progress, Standalone, Workflow};
use piton::model::{Operation, Timestamp};
use piton::prelude::*;
use piton::{Json, Secret};
use serde_json::json;
use types::*;
use uuid::Uuid;

#[workflow]
async fn keeps<T: Durable + Clone>(cx: &Context, value: T) -> (T, Option<T>) {
    let copy = value.clone();
    cx.sleep(seconds(1)).await;
    (value, Some(copy))
}

fn loaded<W: Workflow>(run: &Standalone<W>) -> Standalone<W> {
    let saved = run.save().expect("a run at rest");
    Standalone::load(&saved).expect("it was saved")
}

#[track_caller]
fn is_kept<T: Durable + Clone + PartialEq + Debug + 'static>(value: T) {
    let mut run = Standalone::start(keeps(value.clone())).expect("it can be written");
    assert_eq!(run.advance_twice(Timestamp(0)).expect("a step"), Progress::Waiting, "{value:?}");
    let mut run = loaded(&run);
    let [(_, Operation::Timer { fire_at })] = run.waiting_for()[..] else { panic!("{run:?}") };
    let end = run.advance_twice(fire_at).expect("what was saved is read");
    assert_eq!(end, Progress::Returned((value.clone(), Some(value))));
}

#[test]
fn plain_values() {
    is_kept(());
    is_kept((true, 'ä', -1_i8, u64::MAX, u128::MAX, i128::MIN));
    is_kept([f64::INFINITY, -0.0, f64::MIN_POSITIVE]);
    is_kept(Floats(f32::MAX, f64::MAX));
    is_kept(String::from("text\0"));
    is_kept(Cow::<'static, str>::Borrowed("text"));
    is_kept(Some(Some(None::<u8>)));
    is_kept(Ok::<Option<()>, String>(Some(())));
    is_kept(Box::new([1_u8, 2, 3]));
    is_kept(NonZeroU8::MAX);
    is_kept(Duration::from_nanos(1_000_000_001));
    is_kept(1..=3_u8);
}

#[test]
fn collections() {
    is_kept(vec![vec![0_u8], vec![]]);
    is_kept(VecDeque::from([(1, "x".to_owned())]));
    is_kept(BTreeSet::from([Some(1), None]));
    is_kept(BTreeMap::from([((1_u8, true), vec![None, Some('x')])]));
    is_kept(BTreeMap::from([(Kind::Unit, 1), (Kind::Tuple(1, true), 2)]));
    is_kept(HashMap::from([(1_u64, "one".to_owned())]));
}

#[test]
fn types_of_other_crates() {
    is_kept(Uuid::from_u128(7));
    is_kept("2024-02-29T12:00:00.000000001Z".parse::<jiff::Timestamp>().expect("a time"));
    is_kept(jiff::civil::date(2024, 2, 29));
    is_kept(vec![jiff::civil::time(23, 59, 58, 1)]);
    is_kept(Some(jiff::SignedDuration::new(-1, -5)));
    is_kept(IpAddr::from([127, 0, 0, 1]));
    is_kept(SocketAddr::from(([0_u16; 8], 80)));
    is_kept(json!({ "any": ["thing", 1, -1, 0.5, null, { "": true }] }));
    is_kept(serde_json::Map::from_iter([("key".to_owned(), json!([]))]));
    is_kept(vec![Some(json!(null)), Some(json!(u64::MAX))]);
    is_kept(Json(json!({ "in": "text" })));
    is_kept(Secret::new(vec![1, 2]));
}

#[test]
fn numbers_of_other_crates() {
    let decimal = |text: &str| text.parse::<rust_decimal::Decimal>().expect("a number");
    is_kept(decimal("-79228162514264337593543950335"));
    is_kept(vec![Some(decimal("0.10")), Some(decimal("0.1000000000000000000000000001")), None]);
    is_kept(BTreeMap::from([(decimal("1.5"), decimal("-0.0"))]));
    is_kept(
        "123456789012345678901234567890.5".parse::<bigdecimal::BigDecimal>().expect("a number"),
    );
    is_kept(semver::Version::new(1, 2, 3));
    is_kept(semver::VersionReq::parse(">=1.2, <2").expect("a requirement"));
}

#[test]
fn times_of_other_crates() {
    let at = chrono::DateTime::from_timestamp(1_709_210_096, 789).expect("a time");
    is_kept(at);
    is_kept(at.fixed_offset());
    is_kept(vec![Some(at.naive_utc()), None]);
    is_kept((at.date_naive(), at.time(), chrono::Weekday::Mon, chrono::Month::May));
    is_kept(chrono::TimeDelta::milliseconds(-1));
    is_kept(time::OffsetDateTime::UNIX_EPOCH + time::Duration::nanoseconds(-1));
    is_kept(time::macros::datetime!(2024-02-29 12:00:00.5));
    is_kept((
        time::macros::date!(2024 - 02 - 29),
        time::macros::time!(23:59),
        time::Weekday::Sunday,
    ));
    is_kept(time::macros::offset!(-03:30));
}

#[test]
fn places_of_other_crates() {
    is_kept(url::Url::parse("https://user@example.com:8080/a%20b?c=d#e").expect("an address"));
    is_kept("10.0.0.0/8".parse::<ipnet::IpNet>().expect("a network"));
    is_kept("fd00::/32".parse::<ipnet::Ipv6Net>().expect("a network"));
}

#[test]
fn collections_of_other_crates() {
    is_kept(indexmap::IndexMap::from([("z".to_owned(), 1), ("a".to_owned(), 2)]));
    is_kept(indexmap::IndexSet::from([3, 1, 2]));
    is_kept(smallvec::SmallVec::<[u32; 2]>::from(vec![1, 2, 3]));
    is_kept(bytes::Bytes::from_static(b"\0bytes"));
    is_kept(Some(bytes::BytesMut::from(&b"more"[..])));
}

#[test]
fn enums() {
    for kind in [
        Kind::Unit,
        Kind::Newtype(Some(None)),
        Kind::Newtype(Some(Some(3))),
        Kind::Tuple(1, false),
        Kind::Struct { kinds: vec![Kind::Unit, Kind::Tuple(2, true)] },
    ] {
        is_kept(kind);
    }
    for internal in [
        Internal::Unit,
        Internal::Newtype(Skipping { list: vec![], note: Some("x".into()), zero: 0 }),
        Internal::Struct { at: jiff::Timestamp::UNIX_EPOCH, letter: 'x' },
    ] {
        is_kept(internal);
    }
    is_kept(vec![Adjacent::Unit, Adjacent::Newtype(None), Adjacent::Tuple(1, "x".into())]);
    is_kept(vec![
        Untagged::Unit,
        Untagged::Truth(true),
        Untagged::Number(-3),
        Untagged::Float(2.0),
        Untagged::Address(IpAddr::from([1, 2, 3, 4])),
        Untagged::Text("text".into()),
        Untagged::Struct { inner: Some(Some(Box::new(Untagged::Unit))) },
        Untagged::Struct { inner: Some(None) },
        Untagged::List(vec![Untagged::Number(1), Untagged::Text(String::new())]),
    ]);
}

#[test]
fn structs() {
    is_kept(Skipping { list: vec![], note: None, zero: 0 });
    is_kept(vec![Skipping { list: vec![1], note: Some(String::new()), zero: 1 }]);
    is_kept(Flattened {
        id: Uuid::nil(),
        inner: Skipping { list: vec![2], note: None, zero: 2 },
        rest: BTreeMap::from([("other".to_owned(), json!([1.5, { "x": null }]))]),
    });
    is_kept(Even::try_from(4).expect("even"));
    is_kept(Tree { children: vec![Tree { children: vec![] }, Tree { children: vec![] }] });
    is_kept(Generic::<Option<Untagged>> { value: Some(Untagged::Number(1)), more: vec![None] });
    is_kept(Generic::<u8> { value: 1, more: vec![2, 3] });
}

#[test]
fn a_number_that_is_none_is_kept() {
    let mut run = Standalone::start(keeps(f64::NAN)).expect("it can be written");
    assert!(run.advance_twice(Timestamp(0)).is_ok());
    let mut run = loaded(&run);
    let [(_, Operation::Timer { fire_at })] = run.waiting_for()[..] else { panic!("{run:?}") };
    let Ok(Progress::Returned((value, copy))) = run.advance_twice(fire_at) else {
        panic!("{run:?}")
    };
    assert!(value.is_nan() && copy.is_some_and(f64::is_nan));
}
