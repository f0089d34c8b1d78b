use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

/// What has been borrowed side by side, and is changed by a block before it is used.
#[workflow]
async fn beside_a_block(mut ours: Vec<u64>, theirs: Vec<u64>) -> usize {
    let both = (&ours, &theirs);
    async {
        ours.push(step(1).await);
    }
    .await;
    both.0.len()
}

fn main() {}
