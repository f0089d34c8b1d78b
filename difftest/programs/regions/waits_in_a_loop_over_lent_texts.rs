//! A loop over what is borrowed from a text waits for branches that read the text, and goes on.

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Account {
    owner: String,
    balance: i64,
}

impl Account {
    #[workflow]
    async fn settle(self, n: i64) -> i64 {
        tick().await;
        for word in self.owner.trim().split_whitespace().rev() {
            let (_, joined) = join!(async { Noisy::new(fetch(&self.owner).await) }, add(1, n));
            note(act(self.balance).await + joined);
            note(word);
        }
        self.balance
    }
}

#[workflow]
async fn program(n: i64) -> i64 {
    let account = Account { owner: fetch("x y").await, balance: n };
    account.settle(n).await
}
