//! Billing month by month: credits, late payments, what comes back with an error.

use std::collections::BTreeMap;
use std::fmt;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Plan {
    Free,
    Basic { cents: i64 },
    Team { seats: i64, per_seat: i64 },
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
enum Status {
    Active,
    PastDue(u32),
    Cancelled { reason: String },
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Invoice {
    number: i64,
    cents: i64,
    lines: Vec<(String, i64)>,
    paid: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Subscription {
    plan: Plan,
    status: Status,
    invoices: Vec<Invoice>,
    credits: BTreeMap<String, i64>,
}

#[derive(Debug, Serialize, Deserialize)]
enum BillingError {
    Card(Refused),
    Gone(String),
    Other(String),
}

impl fmt::Display for BillingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Card(refused) => write!(f, "card: {refused}"),
            Self::Gone(why) | Self::Other(why) => f.write_str(why),
        }
    }
}
impl std::error::Error for BillingError {}
impl From<ActivityError<Refused>> for BillingError {
    fn from(e: ActivityError<Refused>) -> Self {
        match e {
            ActivityError::Failed(r) => Self::Card(r),
            e => Self::Other(format!("{e}")),
        }
    }
}

impl Plan {
    const MAX_SEATS: i64 = 10;
    fn cents(&self) -> i64 {
        match *self {
            Plan::Free => 0,
            Plan::Basic { cents } => cents,
            Plan::Team { seats, per_seat } => seats.min(Self::MAX_SEATS) * per_seat,
        }
    }
    fn get(&self, what: &str) -> Option<i64> {
        match (self, what) {
            (Plan::Team { seats, .. }, "seats") => Some(*seats),
            (Plan::Basic { cents }, "cents") => Some(*cents),
            _ => None,
        }
    }
}

impl Subscription {
    fn new(plan: Plan) -> Self {
        Self { plan, status: Status::Active, invoices: vec![], credits: BTreeMap::new() }
    }
    fn open(&mut self) -> Option<&mut Invoice> {
        self.invoices.iter_mut().rev().find(|i| !i.paid)
    }
    fn total(&self) -> i64 {
        self.invoices.iter().filter(|i| i.paid).map(|i| i.cents).sum()
    }

    #[workflow]
    async fn bill(mut self, month: i64) -> Result<Self, (Self, BillingError)> {
        let base = self.plan.cents();
        let mut invoice = Invoice {
            number: month,
            cents: base,
            lines: vec![("base".to_string(), base)],
            paid: base == 0,
        };
        for (name, credit) in std::mem::take(&mut self.credits) {
            let used = credit.min(invoice.cents);
            invoice.cents -= used;
            invoice.lines.push((concat(&name, "credit").await, -used));
            if credit > used {
                *self.credits.entry(name).or_insert(0) += credit - used;
            }
        }
        match try_act(invoice.cents + month).await {
            Ok(receipt) if receipt > 150 => {
                invoice.paid = {
                    note(receipt);
                    true
                }
            }
            Ok(_) => invoice.paid |= flag(month).await,
            Err(e) => {
                self.status = match std::mem::replace(&mut self.status, Status::Active) {
                    Status::Active => Status::PastDue(1),
                    Status::PastDue(n @ 1..=2) => Status::PastDue(n + 1),
                    Status::PastDue(_) => Status::Cancelled { reason: fetch("late").await },
                    done @ Status::Cancelled { .. } => done,
                };
                self.invoices.push(invoice);
                return Err((self, e.into()));
            }
        }
        self.invoices.push(invoice);
        Ok(self)
    }
}

#[workflow]
async fn program(cx: &Context, n: i64) -> Result<(i64, Vec<String>), BillingError> {
    let plan = match n % 3 {
        0 => Plan::Free,
        1 => Plan::Basic { cents: 40 + n },
        _ => Plan::Team { seats: n, per_seat: 7 },
    };
    let what = plan.get("seats").or_else(|| plan.get("cents"));
    let mut sub = Subscription::new(plan);
    sub.credits.insert("welcome".into(), act(n).await % 30);
    let mut log = Vec::new();
    'months: for month in 1.. {
        if month > 4 {
            break;
        }
        sub = loop {
            match sub.bill(month + n).await {
                Ok(sub) => break sub,
                Err((mut back, BillingError::Card(Refused { code }))) if code % 2 == 0 => {
                    let number = back.open().map(|open| {
                        open.cents /= 2;
                        open.number
                    });
                    if let Some(number) = number {
                        let number = act(number).await;
                        back.open().into_iter().for_each(|open| open.number = number);
                    }
                    log.push(format!("{month}: retry {code}"));
                    sub = back;
                    cx.sleep(days(1)).await;
                    if matches!(sub.status, Status::PastDue(k) if k > 1) {
                        break sub;
                    }
                }
                Err((back, error)) => {
                    log.push(error.to_string());
                    if back.status > Status::PastDue(1) {
                        return Err(BillingError::Gone(log.join("; ")));
                    }
                    sub = back;
                    continue 'months;
                }
            }
        };
        log.push(format!("{month}: {:?} {}", sub.status, sub.total()));
    }
    note(what);
    Ok((sub.total() + what.unwrap_or(-1), log))
}
