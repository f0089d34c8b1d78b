//! The operations that programs await, for both lowerings, and what they trace.

use std::cell::{Cell, RefCell};

use piton::machine::ActivityError;
use serde::{Deserialize, Serialize};

thread_local! {
    static TRACE: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// Notes that a program has come to a place.
pub(crate) fn trace(event: impl std::fmt::Display) {
    TRACE.with_borrow_mut(|trace| trace.push(event.to_string()));
}

/// As [`trace`], in an expression: `seen(x)` is `x`.
pub(crate) fn seen<T: std::fmt::Debug>(value: T) -> T {
    trace(format_args!("seen {value:?}"));
    value
}

/// What has been traced since the last call.
pub(crate) fn take_trace() -> Vec<String> {
    TRACE.take()
}

/// Puts a trace back.
pub(crate) fn set_trace(trace: Vec<String>) {
    TRACE.set(trace);
}

/// The error of [`values::checked`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Fault(pub(crate) i64);

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "fault {}", self.0)
    }
}

impl std::error::Error for Fault {}

/// An error that programs return.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Broken(pub(crate) String);

impl std::fmt::Display for Broken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<ActivityError<Fault>> for Broken {
    fn from(error: ActivityError<Fault>) -> Self {
        Self(format!("{error:?}"))
    }
}

impl From<piton::Error> for Broken {
    fn from(error: piton::Error) -> Self {
        Self(error.to_string())
    }
}

/// A value whose drops are traced. A value that was written into a state lives on there, so its
/// drop is not one.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Noisy {
    name: String,
    #[serde(serialize_with = "note_saved", skip_deserializing)]
    saved: Cell<bool>,
}

fn note_saved<S: serde::Serializer>(saved: &Cell<bool>, serializer: S) -> Result<S::Ok, S::Error> {
    saved.set(true);
    serializer.serialize_unit()
}

impl Noisy {
    pub(crate) fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), saved: Cell::new(false) }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}

impl Drop for Noisy {
    fn drop(&mut self) {
        if !self.saved.get() {
            trace(format_args!("drop {}", self.name));
        }
    }
}

/// What the operations give.
pub(crate) mod values {
    use super::Fault;

    pub(crate) fn step(n: i64) -> i64 {
        n * 10 + 1
    }

    pub(crate) fn text(n: i64) -> String {
        format!("<{n}>")
    }

    pub(crate) fn flag(n: i64) -> bool {
        n % 2 == 0
    }

    pub(crate) fn list(n: i64) -> Vec<i64> {
        (0..n).map(|i| i * i).collect()
    }

    pub(crate) fn maybe(n: i64) -> Option<i64> {
        (n >= 0).then_some(n + 100)
    }

    pub(crate) fn pair(n: i64) -> (i64, String) {
        (n, text(n))
    }

    pub(crate) fn checked(n: i64) -> Result<i64, Fault> {
        if n < 0 { Err(Fault(n)) } else { Ok(n + 1) }
    }
}

/// Calls `$body!` for every operation.
macro_rules! for_each_operation {
    ($body:ident) => {
        $body! {
            step(n: i64) -> i64;
            text(n: i64) -> String;
            flag(n: i64) -> bool;
            list(n: i64) -> Vec<i64>;
            maybe(n: i64) -> Option<i64>;
            pair(n: i64) -> (i64, String);
        }
    };
}
pub(crate) use for_each_operation;

/// The signal that programs wait for.
#[derive(Debug, PartialEq, Serialize, Deserialize, piton::Signal)]
pub(crate) struct Approve {
    pub(crate) by: String,
}

impl Approve {
    pub(crate) fn mock() -> Self {
        Self { by: "alice".into() }
    }
}
