use std::path::{Path, PathBuf};

use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn parameter(path: PathBuf) {
    if path.exists() {
        step(1).await;
    }
}

#[workflow]
async fn made(name: String) {
    let path = PathBuf::from(&name).join("invoices");
    if path.is_dir() {
        step(1).await;
    }
    let path: &Path = path.as_path();
    let size = path.metadata().map(|metadata| metadata.len());
    step(size.is_ok() as u64).await;
}

fn main() {}
