//! Names that must be read with care, and attributes that do not concern the types of workflows and activities.

use piton::prelude::{ActivityContext as Attempt, Context as Run, activity, seconds, workflow};

/// A parameter may depend on the features of the crate.
#[activity]
#[inline]
#[must_use]
async fn step(cx: &Attempt, #[cfg(any())] at: Missing, #[cfg(not(any()))] number: u64) -> u64 {
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

macro_rules! sized {
    ($activity:ident, $workflow:ident, $borrow:ty, $context:ty) => {
        #[activity]
        async fn $activity(of: $borrow) -> u64 {
            of.len() as u64
        }

        #[workflow]
        async fn $workflow(cx: $context, text: String) -> u64 {
            cx.sleep(seconds(1)).await;
            $activity(text.as_ref()).await
        }
    };
}

sized!(length, lengths, &str, &Run);
sized!(size, sizes, &[u8], &piton::machine::Context);

#[workflow]
#[allow(deprecated)]
async fn run(cx: &Run) -> u64 {
    cx.sleep(seconds(1)).await;
    let sizes = lengths("a".to_owned()).await + sizes("b".to_owned()).await;
    sizes + older(1, 2, 3, 4).await + old(5).await + Shop::r#move(6).await
}
