//! Another process on the same database.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use libtest_mimic::Failed;
use piton::store::connect;

use crate::fixture::new_worker;

/// In the child processes of these tests: the database to connect to.
pub(crate) const URL: &str = "PITON_TEST_URL";

/// A line of a child's input that makes it fence workers with expired leases.
pub(crate) const FENCE: &str = "fence";

/// Registers a worker, follows the lines of its input, and runs until it is killed or the input ends.
pub(crate) async fn live(url: String) -> Result<(), Failed> {
    let store = connect(&url).await?;
    let lease = store.register_worker(new_worker()).await?;
    println!("worker {}", lease.worker_id.0);
    while tokio::task::spawn_blocking(|| std::io::stdin().lines().next()).await?.transpose()?
        == Some(FENCE.to_owned())
    {
        // A stopped process may find that others have fenced first.
        let _ = store.fence_expired_workers().await;
    }
    store.release_worker(lease).await?;
    Ok(())
}

pub(crate) fn start_child(url: &str) -> Child {
    Command::new(std::env::current_exe().expect("this program has a path"))
        .env(URL, url)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("this program can be started")
}

/// Waits until the child has registered.
pub(crate) fn worker_of(child: &mut Child) -> i64 {
    let output = BufReader::new(child.stdout.as_mut().expect("it is piped"));
    let line = output.lines().next().expect("the child registers").expect("the output is text");
    line.trim_start_matches("worker ").parse().expect("a number")
}
