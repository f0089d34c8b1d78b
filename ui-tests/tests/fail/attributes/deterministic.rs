use piton::prelude::*;

#[deterministic(strict)]
fn option() {}

#[deterministic(allow(clok))]
fn rule() {}

#[deterministic]
struct Order;

fn main() {}
