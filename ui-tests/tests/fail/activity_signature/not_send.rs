use std::rc::Rc;

use piton::prelude::*;

#[activity]
async fn count() -> usize {
    let shared = Rc::new(1);
    std::future::ready(()).await;
    Rc::strong_count(&shared)
}

fn main() {}
