use piton::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Reminder {
    at: Timestamp,
    id: u64,
}

#[activity]
async fn remind(id: u64) {
    let _ = id;
}

#[workflow]
async fn by_another_closure(cx: &Context, reminders: Vec<Reminder>) {
    let is_due = |reminder: &Reminder| reminder.at <= cx.now();
    if let Some(last) = reminders.iter().rev().find(|reminder| is_due(reminder)) {
        remind(last.id).await;
        remind(last.id + 1).await;
    }
}

fn main() {}
