//! A subscription that is billed again and again, reminded of what is not paid, and changed by signals.

use std::collections::VecDeque;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Plan {
    Monthly { cents: i64 },
    Yearly { cents: i64, trial_days: u64 },
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Ending {
    Cancelled(Option<String>),
    Unpaid { after: i64 },
    Done,
}

impl Plan {
    const GRACE: [u64; 3] = [3, 5, 7];

    fn price(&self) -> i64 {
        match *self {
            Plan::Monthly { cents } | Plan::Yearly { cents, .. } => cents,
        }
    }

    fn period(&self) -> std::time::Duration {
        match self {
            Plan::Monthly { .. } => days(30),
            Plan::Yearly { .. } => days(365),
        }
    }
}

#[workflow]
async fn program(cx: &Context, n: i64) -> (Vec<String>, Ending, usize) {
    let mut plan = match n % 2 {
        0 => Plan::Monthly { cents: n },
        _ => Plan::Yearly { cents: n, trial_days: 14 },
    };
    if let Plan::Yearly { trial_days, .. } = plan
        && trial_days > 0
    {
        cx.sleep(days(trial_days)).await;
    }
    let mut invoices = Vec::new();
    let mut reminders = 0usize;
    let mut period = 0;
    let ending = 'life: loop {
        period += 1;
        if period > 3 {
            break Ending::Done;
        }
        let price = plan.price();
        let mut tries = VecDeque::from(Plan::GRACE);
        let invoice = loop {
            match try_act(price + period + tries.len() as i64).await {
                Ok(invoice) => break format!("{period}: {invoice}"),
                Err(error) => {
                    let Some(wait) = tries.pop_front() else {
                        break 'life Ending::Unpaid { after: period };
                    };
                    note(concat("not paid", &format!("({error:?}), again in {wait} days")).await);
                    reminders += 1;
                    select! { biased;
                        _ = cx.sleep(days(wait)) => {}
                        Bump(more) = cx.signal() => plan = Plan::Monthly { cents: price + more },
                        ok = cx.signal::<Approve>() => break 'life Ending::Cancelled(Some(ok.by)),
                    }
                }
            }
        };
        invoices.push(invoice);
        let until = cx.now() + plan.period();
        loop {
            select! { biased;
                _ = cx.sleep_until(until) => break,
                Bump(cents) = cx.signal() => {
                    let changed = Plan::Monthly { cents };
                    if changed != plan {
                        invoices.push(concat("plan", &format!("{changed:?}")).await);
                    }
                    plan = changed;
                }
                Approve { by } = cx.signal() => {
                    break 'life Ending::Cancelled(if by.is_empty() { None } else { Some(by) });
                }
            }
        }
    };
    let text = match &ending {
        Ending::Cancelled(Some(reason)) => format!("bye: {reason}"),
        Ending::Cancelled(None) => "bye".to_owned(),
        Ending::Unpaid { after } => format!("unpaid after {after}"),
        Ending::Done => String::from("done"),
    };
    invoices.push(fetch(&text).await);
    (invoices, ending, reminders)
}
