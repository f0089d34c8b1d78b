use piton::prelude::*;
#[derive(serde::Serialize, serde::Deserialize)]
struct Job {
    id: i64,
    name: String,
    lines: Vec<i64>,
}
#[activity]
async fn act(n: i64) -> i64 {
    n
}
#[workflow]
async fn named(job: Job) -> String {
    let Job { lines, .. } = job;
    act(lines[0]).await;
    let Job { name } = job;
    name
}
#[workflow]
async fn numbered(pair: (String, String)) -> String {
    let (a, _) = pair;
    act(3).await;
    let (_, b, _) = pair;
    b
}
#[workflow]
async fn matched(job: Job) -> String {
    match job {
        Job { name } => {
            act(3).await;
            name
        }
    }
}

fn main() {}
