//! A subscription with plans, coupons, failed payments, and an end by signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
enum Plan {
    Free,
    Basic { seats: u8 },
    Pro(u8, bool),
}
impl Plan {
    fn cents(&self) -> i64 {
        match *self {
            Plan::Free => 0,
            Plan::Basic { seats } => 5 * i64::from(seats),
            Plan::Pro(n, yearly) => {
                if yearly {
                    100
                } else {
                    10 * n as i64
                }
            }
        }
    }
}
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Subscription {
    owner: String,
    plan: Plan,
    failures: u32,
    invoices: Vec<Invoice>,
    coupon: Option<Coupon>,
}
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Invoice {
    number: usize,
    cents: i64,
    paid: bool,
}
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Coupon {
    code: String,
    left: u8,
    percent: i64,
}

#[workflow]
async fn program(cx: &Context, n: i64) -> Result<Subscription, String> {
    let plan = match n % 3 {
        0 => Plan::Free,
        1 => Plan::Basic { seats: act(n).await as u8 },
        _ => Plan::Pro(n as u8, flag(n).await),
    };
    let mut sub = Subscription {
        owner: fetch("owner").await,
        plan,
        failures: 0,
        invoices: Vec::new(),
        coupon: find(n).await.map(|code| Coupon { code, left: 2, percent: 50 }),
    };
    let started = cx.now();
    let months = 4;
    'billing: for month in 1..=months {
        let due = started + days(30 * month as u64);
        select! { biased;
            _ = cx.sleep_until(due) => {}
            Approve { by } = cx.signal::<Approve>() => {
                if by.ends_with('2') { note("cancelled"); break 'billing; }
                sub.plan = match std::mem::replace(&mut sub.plan, Plan::Free) {
                    Plan::Free => Plan::Basic { seats: 1 },
                    Plan::Basic { seats } if seats > 3 => Plan::Pro(seats, flag(month).await),
                    other => other,
                };
            }
        }
        let cents = match sub.coupon.as_mut() {
            Some(coupon) if coupon.left > 0 => {
                coupon.left -= 1;
                sub.plan.cents() * (100 - coupon.percent) / 100
            }
            Some(_) => {
                sub.coupon = None;
                sub.plan.cents()
            }
            None => sub.plan.cents(),
        };
        let number = sub.invoices.len() + 1;
        sub.invoices.push(Invoice { number, cents, paid: false });
        let invoice = sub.invoices.last_mut().unwrap();
        let mut attempt = 0;
        let paid = loop {
            attempt += 1;
            match try_act(invoice.cents + attempt).await {
                Ok(receipt) => break Some(receipt),
                Err(ActivityError::Failed(Refused { code })) if attempt < 3 => {
                    cx.sleep(seconds(1 << attempt)).await;
                    note(code);
                }
                Err(ActivityError::TimedOut(_)) => continue,
                Err(_) => break None,
            }
        };
        invoice.paid = paid.is_some();
        if !invoice.paid {
            sub.failures += 1;
            if sub.failures >= 2 {
                return Err(format!(
                    "{} owes {}",
                    sub.owner,
                    sub.invoices.iter().filter(|i| !i.paid).map(|i| i.cents).sum::<i64>()
                ));
            }
        }
    }
    Ok(sub)
}
