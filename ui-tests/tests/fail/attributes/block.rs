use piton::prelude::*;

struct Shop;

#[workflow(strict)]
impl Shop {
    async fn run() {}
}

fn main() {}
