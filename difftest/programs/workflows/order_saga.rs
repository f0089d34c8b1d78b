//! A service engineer's first workflow: an order that is undone step by step when one of them fails.

#[derive(Debug, Clone, Serialize, Deserialize)]
enum Undo {
    Release { sku: String, count: i64 },
    Refund(i64),
}

#[derive(Debug, Serialize, Deserialize)]
enum SagaError {
    Payment(i64),
    Carrier(String),
}

impl From<ActivityError<Refused>> for SagaError {
    fn from(error: ActivityError<Refused>) -> Self {
        match error {
            ActivityError::Failed(Refused { code, .. }) => Self::Payment(code),
            other => Self::Carrier(other.to_string()),
        }
    }
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Confirmation {
    charge: i64,
    tracking: String,
    log: Vec<String>,
}

trait Discount {
    const MOST: i64;
    fn discounted(&self, cents: i64) -> i64;
}

impl Discount for Order {
    const MOST: i64 = 30;

    fn discounted(&self, cents: i64) -> i64 {
        match (self.customer.as_str(), self.lines.as_slice()) {
            (_, []) => 0,
            (name, [_, .., last]) if name.len() > 3 => cents - (last.count % Self::MOST).abs(),
            _ => cents,
        }
    }
}

#[workflow]
async fn attempt(order: Order, undo: Vec<Undo>) -> (Vec<Undo>, Result<Confirmation, SagaError>) {
    let mut undo = undo;
    let mut log = vec![];
    for Line { sku, count } in &order.lines {
        let reserved = concat(sku, "reserved").await;
        undo.push(Undo::Release { sku: sku.clone(), count: *count });
        log.push(format!("{reserved}: {count}x{sku}"));
    }
    let cents = order.discounted(price(&order).await);
    let charge = match try_act(cents).await {
        Ok(charge) => charge,
        Err(error) => return (undo, Err(error.into())),
    };
    undo.push(Undo::Refund(charge));
    let label = if cents > 50 { "big" } else { "small" };
    log.push(format!("charged {cents} ({label})"));
    let Ok(tracking) = try_fetch(&order.customer).await else {
        return (undo, Err(SagaError::Carrier(format!("{label} order of {}", order.customer))));
    };
    log.push(format!("{label} order shipped as {tracking}"));
    (Vec::new(), Ok(Confirmation { charge, tracking, log }))
}

#[workflow]
async fn program(n: i64) -> Result<Confirmation, (SagaError, i64)> {
    let order = order(n).await;
    let (mut undo, outcome) = attempt(order.clone(), Vec::with_capacity(order.lines.len())).await;
    let customer = &order.customer;
    let mut undone = 0;
    match outcome {
        Ok(mut confirmation) => {
            let sent = concat(customer, &confirmation.tracking).await;
            confirmation.log.push(sent);
            Ok(confirmation)
        }
        Err(error) => {
            while let Some(step) = undo.pop() {
                undone += match step {
                    Undo::Release { ref sku, count } => lookup(sku).await.unwrap_or(count),
                    Undo::Refund(charge) if charge == 0 => continue,
                    Undo::Refund(charge) => act(charge).await,
                };
            }
            note(concat(customer, "sorry").await);
            Err((error, undone))
        }
    }
}
