use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{LazyLock, OnceLock, RwLock};

use piton::prelude::*;

static COUNT: AtomicU64 = AtomicU64::new(0);
static LIMIT: LazyLock<u64> = LazyLock::new(|| 3);
static REGION: OnceLock<String> = OnceLock::new();
static RATES: RwLock<Vec<u64>> = RwLock::new(Vec::new());
static NAMES: [&str; 2] = ["one", "two"];

fn count(of: &AtomicU64) -> u64 {
    of.load(Ordering::Relaxed)
}

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run() {
    step(*LIMIT).await;
    step(count(&COUNT)).await;
    step(RATES.read().unwrap().len() as u64).await;
    if REGION.get().is_some() {
        step(NAMES.len() as u64).await;
    }
}

fn main() {}
