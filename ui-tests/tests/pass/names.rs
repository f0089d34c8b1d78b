//! Names that must be read with care, and attributes that do not concern the types of workflows and activities.

use piton::prelude::{ActivityContext as Attempt, Context as Run, activity, seconds, workflow};

/// A parameter may depend on the features of the crate.
#[activity]
#[inline]
#[must_use]
async fn step(cx: &Attempt, #[cfg(any())] at: Missing, #[cfg(all())] number: u64) -> u64 {
    number + cx.idempotency_key().len() as u64
}

#[activity]
#[deprecated]
async fn old(number: u64) -> u64 {
    number
}

struct Shop;

impl Shop {
    #[activity]
    async fn r#move(r#in: u64, #[cfg(any())] at: Missing) -> u64 {
        r#in
    }
}

#[workflow]
#[inline]
#[deprecated]
async fn older(_1: u64, _type: u64, number: u64, _number: u64) -> u64 {
    step(number).await
}

#[workflow]
#[allow(deprecated)]
async fn run(cx: &Run) -> u64 {
    cx.sleep(seconds(1)).await;
    older(1, 2, 3, 4).await + old(5).await + Shop::r#move(6).await
}
