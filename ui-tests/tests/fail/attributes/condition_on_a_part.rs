use piton::prelude::*;

#[workflow]
async fn run(n: u64) -> u64 {
    let list = [n, 1];
    let rest = list.len() - #[cfg(any())] 1;
    rest as u64
}

fn main() {}
