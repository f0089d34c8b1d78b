use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[derive(Clone, serde::Serialize, serde::Deserialize)]
struct Stamp(u64);

impl Stamp {
    fn elapsed(&self) -> std::time::Duration {
        std::time::Duration::from_secs(self.0)
    }
}

#[workflow]
async fn run(cx: &Context, started: Stamp) {
    step(1).await;
    if started.elapsed().as_secs() > 60 {
        step(2).await;
    }
}

fn main() {}
