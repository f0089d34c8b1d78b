//! What macros are given for parts of a workflow.

use piton::machine::Durable;
use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

macro_rules! statements {
    ($name:ident, [$($first:stmt)*] $last:stmt) => {
        #[workflow]
        async fn $name(number: u64) -> u64 {
            $($first)*
            $last
            step(number).await
        }
    };
}

statements!(both, [let a = step(1).await let b = a + 1] assert_eq!(a + b, 3));
statements!(none, [] let _second = step(1).await);
statements!(separated, [let a = step(1).await; let b = a + 1;] assert_eq!(a + b, 3));

macro_rules! blocks {
    ($name:ident, $block:block) => {
        #[workflow]
        async fn $name(number: u64) -> u64 {
            let (a, b) = join!(async $block, async move $block);
            let c = async $block.await;
            let d: u64 = if number > a $block else $block;
            async $block.await + a + b + c + d
        }
    };
}

blocks!(of_numbers, { step(1).await + step(2).await });

#[workflow]
async fn generic<
    #[cfg(not(target_os = "none"))] T: Durable,
    #[cfg(target_os = "none")] U: Missing,
    const N: u64,
>(
    value: T,
) -> (T, u64) {
    (value, step(N).await)
}
