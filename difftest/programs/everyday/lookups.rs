//! Values looked up in maps and lists, changed with what an await gives.

use std::collections::BTreeMap;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Account {
    owner: String,
    cents: i64,
    history: Vec<i64>,
}

#[workflow]
async fn program(n: i64) -> Vec<String> {
    let mut accounts: BTreeMap<i64, Account> = BTreeMap::new();
    for id in list(n).await {
        let owner = fetch(&id.to_string()).await;
        accounts.insert(id, Account { owner, cents: act(id).await, history: vec![] });
    }
    let ids: Vec<i64> = accounts.keys().copied().collect();
    let mut log = vec![];
    for id in ids {
        if let Some(account) = accounts.get(&id) {
            let greeting = concat("dear ", &account.owner).await;
            log.push(format!("{greeting} {}", account.cents));
        }
        let Some(account) = accounts.get_mut(&id) else { continue };
        account.cents += act(id).await;
        account.history.push(account.cents);
        if account.cents > 50 {
            account.cents -= add(account.cents, id).await;
        }
        match accounts.get_mut(&(id + 1)) {
            Some(next) if next.cents > 10 => {
                next.history.push(act(next.cents).await);
                next.cents = 0;
            }
            Some(next) => next.cents += 1,
            None => tick().await,
        }
    }
    if let Some((id, account)) = accounts.iter().next() {
        let text = concat(&account.owner, &id.to_string()).await;
        log.push(text);
        log.push(format!("{id}{account:?}"));
    }
    if let Some(first) = log.first() {
        let again = concat(first, "!").await;
        note((first, again));
    }
    if let Some(last) = log.last_mut() {
        let more = fetch(last).await;
        last.push_str(&more);
    }
    let richest = accounts.values().max_by_key(|account| account.cents);
    let text = match richest {
        Some(account) => concat("rich ", &account.owner).await,
        None => String::new(),
    };
    log.push(text);
    log
}
