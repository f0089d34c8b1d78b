use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run(cx: &Context, #[expose] card: u64) -> u64 {
    #[expose]
    step(card).await;
    #[expose("sum")]
    let sum = step(1).await;
    #[expose]
    let (first, second) = (sum, 2);
    #[expose]
    #[expose]
    let third = first + second;
    cx.sleep(seconds(1)).await;
    third
}

#[workflow]
async fn twice(cx: &Context) {
    #[expose]
    let sum = 1;
    cx.sleep(seconds(sum)).await;
    if sum > 1 {
        #[expose]
        let sum = 2;
        cx.sleep(seconds(sum)).await;
    }
}

#[workflow]
async fn never_kept(cx: &Context) -> u64 {
    cx.sleep(seconds(1)).await;
    #[expose]
    let sum = 1;
    sum + 1
}

fn main() {}
