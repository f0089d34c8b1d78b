use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run(number: u64) -> u64 {
    let mut sum = number;
    tracing::info!(first = step(1).await, sum, "stepped {}", step(2).await);
    for name in ["a", "b"] {
        tracing::debug!(target: "steps", %name, number = ?step(sum).await, ok = { step(3).await > 1 });
        sum += 1;
    }
    tracing::warn!("{sum} of {number}, {:?}", Some(step(4).await));
    let number = sum + 1;
    tracing::info!({ number, last = step(5).await }, "{number} steps");
    sum
}

#[test]
fn what_is_logged_is_awaited_whoever_listens() {
    let names: Vec<_> = run::GRAPH.nodes().iter().map(|node| node.name).collect();
    assert_eq!(names, ["start", "step", "step#2", "step#3", "step#4", "step#5", "step#6"]);
}
