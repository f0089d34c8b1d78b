use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;
use std::net::IpAddr;

use proptest::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::*;
use crate::codec::source::Source;
use crate::codec::{Described, Json, Secret, from_payload, to_payload};

fn written<T: Serialize + ?Sized>(value: &T) -> Vec<u8> {
    let mut bytes = Vec::new();
    value.serialize(Sink::new(&mut bytes, Form::Tagged)).expect("plain data");
    bytes
}

fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, SourceError> {
    let bytes = Bytes::new(bytes);
    let value = next(&bytes)?;
    assert_eq!(bytes.left(), 0);
    T::deserialize(Source::Read(&value, Form::Tagged))
}

/// Checks that the whole value reads back, and that no prefix of it does.
#[track_caller]
fn reads_back<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) {
    let bytes = written(value);
    let again: T = read(&bytes).expect("it was written");
    assert_eq!(again, *value);
    for cut in 0..bytes.len() {
        assert!(next(&Bytes::new(&bytes[..cut])).is_err(), "cut at {cut} of {}", bytes.len());
    }
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Untagged {
    Unit,
    Number(i64),
    Float(f64),
    Text(String),
    Nested { inner: Option<Option<Box<Untagged>>> },
    Address(IpAddr, Uuid),
    List(Vec<Untagged>),
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind")]
enum Internal {
    Unit,
    Struct { id: Uuid, letter: char },
    Newtype(BTreeMap<String, IpAddr>),
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "content")]
enum Adjacent {
    Unit,
    Newtype(Option<u8>),
    Tuple(i8, f32),
    Struct { text: String },
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum External {
    Unit,
    Newtype(Option<Option<()>>),
    Tuple(u128, i128),
    Struct { bytes: Octets, nothing: () },
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Skipping {
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    list: Vec<External>,
    #[serde(flatten)]
    internal: Internal,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Flattened {
    number: i64,
    #[serde(flatten)]
    rest: HashMap<String, serde_json::Value>,
}

/// Serializes as bytes instead of a list of numbers.
#[derive(Debug, PartialEq)]
struct Octets(Vec<u8>);

impl Serialize for Octets {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Octets {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOctets;
        impl serde::de::Visitor<'_> for InOctets {
            type Value = Octets;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("bytes")
            }
            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Octets, E> {
                Ok(Octets(bytes.to_vec()))
            }
        }
        deserializer.deserialize_bytes(InOctets)
    }
}

/// A filtered list, whose length is not known in advance.
struct Odd(Vec<u8>);

impl Serialize for Odd {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().filter(|number| *number % 2 == 1))
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_written_is_read(
        number in any::<i64>(),
        large in any::<i128>(),
        float in any::<f64>().prop_filter("it equals itself", |float| !float.is_nan()),
        text in ".{0,20}",
        letter in any::<char>(),
        bytes in prop::collection::vec(any::<u8>(), 0..20),
        id in any::<u128>(),
    ) {
        let id = Uuid::from_u128(id);
        let address = IpAddr::from(id.into_bytes());
        reads_back(&(number as i8, number as u8, number as i32, number as u64, number, letter));
        reads_back(&(large, large as u128, float, float as f32, text.clone(), id, address));
        reads_back(&(Some(None::<u8>), None::<Option<u8>>, Some(Some(())), Some(number)));
        reads_back(&BTreeMap::from([((number, letter), Octets(bytes.clone()))]));
        reads_back(&BTreeMap::from([(Some(number > 0), vec![bytes.clone()])]));
        reads_back(&vec![
            External::Unit,
            External::Newtype(None),
            External::Newtype(Some(None)),
            External::Newtype(Some(Some(()))),
            External::Tuple(large as u128, large),
            External::Struct { bytes: Octets(bytes.clone()), nothing: () },
        ]);
        let nested = |inner| Untagged::Nested { inner };
        let untagged = vec![
            Untagged::Unit,
            Untagged::Number(number),
            Untagged::Float(float),
            Untagged::Text(text.clone()),
            nested(None),
            nested(Some(None)),
            nested(Some(Some(Box::new(Untagged::Text(text.clone()))))),
            Untagged::List(vec![Untagged::Number(number), Untagged::Text(text.clone())]),
            Untagged::Address(address, id),
        ];
        // A float without a fraction stays one, unlike in JSON.
        reads_back(&untagged);
        let internal = vec![
            Internal::Unit,
            Internal::Struct { id, letter },
            Internal::Newtype([(text.clone() + "1", address)].into()),
        ];
        reads_back(&internal);
        reads_back(&vec![
            Adjacent::Unit,
            Adjacent::Newtype(Some(number as u8)),
            Adjacent::Newtype(None),
            Adjacent::Tuple(number as i8, float as f32),
            Adjacent::Struct { text: text.clone() },
        ]);
        for internal in internal.into_iter().take(2) {
            let list = if number > 0 { vec![External::Unit] } else { vec![] };
            reads_back(&Skipping { list, internal });
        }
        let rest = serde_json::json!({ "a": [number, null, text], "b": { "c": float } });
        let rest = serde_json::from_value(rest).expect("a map");
        reads_back(&Flattened { number, rest });
        reads_back(&Json(serde_json::json!([text, number])));
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(0..20_u8, 0..60)) {
        let bytes = Bytes::new(&bytes);
        let _ = next(&bytes);
    }
}

#[test]
fn what_json_cannot_hold_is_held() {
    let nan: f64 = read(&written(&f64::NAN)).expect("it was written");
    assert!(nan.is_nan());
    reads_back(&[f64::INFINITY, f64::NEG_INFINITY, -0.0]);
    reads_back(&(u128::MAX, i128::MIN, i128::from(u64::MAX)));
    let odd: Vec<u8> = read(&written(&Odd(vec![1, 2, 3]))).expect("it was written");
    assert_eq!(odd, [1, 3]);
    // As for JSON, addresses and ids are texts.
    assert_eq!(
        read::<String>(&written(&IpAddr::from([127, 0, 0, 1]))).ok(),
        Some("127.0.0.1".into())
    );
    assert_eq!(read::<String>(&written(&Uuid::nil())).ok(), Some(Uuid::nil().to_string()));
}

#[test]
fn a_type_that_has_changed_reads_by_names() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Changed {
        id: String,
        #[serde(default)]
        added: Option<u8>,
        letter: String,
        #[serde(rename = "kind")]
        name: String,
    }
    let old = Internal::Struct { id: Uuid::nil(), letter: 'x' };
    let expected = Changed {
        id: Uuid::nil().to_string(),
        added: None,
        letter: "x".into(),
        name: "Struct".into(),
    };
    assert_eq!(read::<Changed>(&written(&old)).ok(), Some(expected));
    let error = read::<Internal>(&written(&BTreeMap::from([("kind", "Other")])));
    assert!(error.is_err_and(|error| error.to_string().contains("`Other`")));
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Deep {
    Inner { inner: Box<Deep> },
    List(Vec<Deep>),
    End(u8),
}

#[test]
fn a_value_that_is_too_deep_is_refused_when_it_is_written() {
    let nested = |depth| {
        (0..depth).fold(Deep::End(1), |inner, level| match level % 2 {
            0 => Deep::Inner { inner: Box::new(inner) },
            _ => Deep::List(vec![inner]),
        })
    };
    reads_back(&nested(127));
    assert_eq!(from_payload(&to_payload(&nested(128)).expect("it fits")), Ok(nested(128)));
    for depth in [129, 1000] {
        let error = to_payload(&nested(depth)).expect_err("it is too deep");
        assert!(error.to_string().contains("128 levels deep"), "{error}");
    }
}

#[test]
fn a_secret_stays_one() {
    let secret = Secret::new(vec![Secret::new(7_u8)]);
    assert_eq!(
        next(&Bytes::new(&written(&secret))).ok(),
        Some(Value::Secret(Box::new(Value::List(vec![Value::Secret(Box::new(Value::Unsigned(
            7
        )))]),)))
    );
    reads_back(&secret);
    reads_back(&(Secret::new(Some(Some(1))), Secret::new(None::<u8>)));
    // The type reads the same value.
    assert_eq!(read::<Vec<u8>>(&written(&secret)).ok(), Some(vec![7]));
    assert_eq!(read::<Secret<u8>>(&written(&7_u8)).ok(), Some(Secret::new(7)));
    let json = crate::codec::render::to_json(&Value::List(vec![
        next(&Bytes::new(&written(&secret))).expect("it was written"),
    ]));
    assert_eq!(json, serde_json::json!(["(secret)"]));
    // Error messages do not show it either.
    let text = read::<Secret<u8>>(&written(&Secret::new("hunter2"))).err();
    let number = read::<Vec<Secret<u8>>>(&written(&vec![Secret::new(300_u16)])).err();
    let told = format!("{text:?} {number:?}");
    assert!(told.contains("the secret") && !told.contains("hunter2"), "{told}");
    assert!(!told.contains("300"), "{told}");
    // In the compact form the schema marks it.
    assert_ne!(
        Described::of::<Secret<u8>>().schema().hash(),
        Described::of::<u8>().schema().hash()
    );
}
