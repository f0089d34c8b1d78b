use piton::prelude::*;

#[activity(start_to_close = 30)]
async fn act_0() {}

#[activity(start_to_close = "30")]
async fn act_1() {}

#[activity(start_to_close = "0s")]
async fn act_2() {}

#[activity(start_to_close = "1 month")]
async fn act_3() {}

#[activity(start_to_clos = "1s")]
async fn act_4() {}

#[activity(retry)]
async fn act_5() {}

#[activity(retry(max_attempt = 3))]
async fn act_6() {}

#[activity(retry(max_attempts = "3"))]
async fn act_7() {}

#[activity(retry(max_attempts = -3))]
async fn act_8() {}

#[activity(retry(backoff = 0.5))]
async fn act_9() {}

#[activity(retry(jitter = 2))]
async fn act_10() {}

#[activity(retry(initial = "1s"), retry(initial = "2s"))]
async fn act_11() {}

#[activity(max_attempts = 3)]
async fn act_12() {}

#[activity(queue = gpu)]
async fn act_13() {}

#[activity(queue = "")]
async fn act_14() {}

#[activity(at_most_once = true)]
async fn act_15() {}

#[activity(max_concurrent = 0)]
async fn act_16() {}

#[activity(strict)]
async fn act_17() {}

#[activity(heartbeat = "1s", heartbeat = "2s")]
async fn act_18() {}

#[activity(partition = "{tenant}")]
async fn act_19(tenant: String) {}

fn main() {}
