use piton::prelude::*;

#[workflow]
async fn shop(cx: &Context) {
    #[expose]
    let mut sum: u64 = 0;
    #[expose]
    let name = String::new();
    loop {
        cx.sleep(seconds(1)).await;
        sum += name.len() as u64;
    }
}

#[query(shop)]
async fn waits(sum: &u64) -> u64 {
    *sum
}

#[query(shop)]
fn of_nothing(times: u64) -> u64 {
    times
}

#[query(shop)]
fn generic<T: From<u64>>(sum: &u64) -> T {
    T::from(*sum)
}

#[query]
fn of_none(sum: &u64) -> u64 {
    *sum
}

#[query(shop, name = "total")]
fn with_options(sum: &u64) -> u64 {
    *sum
}

#[validator(shop)]
fn no_validator(sum: u64) -> Result<(), String> {
    drop(sum);
    Ok(())
}

fn main() {}
