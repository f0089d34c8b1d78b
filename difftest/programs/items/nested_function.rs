//! Functions, structures and implementations inside of the body.

#[workflow]
async fn program(n: i64) -> i64 {
    #[derive(Serialize, Deserialize)]
    struct Account {
        balance: i64,
    }

    impl Account {
        fn deposit(&mut self, amount: i64) -> i64 {
            self.balance += double(amount);
            self.balance
        }
    }

    fn double(x: i64) -> i64 {
        x * 2
    }

    let mut account = Account { balance: act(n).await };
    account.deposit(act(1).await);
    tick().await;
    account.deposit(note(5)) + account.balance
}
