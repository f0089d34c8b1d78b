//! A part moved out and put back in a branch of code that does not await, which may not be taken.

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Account {
    owner: String,
    balance: i64,
}

#[workflow]
async fn program(n: i64) -> i64 {
    let mut account = Account { owner: "owner".to_owned(), balance: n };
    let first = concat(&account.owner, "first").await;
    let seen = if n > 1
        && let (0..=40, owner) = (act(n).await, account.owner)
        && let [_, last @ 0..=100] = [act(3).await; 2]
    {
        if n == 5 {
            account.owner = owner;
            account.owner.push('!');
            note(&account.owner);
        }
        tick().await;
        last + account.balance
    } else {
        n
    };
    if n == 2 {
        account.owner = first;
        account.owner.push('?');
        note(&account);
    }
    seen
}
