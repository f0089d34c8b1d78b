//! Exposed variables compile wherever they stand, and nobody is warned of those that only others read.

use piton::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Clone, Default, Serialize, Deserialize)]
struct Cart {
    items: Vec<String>,
    cents: u64,
}

#[derive(Update, Serialize, Deserialize)]
#[update(reply = u64)]
struct Add(u64);

#[activity]
async fn pay(cents: u64) -> u64 {
    cents
}

#[workflow]
async fn shop(cx: &Context, customer: String) -> u64 {
    #[expose]
    let name = customer;
    #[expose]
    let mut cart = Cart::default();
    for number in 0..3 {
        #[expose]
        let round = number;
        let add = cx.update::<Add>().await;
        cart.cents += add.0;
        // A part that is copied is no move.
        let cents = cart.cents;
        add.reply(cents);
        if cents > 10 {
            return pay(cart.cents).await;
        }
    }
    #[expose]
    let late;
    if cart.cents > 3 {
        late = pay(1).await;
    } else {
        late = 2;
    }
    cx.sleep(seconds(1)).await;
    let (total, ()) = join!(
        async {
            #[expose]
            let inner: u64 = 1;
            cart.items.push("one".to_owned());
            pay(2).await
        },
        cx.sleep(seconds(2)),
    );
    total
}

#[query(shop)]
fn total(cart: &Cart, times: u64, currency: &str) -> String {
    format!("{} {currency}", cart.cents * times)
}

#[query(shop)]
fn who(name: &String) -> String {
    name.clone()
}

mod elsewhere {
    use super::{Cart, shop};

    #[piton::query(super::shop)]
    pub(super) fn count(cart: &Cart) -> usize {
        cart.items.len()
    }

    pub(super) type Shop = shop;
}

pub(crate) async fn ask(run: &RunHandle<elsewhere::Shop>) -> Result<String, QueryError> {
    let count = run.query(elsewhere::count::args()).await?;
    let total = run.query(total::args(count as u64, "EUR")).await?;
    Ok(total + &run.query(who::args()).await?)
}
