//! Values as JSON for display.

use serde_json::{Map, Number, Value as Json};

use super::value::Value;

/// Shown in place of the content of a [`Secret`](crate::Secret).
const SECRET: &str = "(secret)";

/// Converts a value to JSON. Values that JSON cannot represent become texts: infinities, `NaN`, integers of more than
/// 64 bits, and bytes (as hex digits). A key that is not a text becomes its JSON text.
pub(crate) fn to_json(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Bool(value) => Json::Bool(*value),
        Value::Unsigned(value) => Json::Number((*value).into()),
        Value::Signed(value) => Json::Number((*value).into()),
        Value::BigUnsigned(value) => Json::String(value.to_string()),
        Value::BigSigned(value) => Json::String(value.to_string()),
        Value::Float(value) => {
            Number::from_f64(*value).map_or_else(|| Json::String(value.to_string()), Json::Number)
        }
        Value::Char(value) => Json::String(value.to_string()),
        Value::Text(value) | Value::Key(value) => Json::String(value.clone()),
        Value::Bytes(value) => Json::String(hex(value)),
        Value::Some(value) | Value::Range(_, value) => to_json(value),
        Value::Secret(_) => Json::String(SECRET.to_owned()),
        Value::List(list) => Json::Array(list.iter().map(to_json).collect()),
        Value::Map(map) => {
            let entries = map.iter().map(|(key, value)| (key_of(key), to_json(value)));
            Json::Object(entries.collect::<Map<_, _>>())
        }
    }
}

fn key_of(key: &Value) -> String {
    match to_json(key) {
        Json::String(text) => text,
        other => other.to_string(),
    }
}

fn hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().map(|byte| format!("{byte:02x}"));
    std::iter::once("0x".to_owned()).chain(digits).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn all_that_there_is_has_a_form() {
        let text = |text: &str| Value::Text(text.to_owned());
        let value = Value::Map(vec![
            (text("list"), Value::List(vec![Value::Null, Value::Bool(true), Value::Char('x')])),
            (Value::Unsigned(7), Value::Some(Box::new(Value::Signed(-7)))),
            (Value::List(vec![Value::Unsigned(1), text("x")]), Value::Bytes(vec![0, 171])),
            (Value::Bool(true), Value::Float(f64::NAN)),
            (Value::Null, Value::Float(0.5)),
            (text("large"), Value::unsigned(u128::MAX)),
            (text("small"), Value::signed(i128::MIN)),
            (Value::Key("key".to_owned()), Value::Float(f64::NEG_INFINITY)),
            (text("password"), Value::Secret(Box::new(text("hunter2")))),
        ]);
        assert_eq!(
            to_json(&value),
            json!({
                "list": [null, true, "x"],
                "7": -7,
                "[1,\"x\"]": "0x00ab",
                "true": "NaN",
                "null": 0.5,
                "large": "340282366920938463463374607431768211455",
                "small": "-170141183460469231731687303715884105728",
                "key": "-inf",
                "password": "(secret)",
            })
        );
    }
}
