//! A macro that generates a workflow, with variables and labels named like those of its caller.

use piton::prelude::*;

#[activity]
async fn load(n: u64) -> u64 {
    n
}

macro_rules! add {
    ($name:ident, $x:ident) => {
        #[workflow]
        async fn $name(x: u64, $x: u64) -> u64 {
            load(x).await + $x
        }
    };
}

macro_rules! search {
    ($name:ident, $outer:lifetime) => {
        #[workflow]
        async fn $name(n: u64) -> u64 {
            $outer: for i in 0..n {
                'a: loop {
                    if load(i).await > 1 {
                        break 'a;
                    }
                    break $outer;
                }
            }
            n
        }
    };
}

add!(sum, x);
search!(found, 'a);
add!(fine, y);

fn main() {}
