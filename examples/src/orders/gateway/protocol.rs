//! The requests and answers of the gateway. Their names are both a protocol and a stored format.

use std::fmt;

use axum::http::StatusCode;
use serde::{Deserialize, Serialize};

/// The header that makes a call safe to repeat.
pub(super) const KEY_HEADER: &str = "Idempotency-Key";

/// The requests of the gateway. The variant's name is the path of the request, its fields are the body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Call {
    /// Take money from a card.
    Charge {
        /// For which order.
        order_id: String,
        /// The card.
        card: String,
        /// How much.
        cents: u64,
    },
    /// Refund a charge.
    Refund {
        /// For which order.
        order_id: String,
        /// Which charge.
        charge_id: i64,
    },
    /// Put goods aside.
    Reserve {
        /// For which order.
        order_id: String,
        /// Which article.
        sku: String,
        /// How many.
        quantity: u32,
    },
    /// Put goods back on the shelf.
    Release {
        /// For which order.
        order_id: String,
        /// Which reservation.
        reservation_id: i64,
    },
    /// Ship the reserved items of an order.
    Ship {
        /// For which order.
        order_id: String,
        /// To whom.
        customer: String,
    },
}

/// What the gateway answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// The money is taken.
    Charged {
        /// The id for a refund.
        charge_id: i64,
    },
    /// The bank said no, and will say no again.
    Declined {
        /// Why.
        reason: String,
    },
    /// The money is given back.
    Refunded {
        /// The entry in the books.
        refund_id: i64,
    },
    /// The goods are put aside.
    Reserved {
        /// The id for a release.
        reservation_id: i64,
    },
    /// There is not enough on the shelf.
    OutOfStock {
        /// How many there are.
        available: u32,
    },
    /// The goods are back on the shelf.
    Released {
        /// The entry in the books.
        release_id: i64,
    },
    /// The goods are on their way.
    Shipped {
        /// The parcel's number.
        parcel_id: i64,
    },
    /// The call makes no sense, such as the refund of a charge that there is not.
    Refused {
        /// What is wrong.
        reason: String,
    },
}

impl Call {
    /// The operation's name: the path of the request.
    pub fn operation(&self) -> &'static str {
        match self {
            Self::Charge { .. } => "charge",
            Self::Refund { .. } => "refund",
            Self::Reserve { .. } => "reserve",
            Self::Release { .. } => "release",
            Self::Ship { .. } => "ship",
        }
    }

    /// The order that the call is for.
    pub fn order_id(&self) -> &str {
        match self {
            Self::Charge { order_id, .. }
            | Self::Refund { order_id, .. }
            | Self::Reserve { order_id, .. }
            | Self::Release { order_id, .. }
            | Self::Ship { order_id, .. } => order_id,
        }
    }
}

impl Answer {
    /// The HTTP status that goes with the answer.
    pub(super) fn status(&self) -> StatusCode {
        match self {
            Self::Declined { .. } => StatusCode::PAYMENT_REQUIRED,
            Self::OutOfStock { .. } => StatusCode::CONFLICT,
            Self::Refused { .. } => StatusCode::BAD_REQUEST,
            _ => StatusCode::OK,
        }
    }
}

/// The answer for people, as it appears in errors.
impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Charged { charge_id } => write!(f, "charged as {charge_id}"),
            Self::Declined { reason } => write!(f, "card declined: {reason}"),
            Self::Refunded { refund_id } => write!(f, "refunded as {refund_id}"),
            Self::Reserved { reservation_id } => write!(f, "reserved as {reservation_id}"),
            Self::OutOfStock { available } => write!(f, "out of stock, {available} available"),
            Self::Released { release_id } => write!(f, "released as {release_id}"),
            Self::Shipped { parcel_id } => write!(f, "shipped as {parcel_id}"),
            Self::Refused { reason } => write!(f, "refused: {reason}"),
        }
    }
}
