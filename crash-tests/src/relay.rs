//! Queued activities that report the process in which they ran.

use piton::prelude::*;

use crate::gate::Gate;
use crate::ledger::{Event, Ledger};

/// Waits at the gate, then doubles the number. Also returns the process id.
#[activity(queue = "gpu", retry(initial = "1ms"))]
pub async fn render(cx: &ActivityContext, number: u64) -> piton::Result<(u64, u32)> {
    let ledger = cx.dependency::<Ledger>();
    let (key, attempt) = (cx.idempotency_key(), cx.info().attempt);
    ledger.note(Event::Began, &key, attempt)?;
    cx.dependency::<Gate>().wait().await;
    ledger.note(Event::Returned, &key, attempt)?;
    Ok((number * 2, std::process::id()))
}

/// Adds one. Also returns the process id.
#[activity(queue = "mail", retry(initial = "1ms"))]
pub async fn post(cx: &ActivityContext, number: u64) -> piton::Result<(u64, u32)> {
    let ledger = cx.dependency::<Ledger>();
    let (key, attempt) = (cx.idempotency_key(), cx.info().attempt);
    ledger.note(Event::Began, &key, attempt)?;
    ledger.note(Event::Returned, &key, attempt)?;
    Ok((number + 1, std::process::id()))
}

/// Takes some milliseconds.
#[activity(queue = "press", partition = "{of}", retry(initial = "1ms"))]
pub async fn press(cx: &ActivityContext, of: &str, number: u64) -> piton::Result<u64> {
    let ledger = cx.dependency::<Ledger>();
    let (key, attempt) = (cx.idempotency_key(), cx.info().attempt);
    ledger.note(Event::Began, &key, attempt)?;
    tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    ledger.note(Event::Returned, &key, attempt)?;
    Ok(number * 2)
}

/// One call in a partition: every fifth run in one of the small ones, the others in the big one.
#[workflow]
pub async fn edition(number: u64) -> piton::Result<u64> {
    let of = if number % 5 == 0 { format!("small-{number}") } else { "big".to_owned() };
    let pressed = press(&of, number).await?;
    Ok(pressed)
}

/// One activity on each queue. Gives what they came to, and the two process ids.
#[workflow]
pub async fn relay(number: u64) -> piton::Result<(u64, u32, u32)> {
    let (rendered, gpu) = render(number).await?;
    let (posted, mail) = post(rendered).await?;
    Ok((posted, gpu, mail))
}
