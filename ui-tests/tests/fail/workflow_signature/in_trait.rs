use piton::prelude::*;

struct Shop;

trait Run {
    async fn run();

    #[workflow]
    async fn run_twice() {
        Self::run().await;
        Self::run().await;
    }
}

impl Run for Shop {
    #[workflow]
    async fn run() {}
}

fn main() {}
