//! Compensations: when a run is cancelled, all registered ones are executed, the last first, and not before the state
//! that starts them.

use piton::model::{Operation, RunStatus};
use piton::store::Disposition;

/// The compensations of one run.
#[derive(Debug, Default)]
pub(super) struct Undoing {
    /// The number of compensations when the run ended; `None` if it has not.
    due: Option<u32>,
    /// The begun compensations by number, in order.
    begun: Vec<u32>,
}

impl Undoing {
    /// A commit of the run.
    ///
    /// # Errors
    /// What is wrong.
    pub(super) fn step(&mut self, disposition: &Disposition) -> Result<(), String> {
        match disposition {
            Disposition::Keep { snapshot, .. } | Disposition::Park { snapshot, .. } => {
                let snapshot = piton::codec::decode_snapshot(snapshot).ok();
                if let Some(snapshot) = snapshot.filter(|snapshot| snapshot.ending.is_some()) {
                    let noted = snapshot.operations.iter();
                    let noted = noted.filter(|(_, of)| matches!(of, Operation::Compensation(_)));
                    // One more is under way.
                    self.due.get_or_insert(noted.count() as u32 + 1);
                }
                Ok(())
            }
            Disposition::Close { status: RunStatus::Completed, .. } if self.due.is_some() => {
                Err("completed after it has undone something".to_owned())
            }
            Disposition::Close { .. } => {
                let left = self.due.unwrap_or(0) as usize - self.begun.len();
                if left == 0 { Ok(()) } else { Err(format!("closed with {left} left to undo")) }
            }
            Disposition::Block { .. } => Ok(()),
        }
    }

    /// Records that an attempt of this compensation begins.
    ///
    /// # Errors
    /// What is wrong.
    pub(super) fn begins(&mut self, number: u32) -> Result<(), String> {
        if self.begun.contains(&number) {
            return Ok(());
        }
        let last = self.begun.last().copied().or(self.due);
        self.begun.push(number);
        match last {
            None => Err(format!("undoes {number} and has not ended")),
            Some(last) if last != number + 1 => Err(format!("undoes {number} after {last}")),
            Some(_) => Ok(()),
        }
    }
}
