//! Types of the standard library in places where serde buffers them.

use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::marker::PhantomData;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::{NonZeroU8, Saturating, Wrapping};
use std::ops::Bound;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::codec::{from_payload, given, to_payload};

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Untagged<T> {
    Other { other: String },
    Content(T),
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "kind")]
enum Internal<T> {
    Other,
    Content { content: T },
}

#[derive(Serialize, Deserialize)]
struct Inner<T> {
    content: T,
}

#[derive(Serialize, Deserialize)]
struct Flattened<T> {
    #[serde(flatten)]
    inner: Inner<T>,
}

/// Encodes and decodes a value. Returns the decoded value, or the error.
fn copied<T: Serialize + DeserializeOwned>(value: &T) -> Result<T, String> {
    from_payload(&to_payload(value).map_err(|error| error.to_string())?)
        .map_err(|error| error.to_string())
}

/// The fate of a value in an untagged enum, an internally tagged one, and a flattened field.
fn fates<T: Serialize + DeserializeOwned>(make: impl Fn() -> T) -> [&'static str; 3] {
    let before = given(&make()).expect("plain data");
    let fate = |read: Result<T, String>| match read {
        Ok(read) if given(&read).expect("plain data") == before => "read",
        Ok(_) => "MISREAD",
        Err(_) => "refused",
    };
    let untagged = copied(&Untagged::Content(make())).and_then(|read| match read {
        Untagged::Content(read) => Ok(read),
        Untagged::Other { .. } => Err("another variant".to_owned()),
    });
    let internal = copied(&Internal::Content { content: make() }).and_then(|read| match read {
        Internal::Content { content } => Ok(content),
        Internal::Other => Err("another variant".to_owned()),
    });
    let flattened = copied(&Flattened { inner: Inner { content: make() } });
    [untagged, internal, flattened.map(|read| read.inner.content)].map(fate)
}

macro_rules! table {
    ($($value:expr => [$($fate:literal),*];)*) => {
        [$((stringify!($value), fates(|| $value), [$($fate),*])),*]
    };
}

#[test]
fn no_value_is_misread() {
    let table = table! {
        1..3_u8 => ["read", "read", "read"];
        1..=3_u8 => ["read", "read", "read"];
        1_u8.. => ["read", "read", "read"];
        ..3_u8 => ["read", "read", "read"];
        Bound::Excluded(3_u8) => ["read", "read", "read"];
        Bound::<u8>::Unbounded => ["read", "read", "read"];
        Duration::new(1, 2) => ["read", "read", "read"];
        SystemTime::UNIX_EPOCH + Duration::new(1, 2) => ["read", "read", "read"];
        Ok::<u8, String>(1) => ["read", "read", "read"];
        Err::<u8, String>("no".into()) => ["read", "read", "read"];
        Some(()) => ["read", "read", "read"];
        None::<()> => ["read", "read", "read"];
        Some(None::<u8>) => ["read", "read", "read"];
        // serde does not buffer integers of 128 bits.
        u128::MAX => ["refused", "refused", "refused"];
        i128::MIN => ["refused", "refused", "refused"];
        1_u128 => ["refused", "refused", "refused"];
        u64::MAX => ["read", "read", "read"];
        i64::MIN => ["read", "read", "read"];
        f32::MAX => ["read", "read", "read"];
        f64::INFINITY => ["read", "read", "read"];
        'a' => ["read", "read", "read"];
        bytes::Bytes::from_static(b"ab") => ["read", "read", "read"];
        IpAddr::V4(Ipv4Addr::LOCALHOST) => ["read", "read", "read"];
        SocketAddr::from((Ipv4Addr::LOCALHOST, 1)) => ["read", "read", "read"];
        PathBuf::from("a/b") => ["read", "read", "read"];
        OsString::from("a") => ["read", "read", "read"];
        NonZeroU8::MAX => ["read", "read", "read"];
        Wrapping(1_u8) => ["read", "read", "read"];
        Saturating(1_u8) => ["read", "read", "read"];
        Reverse(1_u8) => ["read", "read", "read"];
        Cell::new(1_u8) => ["read", "read", "read"];
        std::sync::atomic::AtomicU64::new(1) => ["read", "read", "read"];
        PhantomData::<u8> => ["read", "read", "read"];
        [1_u8; 32] => ["read", "read", "read"];
        ((1_u8, 'a'), ((), [Some(1_i8), None])) => ["read", "read", "read"];
        BTreeMap::from([(1_u64, 'a'), (2, 'b')]) => ["read", "read", "read"];
        BTreeMap::from([((1_u8, true), 1..3_u8)]) => ["read", "read", "read"];
        BTreeMap::from([(Some('a'), ()), (None, ())]) => ["read", "read", "read"];
        BTreeSet::from([-1_i8, 1]) => ["read", "read", "read"];
    };
    let wrong: Vec<_> = table.iter().filter(|(_, fates, expected)| fates != expected).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
