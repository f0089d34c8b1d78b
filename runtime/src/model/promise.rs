//! The keys and the outcomes of promises.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Handle, ItemFailure, Payload, QueueItem, RunId, SchemaHash, Timestamp};

/// The prefix of every token; identifies the format.
const PREFIX: &str = "promise1";

/// The owner of a promise's name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum PromiseScope {
    /// One run.
    Run(RunId),
    /// The run that has this workflow id when the promise is completed or awaited: the open one, or else the one
    /// that was started last. If there is none yet, the first run that will have it.
    WorkflowId(String),
    /// All runs of the database.
    Shared,
    /// The key of an item of a queue. Boxed for its size.
    Queue(Box<ItemScope>),
}

/// The scope of a key of an item: each activity has its own keys on each queue.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ItemScope {
    /// The queue.
    pub queue: String,
    /// The stored name of the activity.
    pub activity: String,
}

/// Identifies a promise.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PromiseKey {
    /// The owner of its name.
    pub scope: PromiseScope,
    /// Its name.
    pub name: String,
}

/// Names a promise outside of its run: in a mail, a form, or a request of another service.
///
/// Whoever has the token can complete the promise, see [`Client::promise`](crate::client::Client::promise). The
/// text is stable, contains only characters that need no quoting in a URL, and is not secret, since it is built
/// from its parts. Sign it for links that strangers get.
///
/// ```
/// use piton::model::{PromiseScope, PromiseToken};
///
/// let token = PromiseToken::of_workflow_id("fulfill", "order-42", "approval");
/// assert_eq!(token.to_string(), "promise1.fulfill.id.order-42.approval");
/// let read: PromiseToken = "promise1.fulfill.id.order-42.approval".parse()?;
/// assert_eq!(read.name(), "approval");
/// assert_eq!(*read.scope(), PromiseScope::WorkflowId("order-42".into()));
/// # Ok::<(), piton::model::InvalidPromiseToken>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct PromiseToken {
    workflow: String,
    key: PromiseKey,
}

impl PromiseToken {
    /// The promise with this name of one run.
    pub fn of_run(workflow: impl Into<String>, run_id: RunId, name: impl Into<String>) -> Self {
        Self::new(workflow, PromiseScope::Run(run_id), name)
    }

    /// The promise with this name of the run with this workflow id: the open one, or else the one started last. It
    /// may be completed before such a run exists; the first run with the workflow id then gets it.
    pub fn of_workflow_id(
        workflow: impl Into<String>,
        workflow_id: impl Into<String>,
        name: impl Into<String>,
    ) -> Self {
        Self::new(workflow, PromiseScope::WorkflowId(workflow_id.into()), name)
    }

    /// The promise with this name that all runs of the database share.
    pub fn shared(name: impl Into<String>) -> Self {
        Self::new("", PromiseScope::Shared, name)
    }

    /// The outcome of the item with this key of a queue. `activity` is the activity's stored name.
    pub fn of_item(
        activity: impl Into<String>,
        queue: impl Into<String>,
        key: impl Into<String>,
    ) -> Self {
        let activity = activity.into();
        let of = ItemScope { queue: queue.into(), activity: activity.clone() };
        let scope = PromiseScope::Queue(Box::new(of));
        Self::new(activity, scope, key)
    }

    pub(crate) fn new(
        workflow: impl Into<String>,
        scope: PromiseScope,
        name: impl Into<String>,
    ) -> Self {
        Self { workflow: workflow.into(), key: PromiseKey { scope, name: name.into() } }
    }

    /// The promise for one attempt, named `<name>/<attempt>`. A late answer to an abandoned attempt then does not
    /// complete the promise of the next one.
    #[must_use]
    pub fn for_attempt(mut self, attempt: u32) -> Self {
        self.key.name = format!("{}/{attempt}", self.key.name);
        self
    }

    /// The queue, if the token names an item of one.
    pub fn queue(&self) -> Option<&str> {
        match &self.key.scope {
            PromiseScope::Queue(of) => Some(&of.queue),
            _ => None,
        }
    }

    /// The name of the workflow; for an item of a queue, that of the activity; empty for a shared promise.
    pub fn workflow(&self) -> &str {
        &self.workflow
    }

    /// The owner of its name.
    pub fn scope(&self) -> &PromiseScope {
        &self.key.scope
    }

    /// The run, if the token names one.
    pub fn run_id(&self) -> Option<RunId> {
        match self.key.scope {
            PromiseScope::Run(run_id) => Some(run_id),
            _ => None,
        }
    }

    /// The workflow id, if the token names one.
    pub fn workflow_id(&self) -> Option<&str> {
        match &self.key.scope {
            PromiseScope::WorkflowId(workflow_id) => Some(workflow_id),
            _ => None,
        }
    }

    /// The name of the promise.
    pub fn name(&self) -> &str {
        &self.key.name
    }

    /// The key of the promise.
    pub fn key(&self) -> &PromiseKey {
        &self.key
    }
}

impl fmt::Display for PromiseToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}.{}", Quoted(&self.workflow))?;
        match &self.key.scope {
            PromiseScope::Run(run_id) => write!(f, ".run.{}", run_id.as_uuid().simple())?,
            PromiseScope::WorkflowId(id) => write!(f, ".id.{}", Quoted(id))?,
            PromiseScope::Shared => f.write_str(".shared.")?,
            PromiseScope::Queue(of) => write!(f, ".queue.{}", Quoted(&of.queue))?,
        }
        write!(f, ".{}", Quoted(&self.key.name))
    }
}

/// A text in which every byte is written as `~` and two digits, except letters, digits, `-` and `_`.
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for byte in self.0.bytes() {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' => {
                    write!(f, "{}", char::from(byte))?;
                }
                _ => write!(f, "~{byte:02x}")?,
            }
        }
        Ok(())
    }
}

/// Parses the text written by [`Quoted`].
fn unquoted(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'~' => {
                let mut digit = || char::from(rest.next()?).to_digit(16);
                bytes.push((digit()? * 16 + digit()?) as u8);
            }
            _ => bytes.push(byte),
        }
    }
    String::from_utf8(bytes).ok()
}

impl FromStr for PromiseToken {
    type Err = InvalidPromiseToken;

    fn from_str(text: &str) -> Result<Self, InvalidPromiseToken> {
        let parse = || {
            let parts: Vec<&str> = text.split('.').collect();
            let [PREFIX, workflow, scope, owner, name] = parts[..] else { return None };
            let scope = match scope {
                "run" => PromiseScope::Run(Some(owner).filter(|id| id.len() == 32)?.parse().ok()?),
                "id" => PromiseScope::WorkflowId(unquoted(owner)?),
                "shared" if owner.is_empty() => PromiseScope::Shared,
                "queue" => {
                    let (queue, activity) = (unquoted(owner)?, unquoted(workflow)?);
                    PromiseScope::Queue(Box::new(ItemScope { queue, activity }))
                }
                _ => return None,
            };
            let token = Self::new(unquoted(workflow)?, scope, unquoted(name)?);
            // Each token has one text.
            (token.to_string() == text).then_some(token)
        };
        parse().ok_or(InvalidPromiseToken)
    }
}

impl From<PromiseToken> for String {
    fn from(token: PromiseToken) -> Self {
        token.to_string()
    }
}

impl TryFrom<String> for PromiseToken {
    type Error = InvalidPromiseToken;

    fn try_from(text: String) -> Result<Self, InvalidPromiseToken> {
        text.parse()
    }
}

/// The text is not the token of a promise: it was truncated, changed, or is something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the text is not the token of a promise; use the text of `Promise::token`")]
pub struct InvalidPromiseToken;

/// The outcome of a promise, which never changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum PromiseOutcome {
    /// A value.
    Resolved(Payload),
    /// An error of the type that waiting runs expect.
    Rejected(Payload),
    /// An untyped cause.
    Broken(Cause),
    /// It expired before it was completed.
    Expired,
    /// An item of a queue ended without a return value.
    Failed(ItemFailure),
    /// An outcome that this build cannot read: the row is damaged, or a later build wrote it. It blocks the runs that
    /// await it. Stored, it is the same row again.
    #[serde(skip)]
    Unreadable {
        /// The stored form.
        stored: Vec<u8>,
        /// Why it cannot be read, for people.
        reason: String,
    },
}

impl PromiseOutcome {
    /// The value or error.
    pub fn payload(&self) -> Option<&Payload> {
        match self {
            Self::Resolved(payload) | Self::Rejected(payload) => Some(payload),
            Self::Broken(_) | Self::Expired | Self::Failed(_) | Self::Unreadable { .. } => None,
        }
    }

    /// The kind in one word: `resolved`, `rejected`, `broken`, `expired`, `failed` or `unreadable`.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Resolved(_) => "resolved",
            Self::Rejected(_) => "rejected",
            Self::Broken(_) => "broken",
            Self::Expired => "expired",
            Self::Failed(_) => "failed",
            Self::Unreadable { .. } => "unreadable",
        }
    }
}

/// An untyped reason why a promise has no value, with the chain of its causes.
///
/// ```
/// use piton::model::{Cause, CauseKind};
///
/// let cause = Cause::failure("the payment was refused").because("the card has expired");
/// assert_eq!(cause.kind(), CauseKind::Failure);
/// assert_eq!(cause.to_string(), "the payment was refused: the card has expired");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Cause {
    kind: CauseKind,
    chain: Vec<String>,
}

/// The kind of a [`Cause`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CauseKind {
    /// An expected failure.
    Failure,
    /// A defect of a program.
    Panic,
    /// The program that was to complete the promise was stopped.
    Interruption,
}

impl Cause {
    /// An expected failure.
    pub fn failure(message: impl Into<String>) -> Self {
        Self::new(CauseKind::Failure, message)
    }

    /// A defect of a program.
    pub fn panic(message: impl Into<String>) -> Self {
        Self::new(CauseKind::Panic, message)
    }

    /// The program that was to complete the promise was stopped.
    pub fn interruption(message: impl Into<String>) -> Self {
        Self::new(CauseKind::Interruption, message)
    }

    /// An error with all its sources.
    pub fn of_error(error: &dyn std::error::Error) -> Self {
        let mut cause = Self::failure(error.to_string());
        let mut source = error.source();
        while let Some(error) = source {
            cause.chain.push(error.to_string());
            source = error.source();
        }
        cause
    }

    fn new(kind: CauseKind, message: impl Into<String>) -> Self {
        Self { kind, chain: vec![message.into()] }
    }

    /// Adds the cause of the last message.
    #[must_use]
    pub fn because(mut self, message: impl Into<String>) -> Self {
        self.chain.push(message.into());
        self
    }

    /// The kind.
    pub fn kind(&self) -> CauseKind {
        self.kind
    }

    /// The messages: what went wrong, then the cause of each. At least one.
    pub fn chain(&self) -> &[String] {
        &self.chain
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.chain.join(": "))
    }
}

impl std::error::Error for Cause {}

/// The schemas of a promise's value and error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromiseTypes {
    /// The schema of the value.
    pub resolved: SchemaHash,
    /// The schema of the error.
    pub rejected: SchemaHash,
}

/// An operation of a run on a promise; see [`Message::Promise`](super::Message::Promise).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum PromiseMessage {
    /// The run awaits it with this operation.
    Await {
        /// Which promise.
        token: PromiseToken,
        /// The operation of the run that sends this.
        handle: Handle,
        /// When the promise expires, if it does.
        expires_at: Option<Timestamp>,
        /// The schemas that the run can read.
        types: PromiseTypes,
    },
    /// Withdraws the wait of this operation.
    Forget {
        /// Which promise.
        token: PromiseToken,
        /// The operation of the run that sends this.
        handle: Handle,
    },
    /// Completes it.
    Complete {
        /// Which promise.
        token: PromiseToken,
        /// The outcome, unless the promise already has one.
        outcome: PromiseOutcome,
    },
    /// Adds an item to a queue and awaits its outcome.
    Offer {
        /// The promise of its outcome.
        token: PromiseToken,
        /// The operation of the run that sends this.
        handle: Handle,
        /// The item, unless the queue already has one with the key.
        item: Box<QueueItem>,
    },
    /// The end of an item of a queue. Sent by the store when the item ends, not by a run.
    Finish {
        /// The promise of its outcome.
        token: PromiseToken,
        /// The outcome, unless the promise already has one.
        outcome: PromiseOutcome,
        /// How long the outcome is kept.
        retention: Duration,
    },
    /// An item of a queue that has failed is put on the queue again. The store sends this, in the name of the item.
    Redrive {
        /// The promise of its outcome.
        token: PromiseToken,
        /// The item.
        item: Box<QueueItem>,
        /// How many attempts were begun before.
        attempts: u32,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens() -> [PromiseToken; 5] {
        [
            PromiseToken::of_run("fulfill", RunId::new(), "approval"),
            PromiseToken::of_workflow_id("a.b", "order 42/ü~.", "quote/2"),
            PromiseToken::shared("go"),
            PromiseToken::of_workflow_id("", "", ""),
            PromiseToken::of_item("send", "email", "ada@shop.example:hello"),
        ]
    }

    #[test]
    fn tokens_are_read_as_they_were_written() {
        for token in tokens() {
            let text = token.to_string();
            assert_eq!(text.parse(), Ok(token.clone()), "{text}");
            assert!(
                text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte))
            );
            let json = serde_json::to_string(&token).expect("it is text");
            assert_eq!(serde_json::from_str::<PromiseToken>(&json).ok(), Some(token));
        }
    }

    #[test]
    fn other_texts_are_refused() {
        let [of_run, _, shared, ..] = tokens();
        let text = of_run.to_string();
        for end in 0..text.rfind('.').expect("it has parts") {
            assert_eq!(text[..end].parse::<PromiseToken>(), Err(InvalidPromiseToken), "{end}");
        }
        let with_owner = shared.to_string().replace("..", ".x.");
        let upper = text.to_uppercase();
        for other in [
            "",
            "promise1",
            "promise1....",
            "promise1.a.id.~4.b",
            "promise1.a.id.~41.b",
            &with_owner,
            &upper,
        ] {
            assert_eq!(other.parse::<PromiseToken>(), Err(InvalidPromiseToken), "{other}");
        }
    }

    #[test]
    fn an_attempt_has_a_name_of_its_own() {
        let token = PromiseToken::shared("quote").for_attempt(2);
        assert_eq!(token.name(), "quote/2");
    }

    #[test]
    fn a_cause_has_the_sources_of_an_error() {
        let error = crate::error::Error::msg("the disk is full").context("the order is not saved");
        let error: Box<dyn std::error::Error + Send + Sync> = error.into();
        let cause = Cause::of_error(&*error);
        assert_eq!(cause.chain(), ["the order is not saved", "the disk is full"]);
    }
}
