//! Errors in the text of a filter.

use std::fmt;

/// Why a text is not a filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilterError {
    /// Line and column of the place, from 1.
    place: Option<(u64, u64)>,
    message: String,
    help: Option<String>,
}

impl FilterError {
    pub(super) fn new(place: Option<(u64, u64)>, message: impl Into<String>) -> Self {
        Self { place, message: message.into(), help: None }
    }

    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The line and the column of the error, each from 1; `None` if it concerns the whole text.
    pub fn place(&self) -> Option<(u64, u64)> {
        self.place
    }

    /// A replacement, if one is known.
    pub fn hint(&self) -> Option<&str> {
        self.help.as_deref()
    }
}

impl fmt::Display for FilterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Some((1, column)) => write!(f, "column {column}: ")?,
            Some((line, column)) => write!(f, "line {line}, column {column}: ")?,
            None => {}
        }
        f.write_str(&self.message)?;
        match &self.help {
            Some(help) => write!(f, "; {help}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for FilterError {}
