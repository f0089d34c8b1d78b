//! A subscription, as it was first deployed. The next builds are `v2.rs` and `v3.rs`; each takes over the subscriptions
//! that are parked in the one before.
//!
//! ```sh
//! cargo run -p piton-examples --bin subscription_v1 -- subscribe ann
//! cargo run -p piton-examples --bin subscription_v1 -- work
//! cargo run -p piton-examples --bin subscription_v2 -- check
//! cargo run -p piton-examples --bin subscription_v2 -- renew ann
//! cargo run -p piton-examples --bin subscription_v2 -- work
//! ```

#[path = "desk.rs"]
mod desk;

use desk::Month;
use piton::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Plan {
    customer: String,
    cents: u32,
}

#[activity]
async fn bill(customer: String, cents: u32) {
    println!("{customer} pays {cents}");
}

#[workflow]
async fn subscription(cx: &Context, plan: Plan) -> u32 {
    let mut paid = 0;
    loop {
        bill(plan.customer.clone(), plan.cents).await;
        paid += plan.cents;
        match cx.signal::<Month>().await {
            Month::Renew => {}
            Month::Stop => return paid,
        }
    }
}

#[tokio::main]
async fn main() -> piton::Result<()> {
    desk::serve(async |client, customer: String| {
        let plan = Plan { customer: customer.clone(), cents: 900 };
        Ok(client.start(subscription(plan)).id(customer).await?)
    })
    .await
}
