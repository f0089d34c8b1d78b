use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run() {
    let _ = std::net::TcpStream::connect("localhost:80");
    step(1).await;
}

fn main() {}
