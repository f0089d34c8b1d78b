//! A `Result` as the outcome of an activity or a workflow.
//!
//! It is encoded as serde would encode it. Serde's implementation would be compiled for each type of `Result`; this
//! one adds little to the code for the value and for the error.

use serde::{Deserialize, Serialize};

use super::Given;
use super::arguments::Arguments;
use super::reader::{Reader, next_value};
use super::schema::Described;
use super::value::Value;

/// What a call gave, as this type takes it, if the function of the call could not fail when it was made and may fail now, or
/// the other way round: a value becomes an `Ok` of it, and an `Ok` its value. An `Err` stays, and is not read as anything
/// else.
pub(crate) fn adapted(mut values: Vec<Given>, described: Option<Described>) -> Vec<Given> {
    let (Some(described), [given]) = (described, &mut values[..]) else { return values };
    let variant = match given.value.open() {
        Value::Map(map) if map.len() == 1 => map[0].0.text(),
        _ => None,
    };
    let is_result = matches!(variant, Some("Ok" | "Err"));
    match (described.type_name().starts_with("core::result::Result<"), is_result) {
        (true, false) => {
            let value = std::mem::replace(&mut given.value, Value::Null);
            given.value = Value::Map(vec![(Value::Text("Ok".to_owned()), value)]);
        }
        // A type of its own may have a field or a variant of this name.
        (false, true) if variant == Some("Ok") && described.convert(given.clone()).is_err() => {
            given.value.become_content();
        }
        _ => {}
    }
    values
}

/// Adds a `Result`.
pub(crate) fn add_result<T: Serialize, E: Serialize>(
    arguments: &mut Arguments,
    result: &Result<T, E>,
) {
    match result {
        Ok(value) => {
            arguments.begin_result(true);
            arguments.add(value);
        }
        Err(error) => {
            arguments.begin_result(false);
            arguments.add(error);
        }
    }
}

/// [`next_value`] for a `Result`.
#[expect(clippy::manual_map, reason = "`map` is two more functions for each type to compile")]
pub(crate) fn next_result<T, E>(reader: &mut Reader<'_>) -> Option<Result<T, E>>
where
    T: for<'de> Deserialize<'de>,
    E: for<'de> Deserialize<'de>,
{
    match reader.is_ok() {
        Some(true) => match next_value(reader) {
            Some(value) => Some(Ok(value)),
            None => None,
        },
        Some(false) => match next_value(reader) {
            Some(error) => Some(Err(error)),
            None => None,
        },
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use proptest::prelude::*;
    use serde::de::DeserializeOwned;
    use serde_json::{Value, json};

    use super::*;
    use crate::codec::schema::{Described, Schema};
    use crate::codec::{CodecError, from_any_payload, only_value, to_payload};
    use crate::model::{Encoding, Payload};

    fn read_result<T, E>(payload: &Payload) -> Result<Result<T, E>, CodecError>
    where
        T: Serialize + DeserializeOwned,
        E: Serialize + DeserializeOwned,
    {
        let described = Described::of_result::<T, E>();
        let reader = Reader::value(payload.as_bytes(), described);
        only_value(reader, next_result::<T, E>)
    }

    /// Compares with serde's implementation. The texts of errors may differ.
    fn read_as_serde_does<T, E>(payload: &Payload)
    where
        T: Serialize + DeserializeOwned + Debug + PartialEq,
        E: Serialize + DeserializeOwned + Debug + PartialEq,
    {
        let serde: Result<Result<T, E>, _> = from_any_payload(payload);
        let own = read_result::<T, E>(payload);
        assert_eq!(own.as_ref().ok(), serde.as_ref().ok(), "{own:?} {serde:?}");
    }

    fn as_serde_does<T, E>(result: &Result<T, E>)
    where
        T: Serialize + DeserializeOwned + Debug + PartialEq,
        E: Serialize + DeserializeOwned + Debug + PartialEq,
    {
        let mut written = Arguments::value(Described::of_result::<T, E>());
        add_result(&mut written, result);
        let written = written.finish().expect("plain data");
        assert_eq!(written, to_payload(result).expect("plain data"));
        for cut in 0..=written.0.len() {
            read_as_serde_does::<T, E>(&Payload(written.0[..cut].to_vec()));
        }
        read_as_serde_does::<T, E>(&Payload([&written.0[..], &[0]].concat()));
        read_as_serde_does::<T, E>(&Payload::from_json(&json!(result)));
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Order {
        lines: Vec<(String, u64)>,
        note: Option<String>,
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    enum Refusal {
        Late,
        Other(String),
    }

    proptest! {
        #[test]
        fn they_are_written_and_read_as_by_serde(text in ".{0,20}", number in any::<u64>(), ok in any::<bool>()) {
            let order = Order { lines: vec![(text.clone(), number); 2], note: ok.then(|| text.clone()) };
            as_serde_does::<Order, Refusal>(&Ok(order));
            as_serde_does::<Order, Refusal>(&Err(Refusal::Other(text.clone())));
            as_serde_does::<Order, Refusal>(&Err(Refusal::Late));
            as_serde_does::<(), String>(&if ok { Ok(()) } else { Err(text) });
            as_serde_does::<Option<u64>, ()>(&ok.then_some(Some(number)).ok_or(()));
        }

        #[test]
        fn no_bytes_are_taken_for_one_that_are_none(bytes in proptest::collection::vec(any::<u8>(), 0..6)) {
            read_as_serde_does::<u8, String>(&Payload([&[Encoding::Binary as u8], &bytes[..]].concat()));
        }
    }

    #[test]
    fn json_that_is_none_is_refused_as_by_serde() {
        let values: [Value; 10] = [
            json!({ "Ok": 1 }),
            json!({ "Err": "no" }),
            json!({ "Ok": "no" }),
            json!({ "Fine": 1 }),
            json!({ "Ok": 1, "Err": "no" }),
            json!({}),
            json!("Ok"),
            json!("Fine"),
            json!(null),
            json!([1]),
        ];
        for value in values {
            read_as_serde_does::<u8, String>(&Payload::from_json(&value));
        }
        read_as_serde_does::<(), String>(&Payload::from_json(&json!("Ok")));
    }

    #[test]
    fn what_is_wrong_is_said() {
        let said = |payload: &Payload| {
            let read = read_result::<u8, String>(payload);
            read.expect_err("it is none").to_string()
        };
        let type_name =
            "the stored bytes are not a `core::result::Result<u8, alloc::string::String>`";
        assert_eq!(
            said(&Payload(vec![Encoding::Binary as u8, 2, 1])),
            format!("{type_name}: invalid value: integer `2`, expected `Ok` or `Err`")
        );
        assert_eq!(
            said(&Payload::from_json(&json!({ "Fine": 1 }))),
            format!("{type_name}: unknown variant `Fine`, expected `Ok` or `Err`")
        );
        assert_eq!(
            said(&Payload::from_json(&json!(7))),
            format!("{type_name}: invalid type: integer `7`, expected enum Result")
        );
    }

    #[test]
    fn they_are_described_as_by_serde() {
        fn described<T, E>()
        where
            T: Serialize + DeserializeOwned,
            E: Serialize + DeserializeOwned,
        {
            assert_eq!(Described::of_result::<T, E>().schema(), Schema::of::<Result<T, E>>());
        }
        described::<u64, String>();
        described::<Order, Refusal>();
        described::<(), Result<Order, Vec<Refusal>>>();
        described::<Value, String>();
        described::<String, jiff::Timestamp>();
    }
}
