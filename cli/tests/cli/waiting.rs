//! Workflows that wait for something of each kind. Their lines are in the snapshots.

use std::time::Duration;

use piton::prelude::*;

use crate::workflows::{Add, Approve};

#[activity(queue = "presses")]
async fn print(page: u32) -> Result<u32, String> {
    if page == 0 { Err("there is no page 0".to_owned()) } else { Ok(page) }
}

#[activity]
async fn look_up(key: u64) -> u64 {
    key
}

#[workflow]
pub async fn nap(cx: &Context) {
    cx.sleep(days(1)).await;
}

#[workflow]
pub async fn on_child(cx: &Context) -> bool {
    cx.start_child(nap()).id("nap-1").await.is_ok()
}

#[workflow]
pub async fn on_promise(cx: &Context) -> u64 {
    let expires_at = cx.now() + hours(1);
    cx.promise::<u64, String>("price").expires_at(expires_at).await.unwrap_or_default()
}

#[workflow]
pub async fn on_shared_promise(cx: &Context) -> u64 {
    cx.shared_promise::<u64, String>("rate").await.unwrap_or_default()
}

#[workflow]
pub async fn on_queue(_cx: &Context) -> u32 {
    print(1).await.unwrap_or_default()
}

#[workflow]
pub async fn on_update(cx: &Context) {
    let add = cx.update::<Add>().await;
    add.reply(1);
}

#[workflow]
pub async fn on_timer(cx: &Context) {
    cx.sleep(days(1)).await;
}

#[workflow]
pub async fn on_signal(cx: &Context) -> Option<String> {
    cx.signal::<Approve>().timeout(hours(1)).await.map(|approve| approve.by)
}

#[workflow]
pub async fn on_cancel(cx: &Context) -> String {
    cx.cancelled().await.reason
}

#[workflow]
pub async fn on_map(cx: &Context) -> usize {
    cx.map(vec![1, 2, 3], print).concurrency(2).await.len()
}

#[workflow]
pub async fn on_spawned(cx: &Context) -> u32 {
    let page = cx.spawn(print(2));
    cx.sleep(Duration::ZERO).await;
    page.await.unwrap_or_default()
}

#[workflow]
pub async fn on_time(cx: &Context) -> bool {
    cx.timeout(hours(1), nap()).await.is_ok()
}

#[workflow]
pub async fn on_branches(cx: &Context) -> u64 {
    let (key, (), ()) = join!(
        look_up(7),
        async {
            let approve = cx.signal::<Approve>().await;
            look_up(approve.by.len() as u64).await;
        },
        nap(),
    );
    key
}

#[workflow]
pub async fn on_code(cx: &Context) {
    cx.sleep(Duration::ZERO).await;
    panic!("the code is wrong");
}

#[activity(retry(max_attempts = 1))]
async fn ask(cx: &ActivityContext) -> Result<u64, String> {
    cx.complete_later().await
}

#[workflow]
pub async fn on_token() -> Result<u64, String> {
    ask().await.map_err(|error| error.to_string())
}
