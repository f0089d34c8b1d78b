//! Inclusive ranges, `a..=b`, whose numbers are taken one by one.
//!
//! Serde saves only the two ends of such a range, which do not show whether the last number was taken. So a flag is
//! saved with them.

use std::ops::RangeInclusive;

use serde::Serialize;

use super::{Durable, Local};
use crate::codec::{Reader, Sink, SinkError, next_value};
use crate::machine::values::{Coding, SavedKind};

/// A range that can be iterated.
#[diagnostic::on_unimplemented(
    message = "a `{Self}` that is declared `mut` cannot be held across an await",
    label = "whether the range is exhausted cannot be saved",
    note = "keep the two bounds of the range, or declare it without `mut`",
    note = "rule `saved_locals`"
)]
pub trait Numbers: Iterator {}

#[diagnostic::do_not_recommend]
impl<R: Iterator> Numbers for R {}

/// Like `local`, for a range that may be exhausted.
pub const fn inclusive_range<T: Durable + PartialOrd>() -> Local<RangeInclusive<T>>
where
    RangeInclusive<T>: Numbers,
{
    Local {
        coding: const {
            &Coding {
                save: save_range::<T>,
                load: load_range::<T>,
                kind: SavedKind::of::<T, (T, T, bool)>(|saved| drop(load_range::<T>(saved))),
            }
        },
    }
}

fn save_range<T: Serialize + PartialOrd>(
    range: &RangeInclusive<T>,
    out: Sink<'_>,
) -> Result<(), SinkError> {
    let (start, end) = (range.start(), range.end());
    let has_ended = range.is_empty() && start <= end;
    (start, end, has_ended).serialize(out)
}

fn load_range<T: Durable>(saved: &mut Reader<'_>) -> Option<RangeInclusive<T>>
where
    RangeInclusive<T>: Numbers,
{
    let (start, end, has_ended) = next_value::<(T, T, bool)>(saved)?;
    let mut range = start..=end;
    if has_ended {
        // Both ends of an exhausted range are its last number.
        range.next();
    }
    Some(range)
}
