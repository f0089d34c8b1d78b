//! A part is changed by a method whose argument is what an `async move` block makes of another part: the block takes
//! over that part alone.

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Account {
    owner: String,
    meter: Meter,
    balance: i64,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Meter {
    count: i64,
}

impl Meter {
    fn raise(&mut self, by: i64) {
        self.count += by;
    }
}

impl Account {
    #[workflow]
    async fn settle(mut self, n: i64) -> String {
        self.owner.push_str(&async move { fetch(&format!("{}", self.balance + n)).await }.await);
        note(&self.owner);
        self.owner
    }
}

#[workflow]
async fn program(n: i64) -> (Account, String, (String, i64)) {
    let mut account =
        Account { owner: String::from("a"), meter: Meter { count: n }, balance: n + 1 };
    account.meter.raise(async move { act(account.balance).await }.await);
    note(account.meter);
    account.owner.push_str(&async move { fetch(&format!("{}", account.balance)).await }.await);
    let settled = account.clone().settle(n).await;
    let mut pair = (String::from("pair"), n);
    pair.0.insert_str(0, &async move { find(pair.1).await.unwrap_or_default() }.await);
    (account, settled, pair)
}
