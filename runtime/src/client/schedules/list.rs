//! Listing and counting schedules.

use super::{ScheduleDescription, describe};
use crate::client::Client;
use crate::engine::backoff::patiently;
use crate::error::ScheduleError;

/// The number of schedules to read at a time.
const PAGE: u32 = 200;

/// Which schedules to list or count: those that fit all conditions. Default: all.
///
/// ```no_run
/// # async fn demo(client: piton::client::Client) -> Result<(), Box<dyn std::error::Error>> {
/// use piton::client::ScheduleFilter;
///
/// let paused = ScheduleFilter::new().workflow("bill").paused(true);
/// for schedule in client.list_schedules(&paused, None, 100).await? {
///     println!("{}: {}", schedule.id, schedule.note);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScheduleFilter {
    workflow: Option<String>,
    id_prefix: Option<String>,
    paused: Option<bool>,
}

impl ScheduleFilter {
    /// All schedules.
    pub fn new() -> Self {
        Self::default()
    }

    /// Only those that start runs of this workflow, by its stored name.
    #[must_use]
    pub fn workflow(mut self, name: impl Into<String>) -> Self {
        self.workflow = Some(name.into());
        self
    }

    /// Only those whose id begins with this text.
    #[must_use]
    pub fn id_prefix(mut self, prefix: impl Into<String>) -> Self {
        self.id_prefix = Some(prefix.into());
        self
    }

    /// Only those that are paused, or only those that are not.
    #[must_use]
    pub fn paused(mut self, paused: bool) -> Self {
        self.paused = Some(paused);
        self
    }

    fn has_id(&self, id: &str) -> bool {
        self.id_prefix.as_ref().is_none_or(|prefix| id.starts_with(prefix))
    }

    /// Whether the database finds all that it asks for.
    fn is_of_the_database(&self) -> bool {
        self.id_prefix.is_none() && self.paused.is_none()
    }
}

impl Client {
    /// The schedules that fit a filter, ordered by id, at most `limit`; with `after`, only those after that id. The
    /// database looks for the workflow; the other conditions are checked schedule by schedule.
    ///
    /// # Errors
    /// [`ScheduleError::Store`] if the database [is away](Client#when-the-database-is-away) for too long or
    /// contains a row that cannot be read.
    pub async fn list_schedules(
        &self,
        filter: &ScheduleFilter,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<ScheduleDescription>, ScheduleError> {
        let mut found: Vec<ScheduleDescription> = Vec::new();
        let mut behind = after.map(str::to_owned);
        while found.len() < limit as usize {
            let workflow = filter.workflow.as_deref();
            let left = limit - found.len() as u32;
            let page = if filter.is_of_the_database() { left } else { PAGE };
            let read = || self.store().list_schedules(workflow, behind.as_deref(), page);
            let page = patiently(read).await?;
            let Some(last) = page.last() else { break };
            behind = Some(last.id.clone());
            for record in page.into_iter().filter(|record| filter.has_id(&record.id)) {
                let schedule = describe::described(record)?;
                if filter.paused.is_none_or(|paused| schedule.paused == paused) {
                    found.push(schedule);
                }
                if found.len() == limit as usize {
                    break;
                }
            }
        }
        Ok(found)
    }

    /// The number of schedules that fit a filter.
    ///
    /// # Errors
    /// Those of [`Client::list_schedules`].
    pub async fn count_schedules(&self, filter: &ScheduleFilter) -> Result<u64, ScheduleError> {
        if filter.is_of_the_database() {
            let workflow = filter.workflow.as_deref();
            return Ok(patiently(|| self.store().count_schedules(workflow)).await?);
        }
        Ok(self.list_schedules(filter, None, u32::MAX).await?.len() as u64)
    }
}
