//! What the three builds have in common: the desk that customers talk to, and its command line.

use clap::{Parser, Subcommand};
use piton::client::{Client, RunHandle};
use piton::filter::Filter;
use piton::model::RunStatus;
use piton::prelude::*;
use serde::{Deserialize, Serialize};

/// What a customer says when a month is over.
#[derive(Debug, Signal, Serialize, Deserialize)]
pub(crate) enum Month {
    /// Another one, please.
    Renew,
    /// It was the last one.
    Stop,
}

/// One build of the service.
#[derive(Debug, Parser)]
pub(crate) struct Options {
    /// The database.
    #[arg(long, default_value = "sqlite:subscriptions.db")]
    database: String,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Begins a subscription.
    Subscribe { customer: String },
    /// A month has ended, and the subscription continues.
    Renew { customer: String },
    /// A month is over, and the customer stops.
    Stop { customer: String },
    /// Does what there is to do, until every subscription waits for its customer, is over, or is blocked.
    Work,
    /// Shows the runs that a deploy of this build would block, without changing anything.
    Check,
}

/// Executes the command line. `subscribe` starts a subscription in the build that calls this.
pub(crate) async fn serve<W, F>(subscribe: impl Fn(Client, String) -> F) -> piton::Result<()>
where
    W: piton::machine::Workflow,
    F: Future<Output = piton::Result<RunHandle<W>>>,
{
    let Options { database, command } = Options::parse();
    let client = Client::connect(&database).await?;
    match command {
        Command::Subscribe { customer } => {
            subscribe(client.clone(), customer).await?;
        }
        Command::Renew { customer } => {
            client.run::<W>(customer).await?.signal(Month::Renew).await?;
        }
        Command::Stop { customer } => {
            client.run::<W>(customer).await?.signal(Month::Stop).await?;
        }
        Command::Work => work(&client).await?,
        Command::Check => {
            let report = client.check_parked(piton::machine::WorkflowEntry::all()).await?;
            let unfit: u64 = report.unfit.iter().map(|unfit| unfit.runs).sum();
            println!("{} parked, {unfit} would be blocked", report.runs);
            report.unfit.iter().for_each(|unfit| println!("{}", unfit.reason));
        }
    }
    client.close().await;
    Ok(())
}

async fn work(client: &Client) -> piton::Result<()> {
    let worker = Worker::new(client).start().await?;
    loop {
        let runs = client.list_runs(Filter::all()).await?.runs;
        let mut is_busy = false;
        for run in &runs {
            let run = client.inspect(run.run_id).await?;
            let waits = run.owner.is_none() && run.state == "signal<Month>";
            let is_done = waits && run.unread_count == 0;
            is_busy |= run.status == RunStatus::Running && !is_done;
        }
        if !is_busy {
            let runs = client.list_runs(Filter::all()).await?.runs;
            for run in runs.iter().rev() {
                let what = run.blocked.as_ref().map(|reason| format!(": {reason}"));
                println!("{} {}{}", run.workflow_id, run.status, what.unwrap_or_default());
            }
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    worker.shutdown().await?;
    Ok(())
}
