use piton::prelude::*;

#[activity]
async fn fill(list: &mut Vec<u64>) {
    list.push(1);
}

fn main() {}
