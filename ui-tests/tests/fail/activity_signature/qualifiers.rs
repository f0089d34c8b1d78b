use piton::prelude::*;

#[activity]
const async fn constant() {}

#[activity]
async unsafe fn careless() {}

#[activity]
async extern "C" fn foreign() {}

#[activity]
async fn variadic(numbers: ...) {}

fn main() {}
