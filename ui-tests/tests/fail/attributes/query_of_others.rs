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
fn of_another(total: &u64) -> u64 {
    *total
}

#[query(shop)]
fn name_as_argument(sum: &u64, name: &str) -> usize {
    name.len() + *sum as usize
}

fn main() {}
