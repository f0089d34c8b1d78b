//! The caller's side of the gateway.

use serde::{Deserialize, Serialize};

use super::protocol::KEY_HEADER;
use super::{Answer, Call};

/// Calls a gateway over HTTP. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Gateway {
    http: reqwest::Client,
    url: String,
}

/// Why a call has no answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum CallError {
    /// Nobody answered. The call may have had its effect.
    #[error("the gateway cannot be reached: {0}")]
    Unreachable(String),
    /// The gateway failed. The call may have had its effect.
    #[error("the gateway failed with {0}")]
    Failed(u16),
    /// The gateway does not accept the call, and has done nothing.
    #[error("the gateway refused the call: {0}")]
    Refused(String),
}

impl CallError {
    /// Whether the same call with the same key may get an answer later.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Unreachable(_) | Self::Failed(_))
    }
}

impl Gateway {
    /// A client of the gateway at `url`.
    ///
    /// # Errors
    /// The HTTP client cannot be set up on this machine.
    pub fn new(url: impl Into<String>) -> Result<Self, reqwest::Error> {
        // The gateway is on loopback, where no proxy can reach it.
        let http = reqwest::Client::builder().no_proxy().build()?;
        Ok(Self { http, url: url.into() })
    }

    /// Makes a call. Repeating it with the same key is safe at any time; it waits for an answer as
    /// long as it takes, so the caller sets the limit.
    ///
    /// # Errors
    /// [`CallError`]; [`CallError::is_transient`] says whether to repeat it.
    pub async fn call(&self, key: &str, call: &Call) -> Result<Answer, CallError> {
        let operation = call.operation();
        let body =
            serde_json::to_value(call).map_err(|error| CallError::Refused(error.to_string()))?;
        let response = self
            .http
            .post(format!("{}/{operation}", self.url))
            .header(KEY_HEADER, key)
            .json(&body[operation])
            .send()
            .await
            .map_err(unreachable)?;
        let status = response.status();
        if status.is_server_error() {
            return Err(CallError::Failed(status.as_u16()));
        }
        let text = response.text().await.map_err(unreachable)?;
        match serde_json::from_str(&text) {
            Ok(Answer::Refused { reason }) => Err(CallError::Refused(reason)),
            Ok(answer) => Ok(answer),
            Err(_) => Err(CallError::Refused(format!("{status}: {text}"))),
        }
    }
}

/// The error with its causes: the outermost alone only says that sending failed.
fn unreachable(error: reqwest::Error) -> CallError {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(&error);
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    CallError::Unreachable(text)
}
