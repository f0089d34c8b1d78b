//! The rules for ids and keys, and their errors.

#[cfg(feature = "engine")]
use crate::store::RESERVED_KEYS;

/// Why a text cannot be a workflow id or a dedup key. Trying again does not help.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// As a workflow id, it would be the same for all runs, and as a dedup key, for all messages. Most often the
    /// value from which it is built is missing.
    #[error("it is empty: use a text that identifies its subject")]
    Empty,
    /// Databases store keys in indexes, whose entries are limited.
    #[error("it has {length} bytes; the limit is 1,000: use a shorter text, or a hash of it")]
    TooLong {
        /// Its length in bytes.
        length: usize,
    },
    /// Postgres cannot store this character in a text.
    #[error("it contains the character NUL, which databases cannot store: remove it")]
    Nul,
    /// piton itself uses dedup keys with this prefix, for tokens of activities.
    #[error("it begins with `piton:`, as piton's own keys do: put something else before it")]
    Reserved,
}

impl KeyError {
    /// The maximum length of a key. An index entry of Postgres has room for 2,704 bytes.
    const LONGEST: usize = 1_000;

    /// Checks a key.
    pub(crate) fn check(key: &str) -> Result<(), Self> {
        if key.is_empty() {
            return Err(Self::Empty);
        }
        if key.len() > Self::LONGEST {
            return Err(Self::TooLong { length: key.len() });
        }
        if key.contains('\0') { Err(Self::Nul) } else { Ok(()) }
    }

    /// Checks a dedup key.
    #[cfg(feature = "engine")]
    pub(crate) fn check_dedup(key: &str) -> Result<(), Self> {
        Self::check(key)?;
        if key.starts_with(RESERVED_KEYS) { Err(Self::Reserved) } else { Ok(()) }
    }
}
