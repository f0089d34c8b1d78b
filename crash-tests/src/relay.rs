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

/// One activity on each queue. Returns the result and the two process ids.
#[workflow]
pub async fn relay(number: u64) -> piton::Result<(u64, u32, u32)> {
    let (rendered, gpu) = render(number).await?;
    let (posted, mail) = post(rendered).await?;
    Ok((posted, gpu, mail))
}
