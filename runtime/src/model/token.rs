//! Tokens: the right to end one attempt of an activity, as text.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{Handle, RunId};

/// Names one attempt of one activity. Whoever has the token can complete or fail the attempt, see
/// [`Client::complete_activity`](crate::client::Client::complete_activity), so pass it only to those who should.
/// The text is stable; its content is an implementation detail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct ActivityToken {
    /// The run.
    pub(crate) run_id: RunId,
    /// The activity.
    pub(crate) handle: Handle,
    /// The attempt, from 1.
    pub(crate) attempt: u32,
}

/// The prefix of every token; identifies the format.
const PREFIX: &str = "piton1";

impl fmt::Display for ActivityToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let run_id = self.run_id.as_uuid();
        write!(f, "{PREFIX}-{}-{:x}-{:x}", run_id.simple(), self.handle.0, self.attempt)
    }
}

impl From<ActivityToken> for String {
    fn from(token: ActivityToken) -> Self {
        token.to_string()
    }
}

impl TryFrom<String> for ActivityToken {
    type Error = InvalidToken;

    fn try_from(text: String) -> Result<Self, InvalidToken> {
        text.parse()
    }
}

impl FromStr for ActivityToken {
    type Err = InvalidToken;

    fn from_str(text: &str) -> Result<Self, InvalidToken> {
        let parse = || {
            let mut parts = text.split('-');
            let is_ours = parts.next() == Some(PREFIX);
            let run_id = parts.next().filter(|id| id.len() == 32)?.parse().ok()?;
            let handle = Handle(u64::from_str_radix(parts.next()?, 16).ok()?);
            let attempt = u32::from_str_radix(parts.next()?, 16).ok()?;
            (is_ours && parts.next().is_none()).then_some(Self { run_id, handle, attempt })
        };
        parse().ok_or(InvalidToken)
    }
}

/// The text is not the token of an activity: it was truncated, changed, or is something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the text is not the token of an activity; use the text of `ActivityContext::token`")]
pub struct InvalidToken;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_read_as_they_were_written() {
        let token = ActivityToken { run_id: RunId::new(), handle: Handle(300), attempt: 17 };
        let text = token.to_string();
        assert_eq!(text.parse(), Ok(token));
        let json = serde_json::to_string(&token).expect("it is text");
        assert_eq!(json, format!("\"{text}\""));
        assert_eq!(serde_json::from_str::<ActivityToken>(&json).ok(), Some(token));
    }

    #[test]
    fn other_texts_are_refused() {
        let token = ActivityToken { run_id: RunId::new(), handle: Handle(1), attempt: 1 };
        let text = token.to_string();
        for end in 0..text.len() - 1 {
            assert_eq!(text[..end].parse::<ActivityToken>(), Err(InvalidToken), "{end}");
        }
        for other in ["", "-", "piton1---", "order-42", &format!("{text}-1"), &text[1..]] {
            assert_eq!(other.parse::<ActivityToken>(), Err(InvalidToken), "{other}");
        }
    }
}
