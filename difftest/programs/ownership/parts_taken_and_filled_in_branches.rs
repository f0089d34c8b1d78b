//! Parts that are moved out in one branch and filled again in another, with and without an await.

/// A value of which a copy may be dropped unseen.
#[derive(Debug, Serialize, Deserialize)]
struct Tag {
    name: String,
}

impl Tag {
    fn new(name: impl Into<String>) -> Self {
        Self { name: name.into() }
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn rename(&mut self, name: impl Into<String>) {
        self.name = name.into();
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct Account {
    owner: Tag,
    name: String,
    balance: i64,
}

#[workflow]
async fn program(n: i64) -> i64 {
    let name = concat("a", "b").await;
    let mut account = Account { owner: Tag::new("owner"), name, balance: n };
    if n % 2 == 0 {
        let owner = account.owner;
        note(owner.name());
        if n == 2 {
            return act(7).await;
        }
        if n == 4 {
            account.owner = Tag::new("early");
            account.owner.rename("earlier");
        }
        account.balance += act(n).await;
    }
    let seen = account.balance;
    for i in 0..n {
        if i == 1 {
            account.owner = Tag::new(format!("owner {i}"));
        }
        if i == 2 {
            tick().await;
        }
        if i == 3 {
            return 8;
        }
    }
    note(&account.name);
    account.owner = Tag::new("last");
    tick().await;
    note(&account);
    seen
}
