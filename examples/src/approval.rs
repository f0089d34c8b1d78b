//! An expense that somebody must approve, in days if need be, while the program may be restarted at any time.
//!
//! The run asks for the approval by mail and waits for a promise. Who decides runs the program again with the token
//! that the mail has, like the handler of a web form. If nobody decides within three days, another person is asked. The
//! workflow is [`expense`].
//!
//! ```text
//! $ cargo run -p piton-examples --bin approval -- expenses.db claim 7 12900
//! to team-lead: 129.00 EUR? promise1.expense.run.01a1….approval~2f1
//! $ cargo run -p piton-examples --bin approval -- expenses.db approve promise1.expense.run.01a1….approval~2f1 Ada
//! $ cargo run -p piton-examples --bin approval -- expenses.db claim 7 12900
//! paid, approved by Ada
//! ```

use piton::machine::PromiseError;
use piton::prelude::*;
use serde::{Deserialize, Serialize};

/// Who has approved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approved {
    /// The person.
    pub by: String,
}

/// Why the bill is not paid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum Refusal {
    /// Somebody has said no.
    #[error("refused: {0}")]
    Refused(String),
    /// Nobody has said anything.
    #[error("nobody has decided")]
    Undecided,
}

/// Sends mails and payments. Here it prints them.
#[activity]
async fn mail(to: &str, cents: u64, token: &PromiseToken) {
    println!("to {to}: {}.{:02} EUR? {token}", cents / 100, cents % 100);
}

/// Pays, once for each claim however often it is tried.
#[activity]
async fn pay(claim: u32, cents: u64) -> String {
    format!("payment-{claim}-{cents}")
}

/// Asks one after the other, and pays if somebody approves. Gives who has approved.
#[workflow]
pub async fn expense(cx: &Context, claim: u32, cents: u64) -> Result<String, Refusal> {
    let mut attempt = 0;
    for approver in ["team-lead", "head-of-finance"] {
        attempt += 1;
        // Each has a promise of their own: a late answer of the first is none of the second.
        let approval: Promise<Approved, Refusal> = cx.promise("approval").for_attempt(attempt);
        mail(approver, cents, &approval.token()).await;
        match approval.timeout(days(3)).await {
            Some(Ok(approved)) => {
                pay(claim, cents).await;
                return Ok(approved.by);
            }
            Some(Err(PromiseError::Rejected(refusal))) => return Err(refusal),
            Some(Err(error)) => return Err(Refusal::Refused(error.to_string())),
            None => {}
        }
    }
    Err(Refusal::Undecided)
}
