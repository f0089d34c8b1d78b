//! Errors in stored results, as text for display.

use serde_json::Value as Json;

use super::given::read_typed;
use super::render::to_json;
use super::{CodecError, Encoded, cannot_decode, encoded};
use crate::model::Payload;

/// The text of the error in a payload with a `Result`, if it is an `Err`. An unreadable payload counts as an error.
pub(crate) fn error_in(payload: &Payload) -> Option<String> {
    match read(payload) {
        Ok(Json::Object(result)) => result.get("Err").map(text_of),
        Ok(_) => None,
        Err(error) => Some(format!("its result cannot be read: {error}")),
    }
}

/// The text of an error. An [`Error`](crate::Error) is stored as the list of its messages.
fn text_of(error: &Json) -> String {
    match error {
        Json::String(text) => text.clone(),
        Json::Array(messages) if messages.iter().all(Json::is_string) => {
            messages.iter().filter_map(Json::as_str).collect::<Vec<_>>().join(": ")
        }
        other => other.to_string(),
    }
}

fn read(payload: &Payload) -> Result<Json, CodecError> {
    match encoded(payload.as_bytes(), "result")? {
        Encoded::Json(text) => {
            serde_json::from_slice(text).map_err(|error| cannot_decode("JSON value", &error))
        }
        Encoded::Typed(hash, bytes) => {
            let values = read_typed(hash, bytes)?;
            Ok(values.first().map(|given| to_json(&given.value)).unwrap_or_default())
        }
        Encoded::Plain(_) => Err(cannot_decode("result", &"it is a record of piton's own")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;
    use crate::codec::{to_payload, to_tagged_payload};

    #[test]
    fn an_error_is_told_by_its_text() {
        let text = |result: Result<u8, String>| error_in(&to_payload(&result).expect("plain data"));
        assert_eq!(text(Ok(1)), None);
        assert_eq!(text(Err("refused".to_owned())), Some("refused".to_owned()));
        let general: Result<u8, Error> = Err(Error::msg("refused").context("paying"));
        let general = to_tagged_payload(&general).expect("plain data");
        assert_eq!(error_in(&general), Some("paying: refused".to_owned()));
        let other: Result<u8, (u8, bool)> = Err((1, true));
        let other = to_payload(&other).expect("plain data");
        assert_eq!(error_in(&other), Some("[1,true]".to_owned()));
        let none = error_in(&Payload::default());
        assert!(none.is_some_and(|text| text.contains("cannot be read")));
    }
}
