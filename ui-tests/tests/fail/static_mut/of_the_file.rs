use piton::prelude::*;

pub static mut COUNTER: u64 = 0;

mod totals {
    pub static mut TOTAL: u64 = 0;
}

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow(allow(unsafe_code))]
async fn run() {
    let number = unsafe { COUNTER };
    step(number).await;
    unsafe { totals::TOTAL += 1 };
}

fn main() {}
