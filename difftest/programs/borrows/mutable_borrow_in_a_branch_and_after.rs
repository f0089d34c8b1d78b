//! A mutable borrow that a branch uses, and the code after it.

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Account {
    owner: String,
    balance: i64,
}

#[workflow]
async fn program(n: i64) -> i64 {
    let mut account = Account { owner: "a".to_owned(), balance: n };
    let balance = &mut account.balance;
    let other = &account.owner;
    let got = select! {
        seen = async { note(other.clone()); act(*balance).await } => {
            *balance += 1;
            seen + *balance
        }
        _ = fetch(other) => {
            *balance += 2;
            *balance
        }
    };
    note(&account);
    got
}
