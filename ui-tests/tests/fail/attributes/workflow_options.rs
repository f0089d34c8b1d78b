use piton::prelude::*;

#[workflow(nam = "x")]
async fn run_0() {}

#[workflow(name)]
async fn run_1() {}

#[workflow(name = 5)]
async fn run_2() {}

#[workflow(name = "")]
async fn run_3() {}

#[workflow(name = "a", name = "b")]
async fn run_4() {}

#[workflow(strict = true)]
async fn run_5() {}

#[workflow(strict strict)]
async fn run_6() {}

#[workflow(Strict)]
async fn run_7() {}

#[workflow(allow)]
async fn run_8() {}

#[workflow(allow("clock"))]
async fn run_9() {}

#[workflow(allow(clok))]
async fn run_10() {}

#[workflow(warn(strict))]
async fn run_11() {}

#[workflow(durability = relaxed)]
async fn run_12() {}

#[workflow(durability = "relaxed", max_steps_ahead = "3")]
async fn run_13() {}

#[workflow(durability = "relaxed", max_steps_ahead = -1)]
async fn run_14() {}

#[workflow("x")]
async fn run_15() {}

#[workflow(start_to_close = "3s")]
async fn run_16() {}

fn main() {}
