use piton::machine::WorkflowEntry;
use piton::prelude::*;
use serde::{Deserialize, Serialize};

use crate::generics::run;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Account {
    owner: String,
    balance: u64,
}

impl Account {
    const FEE: u64 = 2;

    fn fee(&self) -> u64 {
        self.balance.min(Self::FEE)
    }

    #[workflow]
    pub async fn open(cx: &Context, owner: String) -> Self {
        cx.sleep(seconds(0)).await;
        Self { owner, balance: step(1).await }
    }

    /// `self` is a local like any other, whatever else is called `this`.
    #[workflow]
    pub async fn settle(mut self, by: u64) -> Result<Self, String> {
        let this = format!("{self:?}");
        self.balance += step(by).await;
        let Self { owner, .. } = &self;
        let owner = owner.clone();
        step(this.len() as u64).await;
        if self.balance < Self::FEE {
            return Err(format!("{owner}: {}", self.balance));
        }
        let fee = Self::fee(&self);
        Ok(Self { balance: self.balance - fee, ..self })
    }

    /// Another method awaited, and `self` not used.
    #[workflow(strict)]
    async fn renew(self) -> Account {
        let other = Self::open("other".to_owned()).await;
        match other.clone().settle(3).await {
            Ok(settled) => settled,
            Err(_) => other,
        }
    }
}

#[derive(Clone, Serialize, Deserialize)]
struct Pair<T>(T, T);

impl<T> Pair<T>
where
    T: Durable + Clone,
{
    #[workflow]
    async fn swap<U: Durable>(self, with: U) -> (Self, U) {
        step(1).await;
        let Self(a, b) = self;
        (Self(b, a), with)
    }

    #[workflow(name = "pair.twice")]
    async fn twice(value: T) -> Self {
        let first = value.clone();
        step(2).await;
        Pair::<T>(first, value)
    }
}

register!(Pair::<u8>::swap::<String>);
register!(Pair::<u8>::twice);

/// Where the block cannot be seen, the attribute stands on it, too.
macro_rules! counter {
    ($name:ident) => {
        #[derive(Serialize, Deserialize)]
        struct $name(u64);

        #[workflow]
        impl $name {
            #[workflow]
            async fn next(self) -> Self {
                Self(step(self.0).await)
            }

            fn value(&self) -> u64 {
                self.0
            }
        }
    };
}

counter!(Counter);

mod inner {
    use super::*;

    pub(super) fn graph() -> usize {
        #[derive(Serialize, Deserialize)]
        struct Local;

        impl Local {
            #[workflow]
            async fn run(self) -> u64 {
                step(1).await
            }
        }
        Local.run().graph().nodes().len()
    }
}

#[test]
fn methods_are_workflows() {
    let account = run(Account::open("ann".to_owned()));
    assert_eq!(account, Account { owner: "ann".to_owned(), balance: 7 });
    assert_eq!(run(account.clone().settle(1)).map(|account| account.balance), Ok(12));
    assert_eq!(run(account.renew()).owner, "other");
    let (pair, with) = run(Pair(1_u8, 2).swap("x".to_owned()));
    assert_eq!((pair.0, pair.1, with.as_str()), (2, 1, "x"));
    assert_eq!(run(Pair::twice(3_u8)).1, 3);
    assert_eq!(run(Counter(1).next()).value(), 7);
    assert_eq!(inner::graph(), 2);
}

#[test]
fn methods_are_stored_with_the_name_of_their_type() {
    for name in [
        "Account::open",
        "Account::settle",
        "Pair::swap<u8, String>",
        "pair.twice<u8>",
        "Counter::next",
        "Local::run",
    ] {
        let entry = WorkflowEntry::find(name).unwrap_or_else(|| panic!("{name}"));
        assert!(entry.graph.nodes().len() > 1);
    }
    let graph = WorkflowEntry::find("Account::settle").unwrap().graph;
    let locals: Vec<_> = graph.nodes()[1].locals.iter().map(|local| local.name).collect();
    assert_eq!(locals, ["self", "this"]);
}

#[derive(Clone, Serialize, Deserialize)]
struct Shop {
    name: String,
}

mod shelves {
    #[derive(serde::Serialize, serde::Deserialize)]
    pub(crate) struct Shelf<T>(pub(crate) T);
}

impl Shop {
    /// Without `self`, with references.
    #[activity(retry(max_attempts = 3))]
    pub(crate) async fn charge(order: &str, cents: &[u64]) -> Result<u64, String> {
        Ok(order.len() as u64 + cents.iter().sum::<u64>())
    }

    #[activity]
    async fn rename(&self, cx: &ActivityContext, to: String) -> Self {
        let _ = cx;
        Self { name: format!("{}{to}", self.name) }
    }

    #[activity(name = "shop.close", blocking)]
    fn close(mut self) -> String {
        self.name.push('!');
        self.name
    }

    #[workflow(strict)]
    async fn run(self, cents: u64) -> Result<u64, String> {
        let charged = Self::charge(&self.name, &[cents]).await.unwrap_or(0);
        let calls = ["a", "b"].map(|to| self.rename(to.to_owned()));
        let (all, shelf) = join!(join_all(calls), shelves::Shelf(3_u64).count());
        let name = self.close().start_to_close(hours(1)).await;
        Ok(charged + all.len() as u64 + shelf + name.len() as u64)
    }
}

impl shelves::Shelf<u64> {
    #[activity]
    async fn count(&self) -> u64 {
        self.0
    }
}

macro_rules! shop {
    ($name:ident) => {
        #[derive(Serialize, Deserialize)]
        struct $name(u64);

        #[workflow]
        #[activity]
        impl $name {
            #[activity]
            async fn number(&self) -> u64 {
                self.0
            }

            #[workflow]
            async fn run(self) -> u64 {
                self.number().await
            }
        }
    };
}

shop!(Kiosk);

#[test]
fn activities_are_stored_with_the_name_of_their_type() {
    use piton::activities::ActivityEntry;
    for name in ["Shop::charge", "Shop::rename", "shop.close", "Shelf::count", "Kiosk::number"] {
        assert!(ActivityEntry::find(name).is_some(), "{name}");
    }
    let shop = Shop { name: "corner".to_owned() };
    assert_eq!(shop.call_close(), "corner!");
    assert_eq!(Kiosk(1).run().graph().nodes()[1].name, "number");
}
