//! Bills of many customers, month after month: a child for each customer, a run for each month.
//!
//! The workflow is [`bill_month`]. It starts a child for each customer, waits for all of them, and continues as a new run
//! with the next month, so it stays as small as in its first. A customer who cannot pay fails alone.

use piton::prelude::*;
use serde::{Deserialize, Serialize};

/// Somebody who pays every month.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Customer {
    /// The name.
    pub name: String,
    /// What is to be paid.
    pub cents: u64,
}

/// Why a bill was not paid.
#[derive(Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum BillError {
    /// The bank has refused.
    #[error("{0} cannot pay")]
    Refused(String),
    /// The call of the bank failed.
    #[error("the bank could not be reached")]
    Bank(#[from] ActivityError<String>),
}

/// What has come of the months so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Books {
    /// What was paid.
    pub cents: u64,
    /// Who has not paid, and when.
    pub unpaid: Vec<(u32, String)>,
}

/// Requests the payment from the bank. The bank identifies a bill by its number, so a repeated request pays it once.
#[activity]
async fn collect(_bill: &str, customer: &Customer) -> Result<bool, String> {
    Ok(customer.cents < 100_000)
}

/// Bills one customer.
#[workflow]
pub async fn bill(cx: &Context, customer: Customer) -> Result<u64, BillError> {
    let number = cx.workflow_id().to_owned();
    if !collect(&number, &customer).await? {
        return Err(BillError::Refused(customer.name));
    }
    Ok(customer.cents)
}

/// Bills all customers in a month and in those that follow, up to the last.
#[workflow]
pub async fn bill_month(
    cx: &Context,
    customers: Vec<Customer>,
    month: u32,
    last: u32,
    mut books: Books,
) -> Books {
    let mut bills = Vec::new();
    for customer in customers.clone() {
        let id = format!("month-{month}-{}", customer.name);
        bills.push((customer.name.clone(), cx.start_child(bill(customer)).id(id)));
    }
    for (name, bill) in bills {
        match bill.await {
            Ok(cents) => books.cents += cents,
            Err(_) => books.unpaid.push((month, name)),
        }
    }
    if month == last {
        return books;
    }
    cx.sleep(days(30)).await;
    cx.continue_as_new(bill_month(customers, month + 1, last, books))
}
