//! Database errors as store errors, judged by code and never by message.

use crate::error::StoreError;

/// Makes the error of `operation`; `by_code` judges the database's own codes.
pub(super) fn failed(
    operation: &'static str,
    by_code: fn(&str) -> bool,
) -> impl Fn(sqlx::Error) -> StoreError + Copy {
    move |source| StoreError::Database {
        operation,
        retryable: is_retryable(&source, by_code),
        source,
    }
}

fn is_retryable(error: &sqlx::Error, by_code: fn(&str) -> bool) -> bool {
    match error {
        sqlx::Error::Database(error) => error.code().is_some_and(|code| by_code(&code)),
        sqlx::Error::Io(_) | sqlx::Error::PoolTimedOut | sqlx::Error::WorkerCrashed => true,
        _ => false,
    }
}
