use piton::prelude::*;

/// Makes macros whose definitions do not stand in this file.
macro_rules! elsewhere {
    ($stop_if:ident, $skip_if:ident, $dollar:tt) => {
        macro_rules! $stop_if {
            ($dollar done:expr) => {
                if $dollar done {
                    break;
                }
            };
        }
        macro_rules! $skip_if {
            ($dollar done:expr) => {
                if $dollar done {
                    continue;
                }
            };
        }
    };
}

elsewhere!(stop_if, skip_if, $);

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run(mut number: u64) -> u64 {
    loop {
        for digit in 0..number {
            stop_if!(digit > 3);
        }
        number = step(number).await;
        stop_if!(number > 3);
        let (seven, _) = join!(step(7), async {
            for at in 0..number {
                step(at).await;
                skip_if!(at == 1);
                step(1).await;
            }
        });
        skip_if!(number == seven);
        step(2).await;
    }
    number
}

fn main() {}
