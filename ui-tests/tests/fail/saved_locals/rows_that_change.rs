use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

/// What is borrowed side by side, and changed while the loop goes through it.
#[workflow]
async fn looked_at(ours: Vec<u64>, mut theirs: Vec<u64>) -> u64 {
    let mut sum = 0;
    for numbers in [&ours, &theirs] {
        sum += step(1).await;
        theirs.push(sum);
        sum += numbers.len() as u64;
    }
    sum
}

#[workflow]
async fn changed(mut ours: Vec<u64>, mut theirs: Vec<u64>) -> usize {
    let mut sum = 0;
    for (name, numbers) in [("ours", &mut ours), ("theirs", &mut theirs)] {
        numbers.push(step(1).await);
        sum += theirs.len() + name.len();
    }
    sum
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
