use piton::prelude::*;

#[allow(unused_macros)]
macro_rules! say {
    ($($what:tt)*) => {
        println!($($what)*)
    };
}

#[allow(unused_macros)]
macro_rules! count {
    ($what:expr) => {{
        say!("{}", $what);
        $what + 1
    }};
}

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run(number: u64) -> u64 {
    say!("begins");
    step(count!(number)).await
}

fn main() {}
