//! What is looked up by the time: once, before it is held; again for each item of a loop; and not held.

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Reminder {
    at: Timestamp,
    id: i64,
}

#[workflow]
async fn program(cx: &Context, n: i64) -> Vec<i64> {
    let start = cx.now();
    let mut reminders = Vec::new();
    for id in list(n + 3).await {
        reminders.push(Reminder { at: start + minutes(id as u64), id });
    }
    let is_due = |reminder: &Reminder| reminder.at <= cx.now();
    let mut told = Vec::new();
    let now = cx.now();
    if let Some(next) = reminders.iter().find(|reminder| reminder.at > now) {
        cx.sleep(next.at - cx.now()).await;
        told.push(act(next.id).await);
        told.push(next.id);
    }
    if let Some(next) = reminders.iter().find(|reminder| reminder.at > cx.now()) {
        let id = next.id;
        cx.sleep(next.at - cx.now()).await;
        told.push(id);
    }
    for reminder in reminders.iter().filter(|reminder| reminder.at > cx.now()) {
        cx.sleep(minutes(3)).await;
        told.push(reminder.id);
    }
    let due = reminders.iter().filter(|reminder| is_due(reminder)).count() as i64;
    let last = reminders.iter().rfind(|reminder| is_due(reminder)).map(|last| last.id);
    tick().await;
    told.push(due);
    told.extend(last);
    told
}
