//! Simulates the person who approves large orders.

use std::collections::HashSet;

use piton::prelude::*;
use tracing::info;

use super::error::JobError;
use super::options;
use super::runs::{Run, Standing};
use super::workflow::{Approve, fulfill};

/// Looks through runs and approves those that wait for it.
#[derive(Debug)]
pub struct Approver {
    client: Client,
    policy: options::Approve,
    /// The runs approved since the program started. Only saves work: the dedup key is what makes an
    /// approval count once, also across restarts.
    approved: HashSet<String>,
}

impl Approver {
    /// An approver who acts as the options say.
    pub fn new(client: Client, policy: options::Approve) -> Self {
        Self { client, policy, approved: HashSet::new() }
    }

    /// Approves what waits.
    ///
    /// # Errors
    /// The database failed.
    pub async fn look(&mut self, runs: &[Run]) -> Result<(), JobError> {
        if self.policy == options::Approve::None {
            return Ok(());
        }
        for run in runs.iter().filter(|run| run.standing == Standing::Waiting) {
            if !self.approved.contains(&run.run_id) {
                info!(order = run.order_id, "approving");
                self.approve(&run.order_id).await?;
                self.approved.insert(run.run_id.clone());
            }
        }
        Ok(())
    }

    /// Approves an order, unless its time was up a moment ago.
    async fn approve(&self, order_id: &str) -> Result<(), JobError> {
        let run = self.client.run::<fulfill>(order_id).await?;
        let approval = Approve { by: "Robin from accounts".into() };
        match run.signal(approval).dedup_key("approval").await {
            Err(SignalError::Closed { .. }) => Ok(()),
            sent => Ok(sent?),
        }
    }
}
