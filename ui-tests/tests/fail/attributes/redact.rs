use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run(#[redact] cx: &Context, #[redact("card")] card: u64) -> u64 {
    #[redact]
    step(card).await;
    #[redact]
    #[redact]
    let token = step(1).await;
    cx.sleep(std::time::Duration::from_secs(1)).await;
    let (sum, _) = join!(#[redact] step(token), async {
        if card > 1 {
            #[redact]
            return;
        }
        step(2).await;
    });
    sum
}

#[workflow]
async fn of_a_reference(#[redact] card: &str) -> u64 {
    step(1).await
}

fn main() {}
