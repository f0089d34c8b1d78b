//! Queues of activities: their status, and pausing them.

use std::time::Duration;

use tokio::time::sleep;

use super::Client;
use crate::engine::backoff::patiently;
use crate::error::{KeyError, StoreError};
use crate::store::{QueueRecord, ResumeOutcome};

/// How often a drain looks whether attempts are under way.
const DRAIN_INTERVAL: Duration = Duration::from_secs(1);

impl Client {
    /// The queues on which an activity lies or that are paused, in the order of their names: how many activities wait
    /// and are under way, and how old the oldest is. Counts the activities one by one.
    ///
    /// # Errors
    /// See [`Client::find`].
    pub async fn queues(&self) -> Result<Vec<QueueRecord>, StoreError> {
        patiently(|| self.store().list_queues()).await
    }

    /// A queue of activities, by its name. Whether anything lies on it is looked up when it is asked for.
    pub fn queue(&self, name: impl Into<String>) -> QueueHandle<'_> {
        QueueHandle { client: self, name: name.into() }
    }
}

/// A queue of activities, made by [`Client::queue`].
#[derive(Clone, Debug)]
pub struct QueueHandle<'a> {
    pub(super) client: &'a Client,
    pub(super) name: String,
}

impl QueueHandle<'_> {
    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Pauses the queue for all workers, until [`QueueHandle::resume`]: none begins an attempt of an activity on it.
    /// Attempts that are under way continue, and runs still put activities on the queue. The time limits of
    /// activities that wait run on, `schedule_to_start` among them.
    ///
    /// The pause and the reason are kept in the database. Pausing a queue that is paused replaces the reason. A call
    /// that is cancelled may have paused the queue; calling it again is safe.
    ///
    /// # Errors
    /// [`StoreError::QueueName`] if no worker can serve a queue of this name, and those of [`Client::find`].
    pub async fn pause(&self, reason: &str) -> Result<(), StoreError> {
        self.check_name()?;
        patiently(|| self.client.store().pause_queue(&self.name, reason)).await
    }

    /// Whether a worker can serve a queue of this name.
    pub(super) fn check_name(&self) -> Result<(), StoreError> {
        KeyError::check(&self.name).map_err(|reason| {
            let queue = self.name.chars().take(40).collect();
            StoreError::QueueName { queue, reason }
        })
    }

    /// Drains the queue: [pauses](QueueHandle::pause) it, and waits until no worker makes an attempt of an activity on it.
    /// What waits stays on the queue. The queue stays paused afterwards, until [`QueueHandle::resume`].
    ///
    /// Returns once two looks in a row, a second apart, have found the queue [drained](QueueRecord::is_drained), since a
    /// claim that began before the pause may show up late. Attempts that await the holder of their token are not waited
    /// for. There is no limit for the wait but that of the attempts (`start_to_close`).
    ///
    /// A call that is cancelled may have paused the queue, and does not resume it; calling it again is safe. If somebody
    /// resumes the queue meanwhile, it waits until the queue is paused again and drained.
    ///
    /// # Errors
    /// Those of [`QueueHandle::pause`].
    pub async fn drain(&self, reason: &str) -> Result<QueueRecord, StoreError> {
        self.pause(reason).await?;
        let mut was_drained = false;
        loop {
            let status = self.status().await?;
            let is_drained = status.is_drained();
            if is_drained && was_drained {
                return Ok(status);
            }
            was_drained = is_drained;
            sleep(DRAIN_INTERVAL).await;
        }
    }

    /// Ends the pause of the queue. Workers take activities again at once, or at their next poll if the news is lost.
    ///
    /// If the answer of the database was lost and the call was repeated inside, the outcome is
    /// [`ResumeOutcome::NotPaused`]. Calling it again is safe.
    ///
    /// # Errors
    /// See [`Client::find`].
    pub async fn resume(&self) -> Result<ResumeOutcome, StoreError> {
        patiently(|| self.client.store().resume_queue(&self.name)).await
    }

    /// What lies on the queue, and whether it is paused. Counts its activities one by one.
    ///
    /// # Errors
    /// See [`Client::find`].
    pub async fn status(&self) -> Result<QueueRecord, StoreError> {
        let found = patiently(|| self.client.store().find_queue(&self.name)).await?;
        Ok(found.unwrap_or_else(|| QueueRecord { queue: self.name.clone(), ..Default::default() }))
    }
}
