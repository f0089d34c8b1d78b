use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run(cx: &Context, numbers: Vec<u64>) -> usize {
    let more = 1;
    let all = cx.map(numbers, |number| {
        let number = number + more;
        async move { step(number).await }
    });
    all.await.len()
}

fn main() {}
