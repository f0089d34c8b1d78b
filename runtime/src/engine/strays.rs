//! Runs that the worker owns without knowing it, because the response to a claim or a start was lost.

use std::sync::Arc;

use tracing::info;

use super::driver::{INBOX_PAGE, Origin};
use super::session::{Adoption, Session};
use crate::error::StoreError;

/// Looks for such runs if there may be some, and drives them.
pub(crate) async fn look(session: &Arc<Session>) -> Result<(), StoreError> {
    if let Some(inquiry) = session.strays.look_into() {
        recover(session).await?;
        inquiry.answered();
    }
    Ok(())
}

async fn recover(session: &Arc<Session>) -> Result<(), StoreError> {
    let _claiming = session.claiming.lock().await;
    let mut known = session.runs.known();
    loop {
        let heard = session.store.hub().arrivals();
        let strays = session.store.recover_claims(session.lease(), &known, INBOX_PAGE).await?;
        if strays.is_empty() {
            return Ok(());
        }
        for mut run in strays {
            // If it had a driver, its attempts were interrupted.
            run.takeovers += 1;
            let Ok(permit) = Arc::clone(&session.capacity).try_acquire_owned() else {
                session.strays.stand();
                return Ok(());
            };
            info!(run_id = %run.run_id, "recovered a run");
            // It is known from here on, so the next response contains those that did not fit.
            known.push(run.run_id);
            let origin = Origin::Claimed { run, heard };
            Adoption { session: Arc::clone(session), origin, permit, starting: None }.adopt();
        }
    }
}
