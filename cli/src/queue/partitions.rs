//! `piton queue limit` and `piton queue partitions`.

use std::num::NonZeroU32;
use std::time::Duration;

use piton::client::Client;
use piton::model::Timestamp;
use piton::store::{PartitionRecord, QueueLimits, Rate};
use serde_json::{Value, json};

use crate::error::Failure;
use crate::output::{self, Output, ago};

/// Set the limits of a queue over all workers, in place of those that it has
///
/// Attempts that are under way continue, even if they are more than a limit allows.
#[derive(clap::Args)]
#[command(group = clap::ArgGroup::new("limits").required(true).multiple(true))]
pub(crate) struct LimitArgs {
    /// The queue's name
    queue: String,
    /// The most attempts under way
    #[arg(long, value_name = "N", value_parser = at_least_one, group = "limits")]
    max_concurrent: Option<NonZeroU32>,
    /// The most attempts under way in each partition
    #[arg(long, value_name = "N", value_parser = at_least_one, group = "limits")]
    partition_concurrent: Option<NonZeroU32>,
    /// The most attempts that begin in each partition, such as 60/1m
    #[arg(long, value_name = "N/PERIOD", value_parser = parse_rate, group = "limits")]
    partition_rate: Option<Rate>,
    /// No limits
    #[arg(
        long, group = "limits",
        conflicts_with_all = ["max_concurrent", "partition_concurrent", "partition_rate"]
    )]
    none: bool,
}

pub(super) fn at_least_one(text: &str) -> Result<NonZeroU32, String> {
    text.parse().map_err(|_| "it is not a whole number of at least 1".to_owned())
}

fn parse_rate(text: &str) -> Result<Rate, String> {
    let help = "write a number and a period, such as 60/1m or 10/1s";
    let (count, period) = text.split_once('/').ok_or(help)?;
    let count: NonZeroU32 = count.parse().map_err(|_| help)?;
    let period = humantime::parse_duration(period).map_err(|_| help)?;
    if period < Duration::from_millis(1) || period > Duration::from_secs(365 * 86_400) {
        return Err("a period is between 1ms and a year".to_owned());
    }
    Ok(Rate { count: count.get(), period })
}

impl LimitArgs {
    pub(super) async fn carry_out(
        self,
        client: &Client,
        output: Output,
    ) -> Result<String, Failure> {
        let Self { queue, max_concurrent, partition_concurrent, partition_rate, none: _ } = self;
        let mut limits = QueueLimits::default();
        limits.max_concurrent = max_concurrent.map(NonZeroU32::get);
        limits.partition_concurrent = partition_concurrent.map(NonZeroU32::get);
        limits.partition_rate = partition_rate;
        client.queue(&queue).limit(limits).await?;
        let data = json!({ "queue": queue, "limits": limits_to_json(&limits) });
        Ok(output.say(&data, || match limits.is_empty() {
            true => format!("the queue `{queue}` has no limits\n"),
            false => format!("the queue `{queue}` has the limits {}\n", limits_text(&limits)),
        }))
    }
}

/// The limits in short; nothing if there are none.
pub(super) fn limits_text(limits: &QueueLimits) -> String {
    let all = limits.max_concurrent.map(|limit| format!("{limit} at a time"));
    let each = limits.partition_concurrent.map(|limit| format!("{limit} per partition"));
    let rate = limits.partition_rate.map(|rate| {
        format!("{}/{} per partition", rate.count, humantime::format_duration(rate.period))
    });
    all.into_iter().chain(each).chain(rate).collect::<Vec<_>>().join(", ")
}

pub(super) fn limits_to_json(limits: &QueueLimits) -> Value {
    json!({
        "max_concurrent": limits.max_concurrent,
        "partition_concurrent": limits.partition_concurrent,
        "partition_rate": limits.partition_rate.map(|rate| json!({
            "count": rate.count,
            "period_ms": u64::try_from(rate.period.as_millis()).unwrap_or(u64::MAX),
        })),
    })
}

pub(super) fn table(partitions: &[PartitionRecord]) -> String {
    let now = Timestamp::now();
    let rows = partitions.iter().map(|one| {
        vec![
            one.partition.clone(),
            one.weight.to_string(),
            one.waiting.to_string(),
            one.delayed.to_string(),
            one.under_way.to_string(),
            one.awaiting_token.to_string(),
            one.oldest_due_at.map_or_else(String::new, |at| ago(at, now)),
        ]
    });
    let titles = ["PARTITION", "WEIGHT", "WAITING", "DELAYED", "UNDER WAY", "ON TOKEN", "OLDEST"];
    output::table(&titles, rows)
}

pub(super) fn to_json(one: &PartitionRecord) -> Value {
    json!({
        "partition": one.partition,
        "weight": one.weight,
        "waiting": one.waiting,
        "delayed": one.delayed,
        "under_way": one.under_way,
        "awaiting_token": one.awaiting_token,
        "oldest_due_at": one.oldest_due_at.map(|at| at.to_string()),
    })
}
