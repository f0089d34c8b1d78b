//! Plain data of the engine: ids, statuses, policies and the contents of a snapshot.
//!
//! Invariant: this module does no I/O and knows neither tokio, sqlx nor a particular store.

pub(crate) mod attributes;
mod cron;
mod ending;
pub(crate) mod finding;
mod graph;
mod ids;
mod item;
mod kin;
mod memo;
mod message;
mod new_terms;
mod operation;
mod payload;
mod promise;
mod retry;
mod snapshot;
mod stable_hash;
mod status;
mod terms;
#[cfg(feature = "engine")]
mod text;
mod time;
mod token;
mod unfit_start;
mod update;
mod wait;

pub use attributes::{
    AttributeChanges, AttributeError, AttributeMap, AttributeValue, Attributes, IntoAttribute,
    MAX_ATTRIBUTE_NAME, MAX_ATTRIBUTES, MAX_KEYWORD_BYTES, MAX_KEYWORDS, MAX_TEXT_BYTES,
    RESERVED_ATTRIBUTE_NAMES,
};
pub use cron::Cron;
pub use ending::{Compensating, Ending, FailedCompensation};
pub use finding::{Difference, Finding};
pub use graph::{
    AwaitKind, BorrowNode, BranchNode, Edge, Graph, Node, Place, SavedLocal, SavedLocals,
};
#[cfg(feature = "engine")]
pub(crate) use graph::{is_zero, loop_variable};
pub use ids::{DefinitionHash, Epoch, Handle, RunId, SchemaHash, StepNo, WorkerId};
pub use item::{ItemFailure, QueueItem, TimeoutKind};
pub use kin::{ChildEnd, ChildOptions, ChildStart, Link, ParentClose};
pub use memo::Memo;
pub use message::{Message, OutgoingMessage};
pub(crate) use new_terms::NewTerms;
pub use operation::{
    ActivityOperation, AttemptFailure, AwaitedToken, Compensation, Operation, PromiseWait,
};
pub use payload::{Encoding, Payload};
pub(crate) use payload::{as_bytes, in_one_piece};
pub use promise::{
    Cause, CauseKind, InvalidPromiseToken, ItemScope, PromiseKey, PromiseMessage, PromiseOutcome,
    PromiseScope, PromiseToken, PromiseTypes,
};
pub use retry::RetryPolicy;
pub(crate) use retry::pause_after_interruptions;
pub use snapshot::Snapshot;
pub(crate) use stable_hash::StableHash;
pub use status::{BlockedReason, RunStatus};
pub use terms::{OnTimeout, Terms, TimeoutClock, WorkflowRetry};
#[cfg(feature = "engine")]
pub(crate) use text::recorded;
pub use time::{ParseTimestampError, Timestamp, days, hours, minutes, seconds};
pub use token::{ActivityToken, InvalidToken};
pub use unfit_start::UnfitStart;
pub use update::{NewReply, UpdateReply};
pub use wait::{Came, Outcomes, Wait};
