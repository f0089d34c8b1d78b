//! What a `#[cfg]` leaves out is not judged.

use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[deterministic]
fn number(#[cfg(any())] at: Instant, by: u64) -> u64 {
    #[cfg(any())]
    let at = std::time::Instant::now();
    #[cfg(any())]
    {
        println!("{at:?}");
    }
    #[cfg(any())]
    fn inner() {
        println!("inner");
    }
    #[cfg(not(any()))]
    let by = by + 1;
    match by {
        #[cfg(any())]
        1 => std::process::exit(1),
        by => by,
    }
}

struct Count(u64);

impl Count {
    #[deterministic]
    fn get(&self) -> u64 {
        #[cfg(any())]
        println!("{}", self.0);
        self.0
    }
}

#[workflow(strict)]
async fn run() -> u64 {
    #[cfg(any())]
    use nothing::at_all;
    #[cfg(any())]
    static SEEN: std::sync::Mutex<u64> = std::sync::Mutex::new(0);
    #[cfg(any())]
    impl Count {
        fn show(&self) {
            println!("{}", self.0);
        }
    }
    struct Pair {
        #[cfg(any())]
        at: std::time::Instant,
        number: u64,
    }
    #[cfg(any())]
    fn inner() {
        println!("inner");
    }
    #[cfg(any())]
    step(1).await;
    let pair = Pair {
        #[cfg(any())]
        at: std::time::Instant::now(),
        number: number(1),
    };
    let list = [
        Count(pair.number).get(),
        #[cfg(any())]
        std::process::exit(1),
    ];
    step(
        list[0],
        #[cfg(any())]
        std::process::exit(1),
    )
    .await;
    list[0]
}

#[test]
fn what_is_left_out_is_not_there() {
    assert_eq!(crate::generics::run(run()), 2);
}
