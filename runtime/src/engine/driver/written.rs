//! Schemas and definitions that must be recorded before the values of a step become visible.

use super::steps::Effects;
use crate::codec;
use crate::engine::recorded::{record_call, until_recorded};
use crate::engine::session::{Host, Session};
use crate::machine::WorkflowEntry;
use crate::model::{Message, Payload, PromiseMessage, SchemaHash};

/// Records the schemas of the values in a step's new state, in its messages and in its answers, so that every
/// reader finds them.
pub(super) async fn record_written(session: &Session, effects: &Effects) {
    let Host { recorded, .. } = &*session.host;
    until_recorded(|| recorded.kept_schemas(&*session.store)).await;
    for payload in effects.replies.iter().filter_map(|new| new.reply.payload()) {
        record_payload(session, payload).await;
    }
    for message in &effects.messages {
        let body = match &message.body {
            Message::ToChild { body, .. } => &**body,
            body => body,
        };
        match body {
            Message::Signal { payload, .. } => record_payload(session, payload).await,
            Message::Start(start) => {
                let is_it = |entry: &&WorkflowEntry| {
                    entry.name == start.workflow && entry.definition().hash() == start.definition
                };
                // This process has made the step that starts it.
                if let Some(entry) = WorkflowEntry::all().find(is_it) {
                    record_call(session, entry, &start.arguments).await;
                }
            }
            Message::Promise(message) => match &**message {
                PromiseMessage::Complete { outcome, .. } => {
                    if let Some(payload) = outcome.payload() {
                        record_payload(session, payload).await;
                    }
                }
                PromiseMessage::Await { types, .. } => {
                    record_schema(session, types.resolved).await;
                    record_schema(session, types.rejected).await;
                }
                PromiseMessage::Forget { .. }
                | PromiseMessage::Offer { .. }
                | PromiseMessage::Finish { .. } => {}
            },
            Message::Cancel { .. }
            | Message::ToChild { .. }
            | Message::AwaitChild { .. }
            | Message::Closed => {}
        }
    }
}

async fn record_payload(session: &Session, payload: &Payload) {
    if let Some(hash) = codec::schema_of(payload) {
        record_schema(session, hash).await;
    }
}

async fn record_schema(session: &Session, hash: SchemaHash) {
    until_recorded(|| session.host.recorded.schema(&*session.store, hash)).await;
}
