use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

struct Turns<'a>(&'a std::cell::Cell<u64>);

impl Drop for Turns<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() + 1);
    }
}

macro_rules! count {
    ($turns:expr) => {
        let _turns = Turns($turns);
    };
}

#[workflow]
async fn run() -> u64 {
    let turns = std::cell::Cell::new(0);
    count!(&turns);
    step(1).await;
    turns.get()
}

fn main() {}
