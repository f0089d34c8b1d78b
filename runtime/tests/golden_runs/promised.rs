//! Promises that are completed before anybody awaits them.

use std::time::Duration;

use libtest_mimic::Failed;
use piton::client::Client;
use piton::machine::Never;
use piton::model::{Cause, PromiseOutcome};
use piton::prelude::*;

use crate::parked::until_parked;
use crate::shop::Go;

/// Awaits its promises behind a signal.
#[workflow]
async fn awaits_later(cx: &Context) -> Vec<String> {
    let kept: Promise<(u64, Option<String>), String> = cx.promise("kept");
    let attempt = kept.clone().for_attempt(2);
    let refused: Promise<u64, String> = cx.promise("refused");
    let broken: Promise<u64, Never> = cx.promise("broken");
    cx.signal::<Go>().await;
    let mut seen = vec![format!("{:?}", kept.await), format!("{:?}", attempt.await)];
    seen.push(format!("{:?}", refused.await));
    seen.push(broken.await.map_or_else(|error| error.to_string(), |number| number.to_string()));
    seen.push(format!("{:?}", cx.shared_promise::<u64, String>("kept by all").await));
    seen
}

/// Has a promise that nobody can complete any longer.
#[workflow]
async fn lets_expire(cx: &Context) -> String {
    let promise: Promise<u64> = cx.promise("expired");
    let promise = promise.expires_at(cx.now() + Duration::from_millis(1));
    let expired = format!("{:?}", promise.clone().await);
    cx.signal::<Go>().await;
    format!("{expired} {:?}", promise.await)
}

/// The promises of a workflow id that no run has.
fn ahead() -> PromiseToken {
    PromiseToken::of_workflow_id(awaits_later::NAME, "later", "kept")
}

pub(crate) async fn park_runs(client: &Client) -> Result<(), Failed> {
    let run = client.start(awaits_later()).id("promises").await?.run_id();
    let own = |name| client.promise(&PromiseToken::of_run(awaits_later::NAME, run, name));
    let _ = own("kept").resolve(&(7_u64, Some("seven".to_owned()))).await?;
    let _ = own("kept/2").resolve(&(8_u64, None::<String>)).await?;
    let _ = own("refused").reject(&"no".to_owned()).await?;
    let _ = own("broken").reject_with(Cause::failure("no stock").because("a flood")).await?;
    let _ = client.promise(&PromiseToken::shared("kept by all")).resolve(&9_u64).await?;
    let _ = client.promise(&ahead()).resolve(&(10_u64, None::<String>)).await?;
    client.start(lets_expire()).id("expires").await?;
    until_parked(client, "promises", "signal<Go>").await?;
    until_parked(client, "expires", "signal<Go>").await
}

pub(crate) async fn finish_runs(client: &Client) -> Result<(), Failed> {
    let go = || Go { by: "Ann".to_owned() };
    let run = client.run::<awaits_later>("promises").await?;
    run.signal(go()).await?;
    let seen = run.result().await?;
    assert_eq!(seen[0], "Ok((7, Some(\"seven\")))");
    assert_eq!(seen[1], "Ok((8, None))");
    assert_eq!(seen[2], "Err(Rejected(\"no\"))");
    assert!(seen[3].contains("no stock") && seen[3].contains("a flood"), "{}", seen[3]);
    assert_eq!(seen[4], "Ok(9)");
    let kept = client.promise(&ahead()).peek().await?.expect("it is completed");
    assert!(matches!(kept.outcome(), PromiseOutcome::Resolved(_)));
    assert_eq!(kept.read::<(u64, Option<String>), String>()?, Ok((10, None)));
    let run = client.run::<lets_expire>("expires").await?;
    run.signal(go()).await?;
    assert_eq!(run.result().await?, "Err(Expired) Err(Expired)");
    Ok(())
}
