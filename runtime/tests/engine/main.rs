//! The engine over the in-memory store, on virtual time.

#![allow(missing_docs, unreachable_pub, clippy::unwrap_used)]

mod activities;
mod rig;
mod workflows;

mod blocked;
mod cancelling;
mod child_options;
mod children;
mod closing;
mod commits;
mod compensations;
mod contexts;
mod crons;
mod deep_values;
mod events;
mod extremes;
mod fan_out;
mod faults;
mod finding;
mod generics;
mod guards;
mod heartbeats;
mod id_policies;
mod limits;
mod long_answers;
mod lost_claims;
mod messages;
mod methods;
mod once;
mod outstanding;
mod panics;
mod pauses;
mod promises;
mod queries;
mod queue_items;
mod queue_limits;
mod queues;
mod relaxed;
mod retention;
mod retries;
mod signals;
mod stuck;
mod suspects;
mod time_limits;
mod timeouts;
mod tokens;
mod tokens_without_queues;
mod transactions;
mod updates;
mod workers;
mod workflow_retries;
