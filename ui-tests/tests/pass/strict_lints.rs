//! Code that denies what it can hears nothing of what `#[workflow]` makes.

#![deny(
    missing_debug_implementations,
    missing_docs,
    trivial_casts,
    trivial_numeric_casts,
    unreachable_pub,
    unused_qualifications,
    unused_results,
    clippy::absolute_paths,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::let_underscore_must_use,
    clippy::let_underscore_untyped,
    clippy::panic,
    clippy::pedantic,
    clippy::semicolon_outside_block,
    clippy::unneeded_field_pattern,
    clippy::unwrap_used
)]
#![allow(clippy::unused_async)]
#![forbid(unsafe_code)]

use std::collections::BTreeMap;

use piton::prelude::*;
use serde::{Deserialize, Serialize};

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[activity]
async fn find(name: &str) -> Result<u64, String> {
    name.parse().map_err(|_| name.to_owned())
}

/// A signal.
#[derive(Debug, Signal, Serialize, Deserialize)]
struct Approve {
    by: String,
}

#[workflow]
async fn total(
    cx: &Context,
    names: Vec<String>,
    mut lists: BTreeMap<String, Vec<u64>>,
) -> piton::Result<u64> {
    let mut total = 0;
    for name in &names {
        let number = find(name).await?;
        lists.entry(name.clone()).or_default().push(step(number).await);
        let list = lists.entry(name.clone()).or_default();
        total += step(number).await;
        list.push(total);
    }
    let by = select! {
        approved = cx.signal::<Approve>() => approved.by,
        _ = cx.sleep(days(1)) => bail!("nobody has approved"),
    };
    let picked =
        if total > 3 { names.first().ok_or_else(|| piton::Error::msg("no names"))? } else { &by };
    let (first, second) = join!(step(total), async { step(1).await + 1 });
    let (third, _) = try_join!(find(picked), async { find("2").await })?;
    while let Some(number) = lists.get_mut(picked).and_then(Vec::pop) {
        total += step(number).await;
    }
    let fourth = async {
        find(&by).await?;
        find("4").await
    }
    .await?;
    async { total += step(fourth).await }.await;
    Ok(total + first + second + third)
}
