//! Batched reads of inboxes.
//!
//! Requests that arrive while a statement is running form the next one: a thousand runs that are signaled together
//! take a few statements, not a thousand. There is no artificial delay.

use std::time::Duration;

use sqlx::{FromRow as _, Row as _};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use uuid::Uuid;

use crate::model::RunId;
use crate::store::Inbox;
use crate::store::postgres::lanes::Lanes;
use crate::store::rows::ArrivalRow;
use crate::store::weight::fits;

/// The maximum number of inboxes in one statement, since each may have a page of payloads.
const MAX_BATCH: usize = 250;

/// Rows that do not fit in the response are not read.
const READ: &str = concat!(
    "SELECT place, run_id, seq, CASE WHEN ",
    fits!("sized"),
    " THEN arrival END AS arrival FROM (SELECT place, inbox.*, octet_length(arrival) AS bytes, \
     sum(octet_length(arrival)) OVER (ROWS UNBOUNDED PRECEDING) AS upto \
     FROM unnest($1::uuid[], $2::bigint[], $3::bigint[]) \
     WITH ORDINALITY AS asked (run_id, after, page, place) \
     CROSS JOIN LATERAL (SELECT run_id, seq, arrival FROM piton_inbox \
     WHERE piton_inbox.run_id = asked.run_id AND seq > asked.after \
     ORDER BY seq LIMIT asked.page) AS inbox) AS sized"
);

/// A request to read one inbox.
struct Question {
    run_id: Uuid,
    after: i64,
    limit: u32,
    reply: oneshot::Sender<Inbox>,
}

/// Where inboxes are requested.
#[derive(Debug)]
pub(crate) struct Reads {
    questions: mpsc::UnboundedSender<Question>,
    lanes: Lanes,
    task: JoinHandle<()>,
}

impl Reads {
    /// `patience` is how long the server may take to respond.
    pub(crate) fn start(lanes: Lanes, patience: Duration) -> Self {
        let (questions, receiver) = mpsc::unbounded_channel();
        let task = tokio::spawn(answer_all(lanes.clone(), receiver, patience));
        Self { questions, lanes, task }
    }

    /// The unconsumed arrivals of `run_id` after number `after`, at most `limit`. If a shared statement fails, each
    /// request is repeated alone.
    pub(crate) async fn read(
        &self,
        run_id: RunId,
        after: i64,
        limit: u32,
    ) -> Result<Inbox, sqlx::Error> {
        let question = || {
            let (reply, answer) = oneshot::channel();
            (Question { run_id: run_id.as_uuid(), after, limit, reply }, answer)
        };
        let (shared, answer) = question();
        // If the task is gone, so is the sender of the reply.
        let _ = self.questions.send(shared);
        if let Ok(answer) = answer.await {
            return Ok(answer);
        }
        let (alone, answer) = question();
        answer_some(&self.lanes, vec![alone]).await?;
        answer.await.map_err(|_| sqlx::Error::WorkerCrashed)
    }

    pub(crate) fn close(&self) {
        self.task.abort();
    }
}

impl Drop for Reads {
    fn drop(&mut self) {
        self.close();
    }
}

/// Requests that fail are dropped, which notifies their callers.
async fn answer_all(
    lanes: Lanes,
    mut receiver: mpsc::UnboundedReceiver<Question>,
    patience: Duration,
) {
    let mut batch = Vec::new();
    while !batch.is_empty() || receiver.recv_many(&mut batch, MAX_BATCH).await > 0 {
        match timeout(patience, answer_some(&lanes, std::mem::take(&mut batch))).await {
            Ok(Ok(unanswered)) => batch = unanswered,
            Ok(Err(error)) => tracing::debug!(%error, "inboxes could not be read together"),
            Err(_) => tracing::debug!("the server does not answer"),
        }
    }
}

/// Returns the requests for which the response had no room: never the first.
async fn answer_some(
    lanes: &Lanes,
    questions: Vec<Question>,
) -> Result<Vec<Question>, sqlx::Error> {
    let mut lane = lanes.lane().await?;
    let rows = sqlx::query(READ)
        .bind(questions.iter().map(|asked| asked.run_id).collect::<Vec<_>>())
        .bind(questions.iter().map(|asked| asked.after).collect::<Vec<_>>())
        .bind(questions.iter().map(|asked| i64::from(asked.limit)).collect::<Vec<_>>())
        .fetch_all(lane.get())
        .await?;
    lane.done();
    let mut answers: Vec<Inbox> = questions.iter().map(|_| Inbox::default()).collect();
    for row in &rows {
        let place = usize::try_from(row.try_get::<i64, _>("place")?).unwrap_or_default();
        // Places count from 1.
        let at = place.checked_sub(1);
        let Some((asked, answer)) = at.and_then(|at| questions.get(at).zip(answers.get_mut(at)))
        else {
            continue;
        };
        answer.add(ArrivalRow::from_row(row)?, asked.limit);
    }
    let mut unanswered = Vec::new();
    for (asked, answer) in questions.into_iter().zip(answers) {
        match answer {
            Inbox { arrivals, has_more: true } if arrivals.is_empty() => unanswered.push(asked),
            // The caller may have been dropped.
            answer => drop(asked.reply.send(answer)),
        }
    }
    Ok(unanswered)
}
