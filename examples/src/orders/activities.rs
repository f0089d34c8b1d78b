//! The activities of an order: one for each request to the gateway.
//!
//! An activity is carried out at least once. Each hands its idempotency key on, so the gateway does
//! what is asked exactly once however often it is asked. None gives up while the gateway is
//! unreachable or failing: a charge whose fate is unknown could be neither kept nor refunded. So
//! whatever error reaches the workflow says that nothing has happened.

use piton::prelude::*;
use serde::{Deserialize, Serialize};

use super::gateway::{Answer, Call, CallError, Gateway};

/// Why a card was not charged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum ChargeError {
    /// The bank said no.
    #[error("the card was declined: {0}")]
    Declined(String),
    /// There is no answer.
    #[error(transparent)]
    Call(#[from] CallError),
}

/// Why goods were not put aside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum ReserveError {
    /// There are not enough.
    #[error("out of stock, {available} available")]
    OutOfStock {
        /// How many there are.
        available: u32,
    },
    /// There is no answer.
    #[error(transparent)]
    Call(#[from] CallError),
}

impl Retryable for CallError {
    fn is_retryable(&self) -> bool {
        self.is_transient()
    }
}

impl Retryable for ChargeError {
    fn is_retryable(&self) -> bool {
        matches!(self, Self::Call(error) if error.is_retryable())
    }
}

impl Retryable for ReserveError {
    fn is_retryable(&self) -> bool {
        matches!(self, Self::Call(error) if error.is_retryable())
    }
}

/// Charges a card and gives the charge's number.
#[activity(start_to_close = "2s", retry(initial = "50ms", max_interval = "2s"))]
pub async fn charge(
    cx: &ActivityContext,
    order_id: &str,
    card: &str,
    cents: u64,
) -> Result<i64, ChargeError> {
    let call = Call::Charge { order_id: order_id.into(), card: card.into(), cents };
    match ask(cx, call).await? {
        Answer::Charged { charge_id } => Ok(charge_id),
        Answer::Declined { reason } => Err(ChargeError::Declined(reason)),
        other => Err(unexpected(other).into()),
    }
}

/// Refunds a charge.
#[activity(start_to_close = "2s", retry(initial = "50ms", max_interval = "2s"))]
pub async fn refund(cx: &ActivityContext, order_id: &str, charge_id: i64) -> Result<(), CallError> {
    match ask(cx, Call::Refund { order_id: order_id.into(), charge_id }).await? {
        Answer::Refunded { .. } => Ok(()),
        other => Err(unexpected(other)),
    }
}

/// Puts goods aside and gives the reservation's number.
#[activity(start_to_close = "2s", retry(initial = "50ms", max_interval = "2s"))]
pub async fn reserve(
    cx: &ActivityContext,
    order_id: &str,
    sku: &str,
    quantity: u32,
) -> Result<i64, ReserveError> {
    let call = Call::Reserve { order_id: order_id.into(), sku: sku.into(), quantity };
    match ask(cx, call).await? {
        Answer::Reserved { reservation_id } => Ok(reservation_id),
        Answer::OutOfStock { available } => Err(ReserveError::OutOfStock { available }),
        other => Err(unexpected(other).into()),
    }
}

/// Puts reserved goods back on the shelf.
#[activity(start_to_close = "2s", retry(initial = "50ms", max_interval = "2s"))]
pub async fn release(
    cx: &ActivityContext,
    order_id: &str,
    reservation_id: i64,
) -> Result<(), CallError> {
    match ask(cx, Call::Release { order_id: order_id.into(), reservation_id }).await? {
        Answer::Released { .. } => Ok(()),
        other => Err(unexpected(other)),
    }
}

/// Ships the reserved items of an order and returns the parcel's number.
#[activity(start_to_close = "2s", retry(initial = "50ms", max_interval = "2s"))]
pub async fn ship(cx: &ActivityContext, order_id: &str, customer: &str) -> Result<i64, CallError> {
    let call = Call::Ship { order_id: order_id.into(), customer: customer.into() };
    match ask(cx, call).await? {
        Answer::Shipped { parcel_id } => Ok(parcel_id),
        other => Err(unexpected(other)),
    }
}

/// Makes a call under the activity's idempotency key.
async fn ask(cx: &ActivityContext, call: Call) -> Result<Answer, CallError> {
    cx.dependency::<Gateway>().call(&cx.idempotency_key(), &call).await
}

/// The error for an answer that does not go with the question.
fn unexpected(answer: Answer) -> CallError {
    CallError::Refused(format!("the answer does not fit: {answer}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_missing_answer_is_worth_another_attempt() {
        let (failed, refused) = (CallError::Failed(500), CallError::Refused("no".into()));
        assert!(Retryable::is_retryable(&failed));
        assert!(!Retryable::is_retryable(&refused));
        assert!(ChargeError::Call(failed.clone()).is_retryable());
        assert!(!ChargeError::Declined("no".into()).is_retryable());
        assert!(ReserveError::Call(failed).is_retryable());
        assert!(!ReserveError::OutOfStock { available: 2 }.is_retryable());
    }
}
