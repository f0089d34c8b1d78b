//! Database errors as store errors, classified by code and never by message.

use crate::error::StoreError;

/// The meaning of a database's error code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Retrying may help.
    Retryable,
    /// The database cannot store a value.
    Unstorable,
    /// Any other error.
    Final,
}

/// The error of `operation`; `judge` classifies the database's own codes.
pub(super) fn failed(
    operation: &'static str,
    judge: fn(&str) -> Verdict,
) -> impl Fn(sqlx::Error) -> StoreError + Copy {
    move |error| {
        let verdict = verdict(&error, judge);
        let source = Box::new(error);
        match verdict {
            Verdict::Unstorable => StoreError::Unstorable { operation, source },
            Verdict::Retryable => StoreError::Database { operation, retryable: true, source },
            Verdict::Final => StoreError::Database { operation, retryable: false, source },
        }
    }
}

fn verdict(error: &sqlx::Error, judge: fn(&str) -> Verdict) -> Verdict {
    match error {
        sqlx::Error::Database(error) => error.code().map_or(Verdict::Final, |code| judge(&code)),
        sqlx::Error::Io(_) | sqlx::Error::PoolTimedOut | sqlx::Error::WorkerCrashed => {
            Verdict::Retryable
        }
        _ => Verdict::Final,
    }
}
