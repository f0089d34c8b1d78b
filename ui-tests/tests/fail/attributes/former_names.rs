use piton::prelude::*;

#[workflow(formerly = "ship", formerly = "send", formerly = "ship")]
async fn deliver() {}

#[workflow(formerly = "fetch")]
async fn fetch() {}

#[workflow(name = "order.pack", formerly = "order.pack", formerly)]
async fn pack() {}

#[workflow(formerly = "echo")]
async fn relay<T: Durable>(value: T) -> T {
    value
}

#[workflow(version = 0)]
async fn zeroth() {}

#[workflow(version = "2")]
async fn second() {}

#[workflow(version = 2, version = 3)]
async fn third() {}

fn main() {}
