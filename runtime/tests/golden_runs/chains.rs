//! Runs that follow another one: as a retry, at the next time of a cron expression, and continued as new.

use std::time::Duration;

use libtest_mimic::Failed;
use piton::client::Client;
use piton::model::Link;
use piton::prelude::*;

use crate::parked::{LOOK, until_parked};
use crate::shop::Go;

/// Remembers who has sent the signals, in as many runs.
#[workflow]
async fn counts(cx: &Context, left: u32, mut seen: Vec<String>) -> Vec<String> {
    seen.push(cx.signal::<Go>().await.by);
    if left == 0 {
        return seen;
    }
    cx.continue_as_new(counts(left - 1, seen))
}

/// Fails in its first attempt.
#[workflow]
async fn fails_once(cx: &Context, number: u64) -> piton::Result<String> {
    let attempt = cx.attempt();
    piton::ensure!(attempt == 2, "the first attempt");
    let go = cx.signal::<Go>().await;
    Ok(format!("{number} {attempt} {}", go.by))
}

/// Says what the run before it has said.
#[workflow]
async fn repeats(cx: &Context) -> piton::Result<String> {
    let last = cx.last_result::<repeats>()?.unwrap_or_default();
    let go = cx.signal::<Go>().await;
    Ok(format!("{last}{}", go.by))
}

fn go(by: &str) -> Go {
    Go { by: by.to_owned() }
}

pub(crate) async fn park_runs(client: &Client) -> Result<(), Failed> {
    let run = client.start(counts(1, vec!["zero".to_owned()])).id("continued").await?;
    run.signal(go("one")).await?;
    let policy = RetryPolicy { initial_interval: Duration::from_millis(1), ..RetryPolicy::DEFAULT };
    client.start(fails_once(7)).id("second attempt").retry(policy).await?;
    let run = client.start(repeats()).id("every second").cron("@every 1s").cron_at_once().await?;
    run.signal(go("one")).await?;
    for id in ["continued", "second attempt", "every second"] {
        while client.chain(id).await?.len() < 2 {
            tokio::time::sleep(LOOK).await;
        }
        until_parked(client, id, "signal<Go>").await?;
    }
    Ok(())
}

pub(crate) async fn finish_runs(client: &Client) -> Result<(), Failed> {
    for (id, link) in [
        ("continued", Link::Continued),
        ("second attempt", Link::Retry),
        ("every second", Link::Cron),
    ] {
        let chain = client.chain(id).await?;
        assert_eq!(chain.last().and_then(|entry| entry.link), Some(link), "{id}");
    }
    let run = client.run::<counts>("continued").await?;
    run.signal(go("two")).await?;
    assert_eq!(run.result().await?, ["zero", "one", "two"]);
    let run = client.run::<fails_once>("second attempt").await?;
    run.signal(go("Ann")).await?;
    assert_eq!(run.result().await?, "7 2 Ann");
    let run = client.run::<repeats>("every second").await?;
    run.signal(go("two")).await?;
    assert_eq!(run.result_of_this_run().await?, "onetwo");
    while client.chain("every second").await?.len() < 3 {
        tokio::time::sleep(LOOK).await;
    }
    client.run::<repeats>("every second").await?.terminate("it would go on").await?;
    Ok(())
}
