//! Types of every kind as the argument and the result of an activity, and as a signal.

use std::collections::BTreeMap;
use std::sync::Arc;

use piton::activities::{ActivityContext, ActivityEntry, ActivityInfo, Dependencies};
use piton::machine::{OperationOutcome, Progress, Standalone};
use piton::model::{Handle, Operation, RunId};
use serde_json::json;
use uuid::Uuid;

use crate::loaded;
use crate::types::*;

/// Runs the attempt that a worker would run.
async fn returned_by(operation: Operation) -> OperationOutcome {
    let Operation::Activity(activity) = operation else { panic!("{operation:?}") };
    let entry = ActivityEntry::find(&activity.name).expect("registered");
    let info = ActivityInfo {
        run_id: RunId::from(Uuid::nil()),
        workflow_id: "values".into(),
        handle: Handle(0),
        name: entry.name,
        attempt: 1,
    };
    let cx = ActivityContext::new(info, Arc::new(Dependencies::default()));
    let report = entry.run(&cx, &activity.arguments).await.expect("the report can be encoded");
    OperationOutcome::Returned(report.returned)
}

/// For each type a workflow that passes a value to an activity, gets it back, and gets it once more by a signal.
macro_rules! sent {
    ($($name:ident: $Type:ty = $value:expr;)+) => {$(
        mod $name {
            use piton::prelude::*;
            use serde::{Deserialize, Serialize};

            #[allow(unused_imports)]
            use super::*;

            type Value = $Type;

            #[derive(Signal, Serialize, Deserialize)]
            struct Sent(Value);

            mod activities {
                use super::*;

                #[activity]
                pub async fn $name(value: Value) -> Value {
                    value
                }
            }

            #[workflow]
            async fn $name(cx: &Context, value: Value) -> (Value, Value) {
                let returned = activities::$name(value).await;
                let Sent(signaled) = cx.signal::<Sent>().await;
                (returned, signaled)
            }

            #[tokio::test]
            async fn comes_back() {
                let value: Value = $value;
                let mut run = Standalone::start($name(value.clone())).expect("it can be written");
                assert_eq!(run.advance_twice(Timestamp(0)).expect("a step"), Progress::Waiting);
                let mut run = loaded(&run);
                let (handle, operation) = run.waiting_for().remove(0);
                run.end(handle, returned_by(operation).await);
                assert_eq!(run.advance_twice(Timestamp(0)).expect("a step"), Progress::Waiting);
                let mut run = loaded(&run);
                run.signal(&Sent(value.clone())).expect("it can be written");
                let mut run = loaded(&run);
                let end = run.advance_twice(Timestamp(0)).expect("what was sent is read");
                assert_eq!(end, Progress::Returned((value.clone(), value)));
            }
        }
    )+};
}

fn parsed<T: std::str::FromStr<Err: std::fmt::Debug>>(text: &str) -> T {
    text.parse().expect("a value")
}

sent! {
    unit: () = ();
    numbers: (bool, char, i8, u64, u128, i128) = (true, 'ä', -1, u64::MAX, u128::MAX, i128::MIN);
    floats: [f64; 3] = [f64::INFINITY, -0.0, f64::MIN_POSITIVE];
    text: std::borrow::Cow<'static, str> = "text\0".into();
    nested_options: Option<Option<Option<u8>>> = Some(Some(None));
    results: Vec<Result<Option<()>, String>> = vec![Ok(Some(())), Err("no".into())];
    duration: std::time::Duration = std::time::Duration::from_nanos(1_000_000_001);
    keys_that_are_no_strings: BTreeMap<(u8, bool), Vec<Option<char>>> =
        BTreeMap::from([((1, true), vec![None, Some('x')])]);
    keys_that_are_enums: BTreeMap<Kind, u8> = BTreeMap::from([(Kind::Tuple(1, true), 2)]);
    address: std::net::SocketAddr = std::net::SocketAddr::from(([0_u16; 8], 80));
    uuids: Uuid = Uuid::from_u128(7);
    jiff_timestamp: jiff::Timestamp = parsed("2024-02-29T12:00:00.000000001Z");
    jiff_date: jiff::civil::Date = jiff::civil::date(2024, 2, 29);
    jiff_span: Option<jiff::SignedDuration> = Some(jiff::SignedDuration::new(-1, -5));
    chrono_utc: chrono::DateTime<chrono::Utc> =
        chrono::DateTime::from_timestamp(1_709_210_096, 789).expect("a time");
    chrono_offset: chrono::DateTime<chrono::FixedOffset> = parsed("2024-02-29T12:00:00+05:30");
    chrono_naive: Vec<Option<chrono::NaiveDateTime>> = vec![Some(parsed("2024-02-29T12:00:00")), None];
    time_offset: time::OffsetDateTime = time::OffsetDateTime::UNIX_EPOCH;
    time_date: time::Date = time::macros::date!(2024 - 02 - 29);
    urls: url::Url = parsed("https://user@example.com:8080/a%20b?c=d#e");
    networks: ipnet::IpNet = parsed("10.0.0.0/8");
    decimal: rust_decimal::Decimal = parsed("-79228162514264337593543950335");
    decimals: Vec<Option<rust_decimal::Decimal>> = vec![Some(parsed("0.10")), None];
    big_decimals: bigdecimal::BigDecimal = parsed("123456789012345678901234567890.5");
    version: semver::Version = semver::Version::new(1, 2, 3);
    requirement: semver::VersionReq = parsed(">=1.2, <2");
    json_values: serde_json::Value = json!({ "any": ["thing", 1, -1, 0.5, null, { "": true }] });
    json_object: serde_json::Map<String, serde_json::Value> =
        serde_json::Map::from_iter([("key".to_owned(), json!([]))]);
    json_in_text: piton::Json<serde_json::Value> = piton::Json(json!({ "in": "text" }));
    secret: piton::Secret<Vec<u8>> = piton::Secret::new(vec![1, 2]);
    index_map: indexmap::IndexMap<String, u8> =
        indexmap::IndexMap::from([("z".to_owned(), 1), ("a".to_owned(), 2)]);
    small_vec: smallvec::SmallVec<[u32; 2]> = smallvec::SmallVec::from(vec![1, 2, 3]);
    byte_strings: bytes::Bytes = bytes::Bytes::from_static(b"\0bytes");
    plain_enum: Vec<Kind> = vec![Kind::Unit, Kind::Newtype(Some(Some(3)))];
    internally_tagged: Vec<Internal> = vec![
        Internal::Unit,
        Internal::Newtype(Skipping { list: vec![], note: Some("x".into()), zero: 0 }),
        Internal::Struct { at: jiff::Timestamp::UNIX_EPOCH, letter: 'x' },
    ];
    adjacently_tagged: Vec<Adjacent> = vec![Adjacent::Unit, Adjacent::Tuple(1, "x".into())];
    untagged: Vec<Untagged> = vec![Untagged::Number(-3), Untagged::Struct { inner: Some(None) }];
    skipping: Vec<Skipping> = vec![Skipping { list: vec![], note: None, zero: 0 }];
    flattened: Flattened = Flattened {
        id: Uuid::nil(),
        inner: Skipping { list: vec![2], note: None, zero: 2 },
        rest: BTreeMap::from([("other".to_owned(), json!([1.5, { "x": null }]))]),
    };
    checked: Even = Even::try_from(4).expect("even");
    recursive: Tree = Tree { children: vec![Tree { children: vec![] }] };
    generic: Generic<Option<Untagged>> = Generic { value: None, more: vec![None] };
}
