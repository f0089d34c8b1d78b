//! The data of the business: the orders of customers.

use serde::{Deserialize, Serialize};

/// An order above this total needs somebody's approval before it is shipped.
pub const APPROVAL_LIMIT_CENTS: u64 = 100_000;

/// One order of one customer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// The business key, and the workflow id of the order's run.
    pub id: String,
    /// Who ordered.
    pub customer: String,
    /// The card to charge, as brand and last four digits.
    pub card: String,
    /// What was ordered, at least one item.
    pub items: Vec<Item>,
}

/// One position of an order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// The article, a key of the catalog.
    pub sku: String,
    /// How many of it.
    pub quantity: u32,
    /// The price of one.
    pub unit_cents: u64,
}

impl Order {
    /// The price of all items together.
    pub fn total_cents(&self) -> u64 {
        self.items.iter().map(|item| u64::from(item.quantity) * item.unit_cents).sum()
    }

    /// Whether the order needs approval.
    pub fn is_large(&self) -> bool {
        self.total_cents() > APPROVAL_LIMIT_CENTS
    }
}

/// How the life of an order ended, as far as the business is concerned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome {
    /// It was paid and shipped.
    Completed {
        /// The parcel's number.
        parcel_id: i64,
    },
    /// The card was declined.
    Declined {
        /// What the bank said.
        reason: String,
    },
    /// An article was not available in the quantity ordered.
    OutOfStock {
        /// The article.
        sku: String,
    },
    /// It needed approval and nobody gave it in time.
    Expired,
}
