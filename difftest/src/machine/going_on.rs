//! Continuing a machine within a step, when an inline workflow has ended at once.
//!
//! A machine leaves its code there as at any await, so the locals that are not used again are dropped.
//! piton tells of it in a trace event.

use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::with_default;
use tracing::{Event, Metadata, Subscriber};

use crate::record;

/// The module of piton that makes steps of a machine and of those within it.
const TARGET: &str = "piton::machine::branches";

/// Runs `run`, and records where machines continue.
pub(super) fn recorded<T>(run: impl FnOnce() -> T) -> T {
    with_default(GoingOn, run)
}

struct GoingOn;

impl Subscriber for GoingOn {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && metadata.target() == TARGET
    }

    fn event(&self, _: &Event<'_>) {
        record::parked();
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}
