use piton::prelude::*;

#[workflow(durability = "sloppy")]
async fn one() {}

#[workflow(max_steps_ahead = 8)]
async fn two() {}

#[workflow(durability = "relaxed", max_steps_ahead = 0)]
async fn three() {}

fn main() {}
