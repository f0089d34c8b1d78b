use piton::prelude::*;

#[activity(transaction)]
async fn book(_order: &str) {}

#[activity(transaction, at_most_once, queue = "far")]
async fn letter(_db: &mut Connection) {}

struct Connection;

fn main() {}
