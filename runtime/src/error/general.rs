//! The general error type, for workflows, activities and programs without an error type of their own.

use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::hidden::Hidden;
use crate::machine::{Retryable, is_by_request};

/// `Result` with piton's [`Error`] as the default error.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Any error, as text that survives being stored.
///
/// `?` converts every [`std::error::Error`] to it. When stored, it keeps its message and those of its causes. The
/// original error is available, by [`Error::downcast_ref`], only in the process that created it.
///
/// Like `anyhow::Error`, it does not implement [`std::error::Error`] itself. `?` converts it to a `Box<dyn
/// std::error::Error>` and, with the feature `anyhow`, to an `anyhow::Error`; [`Error::boxed`] converts those back.
///
/// ```
/// fn check(cents: u64) -> piton::Result<()> {
///     piton::ensure!(cents > 0, "nothing to pay");
///     Ok(())
/// }
///
/// fn main() -> Result<(), Box<dyn std::error::Error>> {
///     check(100)?;
///     Ok(())
/// }
/// ```
pub struct Error(Box<dyn Hidden<Inner> + Send + Sync>);

struct Inner {
    /// The message, then those of its causes, outermost first; never empty.
    messages: Vec<String>,
    source: Option<Box<dyn StdError + Send + Sync>>,
    /// Whether and when to retry, as long as it is not stored.
    is_permanent: bool,
    try_again_after: Option<Duration>,
    /// Whether a request to cancel caused it; unknown after it was stored.
    is_cancellation: Option<bool>,
}

impl Error {
    /// An error with this message.
    pub fn msg(message: impl fmt::Display) -> Self {
        let mut error = Self::new(vec![message.to_string()], None);
        error.inner_mut().is_cancellation = Some(false);
        error
    }

    /// Adds a message in front, which says what was being done.
    #[must_use]
    pub fn context(mut self, message: impl fmt::Display) -> Self {
        self.inner_mut().messages.insert(0, message.to_string());
        self
    }

    /// Marks the error as final: the activity that returns it is not retried.
    #[must_use]
    pub fn permanent(mut self) -> Self {
        self.inner_mut().is_permanent = true;
        self
    }

    /// Sets the wait before the next attempt of the activity that returns this error, instead of the wait of its
    /// retry policy.
    #[must_use]
    pub fn try_again_after(mut self, wait: Duration) -> Self {
        self.inner_mut().try_again_after = Some(wait);
        self
    }

    /// Converts errors that `?` cannot convert: a boxed error, or an `anyhow::Error`.
    ///
    /// ```
    /// # fn read_settings() -> Result<u32, Box<dyn std::error::Error + Send + Sync>> { Ok(1) }
    /// # fn settings() -> piton::Result<u32> {
    /// let settings = read_settings().map_err(piton::Error::boxed)?;
    /// # Ok(settings)
    /// # }
    /// ```
    pub fn boxed(error: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self::of_box(error.into())
    }

    /// A separate function, because generic code is compiled for each error type.
    fn of_box(error: Box<dyn StdError + Send + Sync>) -> Self {
        let messages = chain(&*error).collect();
        let is_cancellation = is_by_request(&*error);
        let mut error = Self::new(messages, Some(error));
        error.inner_mut().is_cancellation = Some(is_cancellation);
        error
    }

    fn new(messages: Vec<String>, source: Option<Box<dyn StdError + Send + Sync>>) -> Self {
        Self(Box::new(Inner {
            messages,
            source,
            is_permanent: false,
            try_again_after: None,
            is_cancellation: None,
        }))
    }

    fn inner(&self) -> &Inner {
        (*self.0).reveal()
    }

    fn inner_mut(&mut self) -> &mut Inner {
        (*self.0).reveal_mut()
    }

    /// Whether a request to cancel its run caused it; `None` after it was stored.
    pub(crate) fn is_cancellation(&self) -> Option<bool> {
        self.inner().is_cancellation
    }

    /// The messages, outermost first.
    pub fn chain(&self) -> impl Iterator<Item = &str> {
        self.inner().messages.iter().map(String::as_str)
    }

    /// The original error, if it is an `E` and was not stored since.
    pub fn downcast_ref<E: StdError + 'static>(&self) -> Option<&E> {
        self.inner().source.as_deref()?.downcast_ref()
    }
}

impl<E: StdError + Send + Sync + 'static> From<E> for Error {
    fn from(error: E) -> Self {
        Self::of_box(Box::new(error))
    }
}

/// The messages of an error and of its causes, outermost first.
fn chain(error: &dyn StdError) -> impl Iterator<Item = String> {
    std::iter::successors(Some(error), |&error| error.source()).map(ToString::to_string)
}

/// An [`Error`] or one of its causes as a [`std::error::Error`].
#[derive(Debug)]
struct Link {
    message: String,
    cause: Option<Box<Self>>,
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl StdError for Link {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.cause.as_deref().map(|cause| cause as _)
    }
}

impl From<Error> for Link {
    fn from(mut error: Error) -> Self {
        let mut messages = std::mem::take(&mut error.inner_mut().messages).into_iter().rev();
        let innermost = Self { message: messages.next().unwrap_or_default(), cause: None };
        messages.fold(innermost, |cause, message| Self { message, cause: Some(Box::new(cause)) })
    }
}

/// Keeps the messages, not the original.
impl From<Error> for Box<dyn StdError + Send + Sync> {
    fn from(error: Error) -> Self {
        Box::new(Link::from(error))
    }
}

/// Keeps the messages, not the original.
impl From<Error> for Box<dyn StdError> {
    fn from(error: Error) -> Self {
        Box::new(Link::from(error))
    }
}

/// Keeps the messages, not the original.
#[cfg(feature = "anyhow")]
impl From<Error> for anyhow::Error {
    fn from(error: Error) -> Self {
        Self::new(Link::from(error))
    }
}

impl Retryable for Error {
    fn is_retryable(&self) -> bool {
        !self.inner().is_permanent
    }

    fn retry_after(&self) -> Option<Duration> {
        self.inner().try_again_after
    }
}

/// The message; `{:#}` adds the causes, separated by colons.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if f.alternate() {
            f.write_str(&self.inner().messages.join(": "))
        } else {
            f.write_str(&self.inner().messages[0])
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.inner().messages[0])?;
        for cause in &self.inner().messages[1..] {
            write!(f, "\n  caused by: {cause}")?;
        }
        Ok(())
    }
}

impl PartialEq for Error {
    fn eq(&self, other: &Self) -> bool {
        self.inner().messages == other.inner().messages
    }
}

impl Serialize for Error {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        self.inner().messages.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Error {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let mut messages = Vec::<String>::deserialize(deserializer)?;
        if messages.is_empty() {
            messages.push(String::new());
        }
        Ok(Self::new(messages, None))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn question_mark_keeps_the_causes_and_the_original() {
        let error = Error::from(std::io::Error::other("disk on fire")).context("saving the order");
        assert_eq!(error.to_string(), "saving the order");
        assert_eq!(format!("{error:#}"), "saving the order: disk on fire");
        assert!(error.downcast_ref::<std::io::Error>().is_some());
    }

    #[test]
    fn a_boxed_error_comes_and_goes_with_its_causes() {
        let error = Error::from(std::io::Error::other("disk on fire")).context("saving the order");
        let boxed: Box<dyn StdError + Send + Sync> = error.into();
        assert_eq!(boxed.to_string(), "saving the order");
        assert_eq!(boxed.source().map(ToString::to_string).as_deref(), Some("disk on fire"));
        assert_eq!(format!("{:#}", Error::boxed(boxed)), "saving the order: disk on fire");
    }

    #[cfg(feature = "anyhow")]
    #[test]
    fn anyhow_shows_the_causes_too() {
        let anyhow = anyhow::Error::from(Error::msg("disk on fire").context("saving the order"));
        assert_eq!(format!("{anyhow:#}"), "saving the order: disk on fire");
        assert_eq!(format!("{:#}", Error::boxed(anyhow)), "saving the order: disk on fire");
    }

    #[test]
    fn a_stored_error_keeps_its_messages() {
        let error = Error::msg("inner").context("outer");
        let stored = serde_json::to_string(&error).expect("plain text");
        let read: Error = serde_json::from_str(&stored).expect("just written");
        assert_eq!(read, error);
    }
}
