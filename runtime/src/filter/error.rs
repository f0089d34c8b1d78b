//! Errors in the text of a filter.

use std::fmt;

/// Why a text is no filter.
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

    /// The line and the column, each counted from 1, of the place in the text; `None` if it is the text as a whole.
    pub fn place(&self) -> Option<(u64, u64)> {
        self.place
    }

    /// What to write in its place, if that can be told.
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
