//! Bills all customers on the first of each month, at six in the morning in Berlin.
//!
//! A schedule starts a run for each month. If a month takes longer than until the next, the next waits; if one fails,
//! the schedule pauses until somebody has looked at it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use piton::client::Overlap;
use piton::error::ScheduleError;
use piton::prelude::*;
use piton::schedule::Spec;
use serde::{Deserialize, Serialize};

/// The id of the schedule.
pub const BILLS: &str = "bills";

/// What is sent to a customer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Invoice {
    /// Its number: the customer and the month.
    pub number: String,
    /// The amount.
    pub cents: u64,
}

/// The data of the program: the customers with their monthly fees, and the sent bills.
#[derive(Clone, Debug, Default)]
pub struct Office {
    customers: Arc<Mutex<BTreeMap<String, u64>>>,
    sent: Arc<Mutex<Vec<Invoice>>>,
}

impl Office {
    /// Takes a customer on.
    pub fn add(&self, customer: &str, cents: u64) {
        let mut customers = self.customers.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        customers.insert(customer.to_owned(), cents);
    }

    /// The invoices that were sent, in order.
    pub fn sent(&self) -> Vec<Invoice> {
        self.sent.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).clone()
    }
}

#[activity]
async fn customers(cx: &ActivityContext) -> Vec<(String, u64)> {
    let office = cx.dependency::<Office>();
    let customers = office.customers.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    customers.iter().map(|(name, cents)| (name.clone(), *cents)).collect()
}

/// Sends an invoice. One that was sent before is not sent again, so an attempt may be repeated.
#[activity(retry(initial = "1s", max_attempts = 3))]
async fn send_invoice(cx: &ActivityContext, invoice: &Invoice) -> Result<(), String> {
    if invoice.cents == 0 {
        return Err(format!("{} is about nothing", invoice.number));
    }
    let office = cx.dependency::<Office>();
    let mut sent = office.sent.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if !sent.contains(invoice) {
        sent.push(invoice.clone());
    }
    Ok(())
}

/// Bills all customers for the month that the run is due for, which is in its workflow id.
#[workflow]
pub async fn bill_all(cx: &Context) -> Result<usize, String> {
    let month = cx.workflow_id()[BILLS.len() + 1..][..7].to_owned();
    let everybody = customers().await;
    let count = everybody.len();
    for (customer, cents) in everybody {
        let invoice = Invoice { number: format!("{customer} {month}"), cents };
        send_invoice(&invoice).await.map_err(|error| error.to_string())?;
    }
    Ok(count)
}

/// Creates the schedule, unless it exists.
///
/// # Errors
/// See [`ScheduleError`].
pub async fn open(client: &Client) -> Result<(), ScheduleError> {
    let spec = Spec::new().cron("0 6 1 * * # the first of the month").zone("Europe/Berlin");
    let create = client.schedule(BILLS).create(spec, bill_all());
    let create = create.overlap(Overlap::BufferAll).pause_on_failure(true);
    match create.catch_up_window(days(7)).await {
        Ok(_) | Err(ScheduleError::Exists { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}
