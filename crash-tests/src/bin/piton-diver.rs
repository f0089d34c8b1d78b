//! The program that one of its runs kills: `piton-diver URL` serves until it dies or is killed.

use piton::prelude::*;
use piton_crash_tests as _;

#[tokio::main]
async fn main() -> piton::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url] = arguments.as_slice() else { bail!("usage: piton-diver URL") };
    let client = Client::connect(url).await?;
    Worker::new(&client).start().await?.run_until_signal().await
}
