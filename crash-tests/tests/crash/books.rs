//! The books on SQLite, kept by a program that is killed: every entry exists once.

use std::time::Duration;

use piton_crash_tests::at_once::at_once_async;
use piton_crash_tests::bookkeeper::{Bookkeeper, POINTS};

#[test]
fn killed_at_every_kind_of_point() {
    let cases = POINTS.into_iter().flat_map(|point| [(point, 1), (point, 7)]);
    at_once_async(cases, async |(point, count)| {
        on_sqlite(async |bookkeeper| bookkeeper.is_killed_at(point, count).await).await;
    });
}

#[tokio::test]
async fn killed_again_and_again() {
    let waits = [3, 7, 11, 2, 16, 5].map(Duration::from_millis);
    on_sqlite(async |bookkeeper| bookkeeper.is_killed_after(&waits).await).await;
}

async fn on_sqlite(test: impl AsyncFnOnce(&Bookkeeper<'_>)) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let url = format!("sqlite:{}", folder.path().join("books.db").display());
    let program = env!("CARGO_BIN_EXE_piton-bookkeeper");
    test(&Bookkeeper { program, url: &url, folder: folder.path() }).await;
}
