//! The books on Postgres, kept by a program that is killed: every entry exists once.

use std::time::Duration;

use piton_crash_tests::bookkeeper::{Bookkeeper, POINTS};

use crate::scene::Scene;

pub(crate) async fn a_killed_bookkeeper_makes_every_entry_once(scene: Scene) {
    for point in POINTS {
        let (url, folder) = (scene.new_database().await, tempfile::tempdir().expect("a folder"));
        let program = env!("CARGO_BIN_EXE_piton-bookkeeper");
        let bookkeeper = Bookkeeper { program, url: &url, folder: folder.path() };
        bookkeeper.is_killed_at(point, 5).await;
    }
    let (url, folder) = (scene.new_database().await, tempfile::tempdir().expect("a folder"));
    let program = env!("CARGO_BIN_EXE_piton-bookkeeper");
    let bookkeeper = Bookkeeper { program, url: &url, folder: folder.path() };
    bookkeeper.is_killed_after(&[5, 20, 10, 40].map(Duration::from_millis)).await;
}
