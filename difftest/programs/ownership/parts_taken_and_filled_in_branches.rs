//! Parts that are moved out in one branch and filled again in another, with and without an await.

#[derive(Debug, Serialize, Deserialize)]
struct Account {
    owner: Noisy,
    name: String,
    balance: i64,
}

#[workflow]
async fn program(n: i64) -> i64 {
    let name = concat("a", "b").await;
    let mut account = Account { owner: Noisy::new("owner"), name, balance: n };
    if n % 2 == 0 {
        let owner = account.owner;
        note(owner.name());
        if n == 2 {
            return act(7).await;
        }
        if n == 4 {
            account.owner = Noisy::new("early");
            account.owner.rename("earlier");
        }
        account.balance += act(n).await;
    }
    let seen = account.balance;
    for i in 0..n {
        if i == 1 {
            account.owner = Noisy::new(format!("owner {i}"));
        }
        if i == 2 {
            tick().await;
        }
        if i == 3 {
            return 8;
        }
    }
    note(&account.name);
    account.owner = Noisy::new("last");
    tick().await;
    note(&account);
    seen
}
