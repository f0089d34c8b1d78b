//! A shopping cart that is a run: updates change it, queries read it, and the checkout ends it.
//!
//! ```text
//! $ cargo run -p piton-examples --bin cart
//! rope: 42.00 EUR in the cart
//! chalk: 48.50 EUR in the cart
//! refused: `anvil` is too heavy
//! 2 items, 48.50 EUR
//! receipt 4850
//! ```

use piton::prelude::*;
use serde::{Deserialize, Serialize};

/// What the customer has chosen.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cart {
    /// The names of the items.
    pub items: Vec<String>,
    /// What they cost together.
    pub cents: u64,
}

/// Puts an item into the cart. The answer is the new total.
#[derive(Debug, Update, Serialize, Deserialize)]
#[update(reply = u64, error = Refused)]
pub struct AddItem {
    /// Its name.
    pub sku: String,
    /// What it costs.
    pub cents: u64,
}

/// Pays for the cart. The answer is the number of the receipt.
#[derive(Debug, Update, Serialize, Deserialize)]
#[update(reply = u64)]
pub struct CheckOut {}

/// Why an item is not put into the cart.
#[derive(Debug, PartialEq, thiserror::Error, Serialize, Deserialize)]
pub enum Refused {
    /// Nobody can carry it.
    #[error("`{0}` is too heavy")]
    TooHeavy(String),
    /// There is no room for it.
    #[error("the cart is full")]
    Full,
}

/// Charges the card of a customer.
#[activity]
async fn take_payment(customer: &str, cents: u64) -> u64 {
    tracing::info!(customer, cents, "charged");
    cents
}

/// Takes items until the customer pays or has been away for a day.
#[workflow]
pub async fn shop(cx: &Context, customer: String) -> Option<u64> {
    #[expose]
    let mut cart = Cart::default();
    loop {
        select! {
            add = cx.update::<AddItem>() => {
                if add.sku == "anvil" {
                    let sku = add.sku.clone();
                    add.refuse(Refused::TooHeavy(sku));
                    continue;
                }
                cart.items.push(add.sku.clone());
                cart.cents += add.cents;
                add.reply(cart.cents);
            }
            check_out = cx.update::<CheckOut>() => {
                // The customer waits for the answer, and the run for the bank.
                let receipt = take_payment(&customer, cart.cents).await;
                check_out.reply(receipt);
                return Some(receipt);
            }
            () = cx.sleep(days(1)) => return None,
        }
    }
}

/// The number of items, and the total.
#[query(shop)]
pub fn summary(cart: &Cart, currency: &str) -> String {
    format!("{} items, {} {currency}", cart.items.len(), amount(cart.cents))
}

/// Looks at an item before it is sent.
#[validator(shop)]
pub fn has_room(_: &AddItem, cart: &Cart) -> Result<(), Refused> {
    if cart.items.len() < 20 { Ok(()) } else { Err(Refused::Full) }
}

/// As people write it.
pub fn amount(cents: u64) -> String {
    format!("{}.{:02}", cents / 100, cents % 100)
}
