//! Fields and elements that change between awaits.

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Account {
    balance: i64,
    log: Vec<String>,
}

#[workflow]
async fn program(cx: &Context, n: i64) -> Account {
    let mut account = Account { balance: n, log: vec![] };
    account.balance += act(account.balance).await;
    account.log.push(text(account.balance).await);
    for i in 0..3 {
        account.balance -= i;
        if account.balance % 2 == 0 {
            account.log.push(text(i).await);
        }
    }
    let slot = &mut account.log[0];
    slot.push('!');
    account.log[0] = text(4).await + &account.log[0];
    std::mem::take(&mut account.balance);
    act(1).await;
    account.balance = act(account.log.len() as i64).await;
    account
}
