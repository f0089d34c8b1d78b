//! The effects of steps: a file for each kind of [effect](crate::store::Effect).
//!
//! All effects of a kind, of all steps of a commit, are written by one statement. They touch only rows of the
//! steps' own runs.

pub(super) mod attributes;
pub(super) mod enqueue;
pub(crate) mod give_up;
mod history;
mod pause;
mod reply;
pub(super) mod send;
mod set_aside;

use sqlx::PgConnection;

use super::PostgresStore;
use crate::store::ActivityKey;
use crate::store::effects::Effects;

/// The notifications to send for committed effects.
#[derive(Default)]
pub(crate) struct Told {
    queues: Vec<String>,
    given_up: Vec<ActivityKey>,
}

impl Told {
    pub(crate) fn announce(self, store: &PostgresStore) {
        self.queues.iter().for_each(|queue| store.news.queued(queue));
        self.given_up.into_iter().for_each(|key| store.news.given_up(key));
    }
}

/// Writes the effects of these committed steps.
pub(crate) async fn write(
    connection: &mut PgConnection,
    store: &PostgresStore,
    effects: &Effects<'_>,
) -> Result<Told, sqlx::Error> {
    let mut told = Told::default();
    if !effects.enqueued.is_empty() {
        enqueue::write(connection, store.given_time(), &effects.enqueued).await?;
        let queues = effects.enqueued.iter().map(|(_, activity)| activity.queue.clone());
        told.queues = queues.collect();
        told.queues.sort_unstable();
        told.queues.dedup();
    }
    if !effects.given_up.is_empty() {
        told.given_up = give_up::write(connection, &effects.given_up).await?;
    }
    if !effects.sent.is_empty() {
        send::write(connection, store.given_time(), &effects.sent).await?;
    }
    if !effects.set_aside.is_empty() {
        set_aside::write(connection, store.given_time(), &effects.set_aside).await?;
    }
    if !effects.replied.is_empty() {
        reply::write(connection, store.given_time(), &effects.replied).await?;
    }
    if !effects.attributes.is_empty() {
        attributes::write(connection, &effects.attributes).await?;
    }
    if !effects.memos.is_empty() {
        attributes::write_memos(connection, &effects.memos).await?;
    }
    if !effects.paused.is_empty() {
        pause::write(connection, &effects.paused).await?;
    }
    if !effects.kept.is_empty() {
        history::write(connection, store.given_time(), &effects.kept).await?;
    }
    Ok(told)
}
