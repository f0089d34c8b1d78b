//! Patterns that borrow some parts of a place and take others, and that borrow several mutably, with
//! awaits while they are in use.

#[derive(Debug, Clone, Serialize, Deserialize)]
enum Account {
    Open { owner: String, cents: i64, notes: Vec<String> },
    Closed(i64),
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Plan {
    version: (i64, i64),
    stages: Vec<i64>,
    label: String,
    limit: i64,
}

#[workflow]
async fn program(n: i64) -> (Vec<i64>, Plan, Account, String) {
    let plan = Plan { version: (n, 1), stages: list(n).await, label: fetch("plan").await, limit: 40 };
    let Plan { version, ref stages, limit, .. } = plan;
    let mut seen = Vec::new();
    for stage in stages.iter() {
        seen.push(act(*stage).await + version.0);
        if seen.len() as i64 > limit + stages.len() as i64 {
            break;
        }
    }
    seen.push(stages.len() as i64);
    let made = (add(n, 1).await, 3);
    let ref whole @ (first, _) = made;
    seen.push(act(first).await + whole.1);
    let mut account =
        Account::Open { owner: fetch("owner").await, cents: n, notes: vec!["new".to_owned()] };
    if let Account::Open { owner, cents, notes } = &mut account {
        *cents += act(*cents).await;
        notes.push(fetch(owner).await);
        owner.push_str(&concat("of", &notes[0]).await);
        *cents += notes.len() as i64;
    }
    match account {
        Account::Open { ref mut cents, ref mut notes, ref owner } if *cents % 3 != 0 => {
            *cents += act(1).await;
            notes.push(format!("{owner} has {cents}"));
            tick().await;
            notes.push(format!("{owner} had {cents}"));
        }
        Account::Open { cents, .. } => account = Account::Closed(cents),
        Account::Closed(_) => {}
    }
    let mut both = (list(n).await, fetch("both").await);
    let (numbers, text) = &mut both;
    numbers.push(act(n).await);
    text.push_str(&fetch("text").await);
    numbers.push(text.len() as i64);
    let mut by_name = table(n).await;
    for (name, count) in by_name.iter_mut() {
        *count += act(*count).await + name.len() as i64;
        *count += lookup(name).await.unwrap_or(0);
    }
    for (name, count) in &mut by_name {
        *count -= act(*count).await;
        seen.push(*count + name.len() as i64);
    }
    seen.extend(by_name.into_values());
    seen.extend(both.0);
    let Plan { ref label, .. } = plan;
    let said = concat(label, &both.1).await + label;
    (seen, plan, account, said)
}
