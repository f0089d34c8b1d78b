//! An error with its causes, for events.

use std::error::Error as StdError;
use std::fmt;

/// Shows an error and its causes, outermost first, as in `the database failed: connection refused`.
///
/// Errors of piton do not repeat their sources, but those of other crates may; text that was already shown is left
/// out.
pub(crate) fn with_causes(error: &dyn StdError) -> WithCauses<'_> {
    WithCauses(error)
}

/// See [`with_causes`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct WithCauses<'a>(&'a dyn StdError);

impl fmt::Display for WithCauses<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut told = self.0.to_string();
        f.write_str(&told)?;
        let mut next = self.0.source();
        while let Some(cause) = next {
            let text = cause.to_string();
            if !told.ends_with(&text) {
                write!(f, ": {text}")?;
                told = text;
            }
            next = cause.source();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;
    use crate::error::StoreError;

    #[test]
    fn causes_follow_the_error_and_none_is_told_twice() {
        let refused = io::Error::new(io::ErrorKind::ConnectionRefused, "connection refused");
        let source = Box::new(sqlx::Error::Io(refused));
        let error = StoreError::Database { operation: "claim_runs", retryable: true, source };
        assert_eq!(
            with_causes(&error).to_string(),
            "the database failed during `claim_runs`: error communicating with database: \
             connection refused"
        );
        assert_eq!(with_causes(&StoreError::Fenced).to_string(), StoreError::Fenced.to_string());
    }
}
