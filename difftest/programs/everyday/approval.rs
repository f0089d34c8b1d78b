//! Approvals by several people, with reminders, a vote, and what is kept in options.

use std::collections::BTreeMap;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Vote {
    Yes,
    No(String),
}

#[workflow]
async fn program(cx: &Context, n: i64) -> Result<BTreeMap<String, Vote>, String> {
    let asked: Vec<String> = words("ann bob cid").await;
    let mut votes = BTreeMap::<String, Vote>::new();
    let mut reminders = 0_u32;
    let mut chair: Option<String> = None;
    let end = cx.now() + days(2);
    while votes.len() < asked.len() {
        let waiting = asked.iter().filter(|name| !votes.contains_key(*name)).cloned().collect::<Vec<_>>();
        let first = waiting[0].as_str();
        let asked_again = concat("ask ", first).await;
        note(&asked_again);
        let (name, vote) = select! {
            Approve { by } = cx.signal::<Approve>() => {
                chair.get_or_insert_with(|| by.clone());
                (by, Vote::Yes)
            }
            Bump(weight) = cx.signal::<Bump>() => {
                let name = waiting.into_iter().next().expect("somebody is waited for");
                let why = find(weight).await;
                (name, why.map_or(Vote::Yes, Vote::No))
            }
            _ = cx.sleep(hours(5)) => {
                reminders += 1;
                if cx.now() > end || reminders > 3 {
                    return Err(format!("{} of {} after {reminders}", votes.len(), asked.len()));
                }
                let named = fetch(&waiting.join(",")).await;
                (named, Vote::No("late".into()))
            }
        };
        if let Some(before) = votes.insert(name, vote) {
            note(format!("{before:?}"));
            if n % 2 == 0 {
                let _ = votes.pop_last();
                if reminders > 1 {
                    break;
                }
                reminders += 1;
            } else {
                votes.insert(fetch(&votes.len().to_string()).await, before);
            }
        }
    }
    if let Some(chair) = &chair
        && let Some(vote) = votes.get(chair)
        && *vote != Vote::Yes
    {
        note(concat("chair ", chair).await);
    }
    Ok(votes)
}
