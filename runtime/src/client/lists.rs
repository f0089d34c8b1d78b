//! Lists and counts of runs.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::future::IntoFuture;
use std::pin::Pin;

use serde_json::Value;
use tracing::warn;

use super::Client;
use super::inspect::Position;
use crate::engine::backoff::patiently;
use crate::error::{LookupError, StoreError};
use crate::evolution::written;
use crate::filter::evaluate::{Cell, Row};
use crate::filter::{Column, Filter};
use crate::model::AttributeValue;
use crate::store::{RunCount, RunCursor, RunOrder, RunQuery, RunRecord};

/// The number of runs to read at a time if variables decide which runs match.
const CANDIDATES: u32 = 100;

/// A list of runs, ready to be read: await it. By default it returns the first 100 runs.
#[derive(Clone, Debug)]
#[must_use = "nothing is read until this is awaited"]
pub struct ListRuns {
    client: Client,
    filter: Filter,
    order: RunOrder,
    after: Option<RunCursor>,
    limit: u32,
}

/// A page of a list of runs.
#[derive(Clone, Debug)]
pub struct RunPage {
    /// The runs, in the order of the list.
    pub runs: Vec<RunRecord>,
    /// Where the next page begins; `None` for the last page.
    pub next: Option<RunCursor>,
}

/// A count of runs: await it.
#[derive(Clone, Debug)]
#[must_use = "nothing is counted until this is awaited"]
pub struct CountRuns {
    client: Client,
    filter: Filter,
}

/// A count of runs by the value of a column: await it.
#[derive(Clone, Debug)]
#[must_use = "nothing is counted until this is awaited"]
pub struct GroupedCount {
    count: CountRuns,
    column: Column,
}

impl Client {
    /// Lists the runs that match a filter, by default the newest first, by
    /// [run id](crate::store::OrderBy::RunId).
    ///
    /// A filter on [variables](crate::filter::variable) is evaluated in this process: it reads the runs that match
    /// the rest of the filter, a hundred at a time, and the saved state of each, with the schemas from the
    /// database. A variable that is hidden or cannot be read counts as not set.
    ///
    /// ```no_run
    /// use piton::store::{OrderBy, RunOrder};
    ///
    /// # async fn demo(client: piton::client::Client) -> piton::Result<()> {
    /// let filter: piton::filter::Filter = "status = 'blocked' and customer = 'c-17'".parse()?;
    /// let mut page = client.list_runs(&filter).order_by(RunOrder::ascending(OrderBy::BlockedAt)).await?;
    /// loop {
    ///     for run in &page.runs {
    ///         println!("{} {}", run.workflow_id, run.state);
    ///     }
    ///     let Some(next) = page.next else { break };
    ///     page = client.list_runs(&filter).page(next).await?;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Errors: [`StoreError`] if the database [is away](Client#when-the-database-is-away) for too long, or contains
    /// a row that cannot be read.
    pub fn list_runs(&self, filter: impl Into<Filter>) -> ListRuns {
        let (order, after) = (RunOrder::default(), None);
        ListRuns { client: self.clone(), filter: filter.into(), order, after, limit: 100 }
    }

    /// Counts the runs that match a filter; with [`CountRuns::group_by`], by the value of a column. A filter on
    /// variables is evaluated as by [`Client::list_runs`], for all runs that match the rest of the filter.
    ///
    /// Errors: those of [`Client::list_runs`].
    pub fn count(&self, filter: impl Into<Filter>) -> CountRuns {
        CountRuns { client: self.clone(), filter: filter.into() }
    }

    /// The filter with relative times made absolute, so that all pages of a list use the same time.
    pub(super) async fn fixed(&self, filter: Filter) -> Result<Filter, StoreError> {
        match filter.is_relative() {
            true => Ok(filter.at(patiently(|| self.store().now()).await?)),
            false => Ok(filter),
        }
    }

    /// The runs of a page whose variables match the filter. Times in the filter are absolute.
    async fn with_variables(
        &self,
        filter: &Filter,
        runs: Vec<RunRecord>,
    ) -> Result<Vec<RunRecord>, StoreError> {
        let mut meant = Vec::new();
        for run in runs {
            let position = match self.inspect(run.run_id).await {
                Ok(inspection) => inspection.position,
                Err(LookupError::Store(error @ StoreError::Corrupt { .. })) => {
                    warn!(run_id = %run.run_id, %error, "the variables of a run cannot be read");
                    None
                }
                Err(LookupError::Store(error)) => return Err(error),
                // It was deleted meanwhile.
                Err(_) => continue,
            };
            let row = WithVariables { run: &run, position: position.as_ref() };
            if filter.condition().holds(&row) {
                meant.push(run);
            }
        }
        Ok(meant)
    }
}

impl ListRuns {
    /// Sets the order. Default: by run id, the newest first. This is the cheapest order; others sort all runs that
    /// match.
    pub fn order_by(mut self, order: RunOrder) -> Self {
        self.order = order;
        self
    }

    /// Sets the maximum number of runs per page. Default: 100.
    pub fn limit(mut self, limit: u32) -> Self {
        self.limit = limit;
        self
    }

    /// Continues after another page, in the order of that page. Runs that start or change meanwhile do not shift
    /// the pages.
    pub fn page(mut self, next: impl Into<RunCursor>) -> Self {
        let next = next.into();
        self.order = next.order();
        self.after = Some(next);
        self
    }

    async fn read(self) -> Result<RunPage, StoreError> {
        let Self { client, filter, order, mut after, limit } = self;
        let filter = client.fixed(filter).await?;
        let asks_for_variables = filter.asks_for_variables();
        let mut runs: Vec<RunRecord> = Vec::new();
        while (runs.len() as u64) < u64::from(limit) {
            let left = limit - runs.len() as u32;
            let at_a_time = if asks_for_variables { CANDIDATES } else { left };
            let query = RunQuery { filter: &filter, order, after, limit: at_a_time };
            let mut page = patiently(|| client.store().list_runs(query)).await?;
            // At most the limit.
            page.truncate(at_a_time as usize);
            let Some(last) = page.last() else { return Ok(RunPage { runs, next: None }) };
            after = Some(order.behind(last));
            if asks_for_variables {
                page = client.with_variables(&filter, page).await?;
                if page.len() > left as usize {
                    page.truncate(left as usize);
                    after = page.last().map(|last| order.behind(last));
                }
            }
            runs.extend(page);
        }
        Ok(RunPage { runs, next: after })
    }
}

impl CountRuns {
    /// Counts by the value of a column, ordered by value; times by day, in UTC.
    pub fn group_by(self, column: Column) -> GroupedCount {
        GroupedCount { count: self, column }
    }

    async fn count(self, column: Option<Column>) -> Result<Vec<RunCount>, StoreError> {
        let Self { client, filter } = self;
        let filter = client.fixed(filter).await?;
        if !filter.asks_for_variables() {
            return patiently(|| client.store().count_runs(&filter, column)).await;
        }
        let mut counts: BTreeMap<Option<String>, u64> = BTreeMap::new();
        let mut page = client.list_runs(&filter).await?;
        loop {
            for run in &page.runs {
                let key = column.and_then(|column| run.column(column));
                *counts.entry(key.map(|cell| cell.group())).or_default() += 1;
            }
            let Some(next) = page.next else { break };
            page = client.list_runs(&filter).page(next).await?;
        }
        if column.is_none() {
            counts.entry(None).or_default();
        }
        Ok(counts.into_iter().map(|(key, runs)| RunCount { key, runs }).collect())
    }
}

/// A run with its saved variables.
struct WithVariables<'a> {
    run: &'a RunRecord,
    position: Option<&'a Position>,
}

impl Row for WithVariables<'_> {
    fn column(&self, column: Column) -> Option<Cell<'_>> {
        self.run.column(column)
    }

    fn attribute(&self, name: &str) -> Option<&AttributeValue> {
        self.run.attribute(name)
    }

    /// The names of variables may have points in them, and a number that the source does not have.
    fn variable(&self, path: &[String]) -> Option<Cow<'_, Value>> {
        let variables = &self.position?.variables;
        (1..=path.len()).rev().find_map(|names| {
            let name = path[..names].join(".");
            let names_of_all = variables.iter().map(|variable| &*variable.name);
            let shown = &variables[written(&name, names_of_all)?].value;
            if shown.note.is_some() || shown.is_secret() {
                return None;
            }
            let mut value = &shown.value;
            for field in &path[names..] {
                value = match value {
                    Value::Array(entries) => entries.get(field.parse::<usize>().ok()?)?,
                    other => other.get(field)?,
                };
            }
            Some(Cow::Borrowed(value))
        })
    }
}

impl IntoFuture for ListRuns {
    type Output = Result<RunPage, StoreError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.read())
    }
}

impl IntoFuture for CountRuns {
    type Output = Result<u64, StoreError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let counts = self.count(None).await?;
            Ok(counts.iter().map(|count| count.runs).sum())
        })
    }
}

impl IntoFuture for GroupedCount {
    type Output = Result<Vec<RunCount>, StoreError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move { self.count.count(Some(self.column)).await })
    }
}
