//! Workflows as associated functions, without `self` and with `self` by value.

#[derive(Clone, Serialize, Deserialize)]
struct Account {
    owner: String,
    balance: i64,
}

impl Account {
    #[workflow]
    async fn open(n: i64) -> Account {
        Account { owner: fetch("owner").await, balance: act(n).await }
    }

    #[workflow]
    async fn settle(self, by: i64) -> (String, i64) {
        let balance = add(self.balance, by).await;
        (fetch(&self.owner).await, balance)
    }
}

#[workflow]
async fn program(n: i64) -> String {
    let account = Account::open(n).await;
    let copy = account.clone();
    let (owner, balance) = account.settle(5).await;
    format!("{owner} {balance} {:?}", copy.settle(balance).await)
}
