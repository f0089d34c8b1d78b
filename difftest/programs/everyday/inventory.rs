//! An order that is picked, paid and shipped, with a map of what is in stock.

use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
enum Stage {
    Open,
    Picked { lines: usize },
    Paid(i64),
    Closed { reason: Option<String> },
}

#[derive(Debug, Serialize, Deserialize)]
struct Job {
    order: Order,
    stage: Stage,
    log: Vec<String>,
}

impl Job {
    fn enter(&mut self, stage: Stage) -> &mut Self {
        self.log.push(format!("{:?}", self.stage));
        self.stage = stage;
        self
    }

    fn is_open(&self) -> bool {
        !matches!(self.stage, Stage::Closed { .. })
    }
}

#[workflow]
async fn program(n: i64) -> Result<Vec<String>, Refused> {
    let mut job = Job { order: order(n).await, stage: Stage::Open, log: vec![] };
    let mut stock: BTreeMap<String, i64> = table(n).await;
    let mut missing = BTreeSet::new();
    while job.is_open() {
        match &job.stage {
            Stage::Open => {
                for line in &job.order.lines {
                    let wanted = line.count;
                    let left = stock.entry(line.sku.clone()).or_insert(10);
                    if *left < wanted {
                        missing.insert(line.sku.clone());
                        continue;
                    }
                    *left -= wanted;
                    note(add(wanted, 1).await);
                }
                let lines = job.order.lines.len() - missing.len();
                job.enter(Stage::Picked { lines });
            }
            Stage::Picked { lines: 0 } => {
                job.enter(Stage::Closed { reason: missing.pop_first() });
            }
            Stage::Picked { lines } => {
                let count = *lines as i64;
                let cents = price(&job.order).await * count;
                let paid = fetch("paid").await;
                job.enter(Stage::Paid(cents)).log.push(paid);
            }
            Stage::Paid(cents) if *cents > 40 => {
                let refused = try_act(*cents).await;
                let reason = match refused {
                    Ok(_) => None,
                    Err(ActivityError::Failed(error)) => Some(format!("{error:?}")),
                    Err(error) => {
                        note(error.to_string());
                        Some("?".to_string())
                    }
                };
                job.enter(Stage::Closed { reason });
            }
            Stage::Paid(_) => {
                tick().await;
                job.enter(Stage::Closed { reason: Some(fetch("cheap").await) });
            }
            Stage::Closed { .. } => unreachable!("{:?} is closed", job.order.id),
        }
    }
    for (sku, left) in &mut stock {
        *left += act(*left).await;
        note((sku, *left));
    }
    for (sku, left) in stock.clone().into_iter().filter(|(_, left)| *left % 2 == 0) {
        note(concat(&sku, &left.to_string()).await);
    }
    let Job { mut log, stage, .. } = job;
    if let Stage::Closed { reason: Some(reason) } = stage {
        log.push(reason);
    }
    Ok(log)
}
