//! The arguments with which runs are still to begin: those of runs that have not begun, of children that are still to be
//! started, and of runs that are followed by others of their chain.

use crate::client::Client;
use crate::engine::backoff::patiently;
use crate::engine::evolution::learn_schemas_of;
use crate::error::StoreError;
use crate::machine::frame::take_apart;
use crate::model::{BlockedReason, ChildStart, Message, Payload, RunId, Snapshot, UnfitStart};

/// Why a start does not fit, and whether that is certain.
pub(super) type Judged = Result<(), (UnfitStart, bool)>;

/// The arguments of a run that has not begun.
pub(super) fn arguments_of_start(snapshot: &Snapshot) -> Option<Payload> {
    let (head, _, values) = take_apart(&snapshot.frame, |_| Ok(0)).ok()?;
    let arguments = values.first().filter(|_| head.state == 0 && snapshot.ending.is_none())?;
    Some(Payload(arguments.to_vec()))
}

/// The reason why a run is blocked that has not begun.
pub(super) fn cannot_begin(unfit: &UnfitStart) -> BlockedReason {
    BlockedReason::Undecodable(unfit.to_string())
}

/// The reason why a run is blocked when it closes.
pub(super) fn cannot_follow(unfit: &UnfitStart) -> BlockedReason {
    BlockedReason::Undecodable(format!("the next run of its chain cannot be started: {unfit}"))
}

/// The number of messages to read at a time.
const PAGE: u32 = 200;

impl Client {
    /// Calls `look` with every child that is still in the outbox.
    pub(super) async fn for_each_child_to_start(
        &self,
        mut look: impl AsyncFnMut(ChildStart) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let mut after = None;
        loop {
            let page = patiently(|| self.store().list_outbox(after, PAGE)).await?;
            let Some(last) = page.last() else { return Ok(()) };
            after = Some(last.key);
            for message in page {
                if let Some(Message::Start(start)) = message.body {
                    look(*start).await?;
                }
            }
        }
    }

    /// The arguments with which a run is followed by another one if its terms ask for that, with their schemas loaded.
    /// The flag says whether every end of the run is followed by one.
    ///
    /// # Errors
    /// [`StoreError`] if the database fails. The inner error says why the terms cannot be read.
    pub(super) async fn arguments_of_next(
        &self,
        run_id: RunId,
    ) -> Result<Result<Option<(Payload, bool)>, BlockedReason>, StoreError> {
        let store = &**self.store();
        let terms = match patiently(|| store.find_terms(run_id)).await {
            Err(error @ StoreError::Corrupt { .. }) => {
                return Ok(Err(BlockedReason::Undecodable(error.to_string())));
            }
            terms => terms?,
        };
        let Some(terms) = terms.filter(|terms| terms.retry.is_some() || terms.cron.is_some())
        else {
            return Ok(Ok(None));
        };
        let details = patiently(|| store.find_details(run_id)).await?;
        let Some(arguments) = details.and_then(|details| details.arguments) else {
            return Ok(Ok(None));
        };
        patiently(|| learn_schemas_of(store, std::iter::once(&arguments))).await?;
        Ok(Ok(Some((arguments, terms.cron.is_some()))))
    }
}
