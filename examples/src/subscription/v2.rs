//! The second build: prices may have a fraction of a discount, amounts are larger, and customers get a letter. Nothing of
//! that is in the way of a subscription that is parked: the field has a default, a `u32` is a `u64`, and the letter
//! comes after the wait.

#[path = "desk.rs"]
mod desk;

use desk::Month;
use piton::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Plan {
    cents: u64,
    customer: String,
    #[serde(default)]
    discount: u64,
}

#[activity]
async fn bill(customer: String, cents: u64) {
    println!("{customer} pays {cents}");
}

#[activity]
async fn thank(customer: String, paid: u64) {
    println!("{customer} has paid {paid} so far, thank you");
}

#[workflow]
async fn subscription(cx: &Context, plan: Plan) -> u64 {
    let mut paid = 0;
    loop {
        let cents = plan.cents - plan.discount;
        bill(plan.customer.clone(), cents).await;
        paid += cents;
        match cx.signal::<Month>().await {
            Month::Renew => thank(plan.customer.clone(), paid).await,
            Month::Stop => return paid,
        }
    }
}

#[tokio::main]
async fn main() -> piton::Result<()> {
    desk::serve(async |client, customer: String| {
        let plan = Plan { customer: customer.clone(), cents: 900, discount: 100 };
        Ok(client.start(subscription(plan)).id(customer).await?)
    })
    .await
}
