//! The limit of nesting.
//!
//! A value is encoded and decoded by functions that call each other once per level, so a value without a depth
//! limit could overflow the stack. Invariant: an encoded value is never too deep to be decoded.

use std::fmt;

/// The maximum number of levels of a value, about that of serde_json. Without optimization a level takes a few
/// kilobytes of stack for an ordinary type, and a thread of tokio has two megabytes.
const MAX_DEPTH: u32 = 128;

/// The maximum number of nested lists and objects that serde_json reads.
pub(super) const MAX_JSON_DEPTH: u32 = 127;

/// The number of levels that are left.
///
/// A level is a list, a map, an option that is `Some`, or a variant with content. A value can contain values of its own
/// type only through a level; the number of structs and tuples between levels is fixed by the type.
#[derive(Clone, Copy, Debug)]
pub(super) struct Depth(u32);

impl Depth {
    /// The limit for a value that is written.
    pub(super) const WRITTEN: Self = Self(MAX_DEPTH);

    /// The limit for a value that is read: one more for a `Result` around it, which is written separately, and one for
    /// a variant that may turn out to have no content.
    pub(super) const READ: Self = Self(MAX_DEPTH + 2);

    /// The limit for the content of a level; `None` if that is too deep.
    #[cfg_attr(not(debug_assertions), inline)]
    pub(super) fn inside(self) -> Option<Self> {
        match self.0 {
            0 => None,
            left => Some(Self(left - 1)),
        }
    }
}

/// The error for a value that is too deep.
#[derive(Debug)]
pub(super) struct TooDeep {
    most: u32,
}

impl TooDeep {
    pub(super) const BINARY: Self = Self { most: MAX_DEPTH };
    pub(super) const JSON: Self = Self { most: MAX_JSON_DEPTH };
}

impl fmt::Display for TooDeep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "it is nested more than {} levels deep; keep its parts in a `Vec` and let them refer to each other by \
             index",
            self.most
        )
    }
}

impl std::error::Error for TooDeep {}

#[cfg(test)]
mod tests {
    use serde::de::DeserializeOwned;
    use serde::{Deserialize, Serialize};
    use serde_json::{Value, json};

    use super::{MAX_DEPTH, MAX_JSON_DEPTH};
    use crate::codec::{CodecError, Json, from_payload, to_payload};

    #[derive(Default, Serialize, Deserialize)]
    struct Node {
        next: Option<Box<Node>>,
    }

    #[derive(Default, Serialize, Deserialize)]
    struct Tree {
        name: String,
        children: Vec<Tree>,
    }

    #[derive(Default, Serialize, Deserialize)]
    enum Formula {
        #[default]
        One,
        Not(Box<Formula>),
        Both(Box<Formula>, Box<Formula>),
        Named {
            formula: Box<Formula>,
        },
    }

    #[derive(Default, Serialize, Deserialize)]
    struct Map(std::collections::BTreeMap<u8, Map>);

    fn nested<T: Default>(depth: u32, around: impl Fn(T) -> T) -> T {
        (0..depth).fold(T::default(), |inner, _| around(inner))
    }

    /// The innermost takes `own` levels, each other one.
    #[track_caller]
    fn is_bounded<T: Default + Serialize + DeserializeOwned>(own: u32, around: impl Fn(T) -> T) {
        let deepest = nested(MAX_DEPTH - own, &around);
        let written = to_payload(&deepest).expect("it is not too deep");
        let read: T = from_payload(&written).expect("it was written");
        assert_eq!(to_payload(&read), Ok(written));
        let result = to_payload(&Ok::<_, ()>(nested(MAX_DEPTH - 1 - own, &around)));
        assert!(from_payload::<Result<T, ()>>(&result.expect("it is not too deep")).is_ok());

        let error = to_payload(&nested(MAX_DEPTH + 1 - own, &around)).expect_err("it is too deep");
        let CodecError::Encode { reason, .. } = error else { panic!("{error}") };
        assert_eq!(
            reason,
            "it is nested more than 128 levels deep; keep its parts in a `Vec` and let them refer to each other by \
             index"
        );
    }

    #[test]
    fn a_value_that_is_too_deep_is_refused_when_it_is_written() {
        is_bounded::<Node>(0, |inner| Node { next: Some(Box::new(inner)) });
        is_bounded::<Tree>(1, |inner| Tree { name: "tree".into(), children: vec![inner] });
        is_bounded::<Map>(1, |inner| Map([(1, inner)].into()));
        is_bounded::<Formula>(0, |inner| Formula::Not(Box::new(inner)));
        is_bounded::<Formula>(0, |inner| Formula::Both(Box::default(), Box::new(inner)));
        is_bounded::<Formula>(0, |inner| Formula::Named { formula: Box::new(inner) });
    }

    #[test]
    fn many_values_beside_each_other_are_not_deep() {
        let wide: Vec<_> = (0..1000).map(|number| Some(vec![number])).collect();
        let written = to_payload(&wide).expect("it is not deep");
        assert_eq!(from_payload(&written), Ok(wide));
    }

    #[test]
    fn bytes_without_end_are_refused_when_they_are_read() {
        let mut endless = crate::model::Payload(vec![1; 1_000_000]);
        let error = from_payload::<Node>(&endless).err().expect("it is too deep");
        assert!(error.to_string().contains("128 levels deep"), "{error}");
        endless.0 = [&[crate::model::Encoding::Json as u8][..], &[b'['; 1_000_000]].concat();
        assert!(from_payload::<Vec<Tree>>(&endless).is_err());
    }

    #[test]
    fn json_is_as_deep_as_it_can_be_read() {
        let nested = |depth: u32| {
            Json((0..depth).fold(json!(1), |inner, level| match level % 2 {
                0 => Value::Array(vec![inner]),
                _ => Value::Object([("inner".to_owned(), inner)].into_iter().collect()),
            }))
        };
        let written = to_payload(&nested(MAX_JSON_DEPTH)).expect("it is not too deep");
        assert_eq!(from_payload::<Json<Value>>(&written), Ok(nested(MAX_JSON_DEPTH)));
        for depth in [MAX_JSON_DEPTH + 1, 10 * MAX_JSON_DEPTH] {
            let error = to_payload(&nested(depth)).expect_err("it is too deep");
            assert!(error.to_string().contains("127 levels deep"), "{error}");
        }
        // Siblings add no depth.
        assert!(to_payload(&Json(vec![json!([[]]); 1000])).is_ok());
    }
}
