//! The third build: every third month is free, so a subscription counts its months. One that is parked has not
//! counted any, and only code can tell how many there were. Without the function at the end it would be blocked:
//! `check` says so.

#[path = "desk.rs"]
mod desk;

use desk::Month;
use piton::evolution::Resume;
use piton::migrate;
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
    #[formerly("paid")]
    let mut total = 0;
    let mut months = 0;
    loop {
        months += 1;
        let is_free = months % 3 == 0;
        let cents = if is_free { 0 } else { plan.cents - plan.discount };
        bill(plan.customer.clone(), cents).await;
        total += cents;
        match cx.signal::<Month>().await {
            Month::Renew => thank(plan.customer.clone(), total).await,
            Month::Stop => return total,
        }
    }
}

/// What the builds before have saved while they waited.
#[derive(Deserialize)]
struct OldWait {
    plan: Plan,
    paid: u64,
}

#[migrate(workflow = subscription, from = "signal<Month>")]
fn count_months(old: OldWait) -> Resume<subscription> {
    let monthly = old.plan.cents - old.plan.discount;
    let months = old.paid / monthly.max(1);
    Resume::at(subscription::SignalMonth)
        .with("months", &(months as i32))
        .with("total", &old.paid)
        .with("plan", &old.plan)
}

#[tokio::main]
async fn main() -> piton::Result<()> {
    desk::serve(async |client, customer: String| {
        let plan = Plan { customer: customer.clone(), cents: 900, discount: 100 };
        Ok(client.start(subscription(plan)).id(customer).await?)
    })
    .await
}
