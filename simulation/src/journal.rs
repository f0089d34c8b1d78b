//! The events of a simulation in order, as text.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use tokio::time::Instant;

/// Events with the virtual time at which they happened. Costs nothing unless it is kept.
#[derive(Debug)]
pub(crate) struct Journal {
    began: Instant,
    lines: Option<Mutex<String>>,
}

impl Journal {
    pub(crate) fn new(is_kept: bool) -> Self {
        Self { began: Instant::now(), lines: is_kept.then(Mutex::default) }
    }

    /// Notes an event of `who`.
    pub(crate) fn note(&self, who: &str, event: fmt::Arguments<'_>) {
        if let Some(lines) = &self.lines {
            let at = self.began.elapsed().as_secs_f64();
            let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
            lines.push_str(&format!("{at:>10.3}  {who:<6} {event}\n"));
        }
    }

    /// All events, one a line.
    pub(crate) fn text(&self) -> String {
        self.lines
            .as_ref()
            .map(|lines| lines.lock().unwrap_or_else(PoisonError::into_inner).clone())
            .unwrap_or_default()
    }
}
