//! Parameters that only a key or an id names.

use piton::prelude::*;

#[activity(queue = "email", key = "{to}:{order.0}")]
async fn remind(to: &str, order: (u64, u64), text: String) -> usize {
    text.len()
}

#[workflow(id = "reminder-{customer}")]
async fn reminder(customer: String, text: String) -> usize {
    remind("desk", (1, 2), text).await
}
