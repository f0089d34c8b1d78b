//! `self` in a branch that changes it, and then in several branches at once, one of which moves a copy.

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Account {
    owner: String,
    balance: i64,
}

impl Account {
    #[workflow]
    async fn settle(mut self, n: i64) -> String {
        tick().await;
        if n > 1 {
            select! {
                v44 = fetch("bc") => {}
                v46 = async {
                    for v48 in 0..2 {
                        self.balance = v48;
                        act(n).await;
                    }
                    self.balance += self.balance & n;
                    words("").await
                } => {
                    select! {
                        v62 = async move {
                            [act(15).await, self.balance, act(n).await]
                        } => {}
                        v65 = table(self.balance) => {}
                        v66 = async {
                            [act(self.balance).await, self.balance, act(self.balance).await]
                        } => {}
                    }
                }
            }
        }
        String::from("Upper")
    }
}

#[workflow]
async fn program(n: i64) -> String {
    Account { owner: String::from("o"), balance: n }.settle(n).await
}
