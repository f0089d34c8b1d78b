use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow(deny(repeated_state))]
async fn run(cx: &Context) {
    step(1).await;
    for number in 0..3 {
        // One await, however often.
        cx.sleep(seconds(number)).await;
    }
    step(2).await;
    let _ = join!(step(3), step(4));
    #[state("pause")]
    cx.sleep(seconds(1)).await;
    let _ = join!(step(5), step(6));
}

fn main() {}
