//! Attempts whose writes are committed together with their outcome.
//!
//! The attempt runs in a transaction of the store. If its function succeeds, the outcome is put into the run's
//! inbox in the same transaction, under the guard of every write of an owner, so the activity's writes and the
//! outcome are committed together or not at all. The group committer writes the step that consumes the outcome as
//! any other step; it does not wait for activities. Any failure rolls the transaction back.

use std::any::Any;

use tokio::time::{Instant, timeout_at};

use super::attempt::{Attempt, panicked};
use crate::activities::transaction::{ConnectionKind, Lent};
use crate::activities::{ActivityContext, ActivityInfo, ActivityReport};
use crate::engine::backoff::Backoff;
use crate::engine::clock::after;
use crate::engine::events::attempt_event;
use crate::engine::panics::caught;
use crate::engine::retry::{AttemptResult, Panic};
use crate::engine::session::Session;
use crate::error::{StoreError, with_causes};
use crate::failpoints;
use crate::machine::{OperationOutcome, TimeoutKind};
use crate::model::Payload;
use crate::store::{ActivityTransaction, ArrivalKind, ArrivalOutcome, NewArrival};

/// The transaction, while the activity has its connection.
struct Borrowed(Box<dyn ActivityTransaction>);

impl Lent for Borrowed {
    fn connection(&mut self) -> &mut (dyn Any + Send) {
        self.0.connection()
    }
}

impl Attempt {
    /// Makes the attempt in a transaction.
    pub(super) async fn run_in_transaction(mut self, kind: ConnectionKind) -> AttemptResult {
        let (deadline, session, entry) = (self.deadline, self.session.clone(), self.entry);
        let begin = async {
            let places = session.host.slots.take(self.entry).await;
            (places, begin(&session, self.context.info()).await)
        };
        let start_by = self.start_by.into_iter().chain(deadline).min();
        let Some((mut places, begun)) = until(start_by, begin).await else {
            return AttemptResult::TimedOut(match start_by == deadline {
                true => TimeoutKind::ScheduleToClose,
                false => TimeoutKind::ScheduleToStart,
            });
        };
        let transaction = match begun {
            Ok(mut transaction) => {
                if (*transaction.connection()).type_id() != (kind.type_id)() {
                    let wanted = (kind.type_name)();
                    return AttemptResult::Unusable(format!(
                        "it writes through a `{wanted}`, and the worker's database is of another \
                         kind"
                    ));
                }
                transaction
            }
            Err(error) => return AttemptResult::Unusable(error.to_string()),
        };
        let Some(began) = self.begin_in_turn().await else { return AttemptResult::Lost };
        places.begin(session.lease().worker_id, &self.context);
        let context = self.context.clone();
        let limit = self.start_to_close.map(|limit| after(began, limit));
        let first = limit.into_iter().chain(deadline).min();
        let (link, heartbeat) = (self.link.clone(), self.heartbeat);
        let ended = tokio::select! {
            biased;
            ended = until(first, self.lend(transaction)) => ended,
            () = link.silence(heartbeat, began) => {
                return AttemptResult::TimedOut(TimeoutKind::Heartbeat);
            }
        };
        let Some(ended) = ended else {
            let late = deadline.is_some_and(|deadline| Some(deadline) == first);
            return AttemptResult::TimedOut(match late {
                true => TimeoutKind::ScheduleToClose,
                false => TimeoutKind::StartToClose,
            });
        };
        failpoints::hit("after_activity");
        match ended {
            Ok((Ok(ActivityReport { returned, error: None }), transaction)) => {
                let result = commit(&session, &context, transaction, returned).await;
                failpoints::hit("after_activity_commit");
                result
            }
            Ok((reported, transaction)) => {
                if let Err(error) = transaction.roll_back().await {
                    let info = context.info();
                    attempt_event!(
                        warn,
                        info,
                        error = %with_causes(&error),
                        "the connection of an activity was lost"
                    );
                }
                AttemptResult::Reported(reported)
            }
            Err(message) => panicked(entry, message),
        }
    }

    /// Runs the function with the connection, and returns the transaction. If the function does not complete, the
    /// transaction is dropped with it.
    async fn lend(self, transaction: Box<dyn ActivityTransaction>) -> Ended {
        self.context.desk().put(Box::new(Borrowed(transaction)));
        let context = self.context.clone();
        let call = async move { self.entry.run(&self.context, &self.arguments).await };
        let reported = caught(call).await?;
        let lent: Box<dyn Any> = context.desk().take().expect("the function has put it back");
        let Borrowed(transaction) = *lent.downcast().expect("it is what was lent");
        Ok((reported, transaction))
    }
}

/// The function's result and its transaction, or the panic that ended both.
type Ended = Result<
    (Result<ActivityReport, crate::codec::CodecError>, Box<dyn ActivityTransaction>),
    String,
>;

/// Waits for `work`, at most until `deadline`.
async fn until<T>(deadline: Option<Instant>, work: impl Future<Output = T>) -> Option<T> {
    match deadline {
        Some(deadline) => timeout_at(deadline, work).await.ok(),
        None => Some(work.await),
    }
}

async fn begin(
    session: &Session,
    info: &ActivityInfo,
) -> Result<Box<dyn ActivityTransaction>, StoreError> {
    let mut backoff = Backoff::default();
    loop {
        match session.store.begin_activity().await {
            // All other errors are the database's and can be retried.
            Err(StoreError::NoTransactions) => return Err(StoreError::NoTransactions),
            Err(error) => {
                attempt_event!(
                    again(&error),
                    info,
                    "no transaction could be begun for an activity yet"
                );
                backoff.wait().await;
            }
            begun => return begun,
        }
    }
}

async fn commit(
    session: &Session,
    context: &ActivityContext,
    transaction: Box<dyn ActivityTransaction>,
    returned: Payload,
) -> AttemptResult {
    let info = context.info();
    let outcome = OperationOutcome::Returned(returned);
    let kind = ArrivalKind::Outcome { handle: info.handle, outcome: outcome.clone() };
    let owner = Some(session.lease());
    let arrival = NewArrival { run_id: info.run_id, kind, dedup_key: None, owner };
    match transaction.commit(arrival).await {
        Ok(ArrivalOutcome::Accepted { seq }) => AttemptResult::Committed { seq, outcome },
        Ok(_) => AttemptResult::Lost,
        Err(error) if error.is_retryable() => {
            attempt_event!(
                warn,
                info,
                error = %with_causes(&error),
                "it is not known whether an activity was committed"
            );
            let mut backoff = Backoff::default();
            // When this returns, the transaction has ended; the inbox has the result.
            loop {
                backoff.wait().await;
                match session.store.settle_run(info.run_id).await {
                    Ok(()) => return AttemptResult::Uncertain,
                    Err(error) => {
                        attempt_event!(again(&error), info, "the database does not answer yet")
                    }
                }
            }
        }
        // For example a constraint that is checked at the end of the transaction.
        Err(error) => {
            let error = crate::Error::from(error);
            let message = format!("its transaction could not be committed: {error:#}");
            AttemptResult::Panicked(Panic { message, is_final: true })
        }
    }
}
