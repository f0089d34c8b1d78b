use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::*;

fn from_json<T: DeserializeOwned>(json: &str) -> Result<T, SourceError> {
    value_from_json(json.as_bytes())
        .and_then(|value| T::deserialize(Source::Read(&value, Form::Tagged)))
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Everything {
    truth: bool,
    small: i8,
    large: u64,
    float: f64,
    letter: char,
    text: String,
    unit: (),
    none: Option<u8>,
    some: Option<Wrapped>,
    list: Vec<(u8, String)>,
    numbered: BTreeMap<i32, Kind>,
    yes: BTreeMap<bool, Kind>,
    #[serde(default)]
    missing: Option<u8>,
    #[serde(flatten)]
    rest: BTreeMap<String, serde_json::Value>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Wrapped(u8);

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Kind {
    Unit,
    Newtype(Wrapped),
    Tuple(u8, f32),
    Struct { a: u8, b: Option<String> },
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Untagged {
    Number(i64),
    Text(String),
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind")]
enum Tagged {
    One { value: u8 },
    Two,
}

/// Checks that this reads the same value as `serde_json`.
#[track_caller]
fn agrees<T: DeserializeOwned + PartialEq + std::fmt::Debug>(json: &str) {
    let expected: Result<T, _> = serde_json::from_str(json);
    let read = from_json::<T>(json);
    assert_eq!(read.as_ref().ok(), expected.as_ref().ok(), "{read:?} and {expected:?}");
}

#[test]
fn json_is_read_as_serde_json_reads_it() {
    let everything = r#"{
        "truth": true, "small": -7, "large": 18446744073709551615, "float": 1,
        "letter": "ä", "text": "a\nb", "unit": null, "none": null, "some": 3,
        "list": [[1, "x"], [2, "y"]], "more": {"deep": [1, null, "z"]},
        "numbered": {"-1": "Unit", "2": {"Newtype": 9}, "3": {"Tuple": [1, 0.5]}},
        "yes": {"true": {"Struct": {"a": 1, "b": null}}, "false": {"Unit": null}}
    }"#;
    assert!(from_json::<Everything>(everything).is_ok());
    agrees::<Everything>(everything);
    agrees::<Wrapped>("300");
    agrees::<Kind>(r#"{"Struct": [1, "b"]}"#);
    agrees::<Kind>(r#"{"Struct": {"a": 1, "a": 2, "b": null}}"#);
    agrees::<Kind>(r#""Newtype""#);
    agrees::<Kind>(r#"{"Unit": 1}"#);
    agrees::<Kind>(r#"{"Unit": null, "Tuple": [1, 2]}"#);
    agrees::<Kind>(r#"{"Tuple": [1, 2, 3]}"#);
    agrees::<(u8, u8)>("[1]");
    agrees::<Vec<u8>>("{}");
    agrees::<Option<()>>("null");
    agrees::<Untagged>("-1");
    agrees::<Untagged>(r#""text""#);
    agrees::<Tagged>(r#"{"kind": "One", "value": 1}"#);
    agrees::<Tagged>(r#"{"kind": "Two"}"#);
    agrees::<u64>("1.0");
    agrees::<u128>("18446744073709551615");
    agrees::<uuid::Uuid>(r#""67e55044-10b1-426f-9247-bb680e5fe0c8""#);
    agrees::<jiff::Timestamp>(r#""2024-02-29T12:00:00Z""#);
    agrees::<std::time::Duration>(r#"{"secs": 1, "nanos": 2}"#);
    agrees::<crate::Json<serde_json::Value>>(r#"[{"any": "thing"}]"#);
    agrees::<u8>("1 2");
}
