//! Moving an arrival that a run cannot take to the dead letters.

use super::frame::Frame;
use super::{Client, unreadable};
use crate::codec;
use crate::engine::backoff::patiently;
use crate::error::EditError;
use crate::model::RunId;
use crate::store::{Arrival, ArrivalKind, EditRun, Effect, NewAuditEntry, NewDeadLetter};

impl Client {
    /// Moves a signal, or an arrival that this build cannot read, from a run's inbox to the dead letters. The run is due
    /// then, and no longer blocked.
    pub(in crate::client) async fn set_signal_aside(
        &self,
        run_id: RunId,
        seq: i64,
        audit: NewAuditEntry,
    ) -> Result<(), EditError> {
        let details = self.details(run_id.into()).await?;
        let run = details.run;
        if !run.status.is_open() {
            return Err(EditError::Closed { run_id, status: run.status });
        }
        let after = seq.saturating_sub(1);
        let inbox = patiently(|| self.store().read_inbox(run_id, after, 1)).await?;
        match inbox.arrivals.first() {
            Some(Arrival {
                seq: found,
                kind: ArrivalKind::Signal { .. } | ArrivalKind::Unreadable { .. },
            }) if *found == seq => {}
            _ => return Err(EditError::NoSignal { run_id, seq }),
        }
        let definition = match run.definition {
            Some(definition) => definition,
            None => {
                let snapshot = codec::decode_snapshot(&details.snapshot);
                let snapshot = snapshot.map_err(|error| unreadable(run_id, &error))?;
                let definition = Frame::definition_of(&snapshot.frame);
                definition.map_err(|error| unreadable(run_id, &error))?
            }
        };
        let letter = NewDeadLetter { seq, reason: audit.reason.clone() };
        let edit = EditRun {
            run_id,
            step_no: run.step_no,
            snapshot: details.snapshot,
            state: run.state,
            definition,
            wake_at: Some(patiently(|| self.store().now()).await?),
            given_up: Vec::new(),
            effects: vec![Effect::SetAside(letter)],
            called_again: Vec::new(),
            attempts: 0,
            arrivals: Vec::new(),
            reopen: false,
            audit,
        };
        let outcome = patiently(|| self.store().edit_run(edit.clone())).await?;
        EditError::of(run_id, outcome)
    }
}
