//! The life of an order, as one workflow.

use std::time::Duration;

use piton::prelude::*;
use serde::{Deserialize, Serialize};
use tracing::info;

use super::activities::{ChargeError, ReserveError, charge, refund, release, reserve, ship};
use super::order::{Order, Outcome};

/// Somebody's consent to a large order.
#[derive(Debug, Signal, Serialize, Deserialize)]
pub struct Approve {
    /// Who consents.
    pub by: String,
}

/// Carries out an order: charge, reserve every item, wait for approval if it is large, ship. What
/// has been done by the time something stops it is undone.
#[workflow]
pub async fn fulfill(
    cx: &Context,
    order: Order,
    approval_window: Duration,
) -> piton::Result<Outcome> {
    let (total, needs_approval) = (order.total_cents(), order.is_large());
    let Order { id, customer, card, items } = order;

    let charge_id = match charge(&id, &card, total).await {
        Ok(charge_id) => charge_id,
        Err(ActivityError::Failed(ChargeError::Declined(reason))) => {
            return Ok(Outcome::Declined { reason });
        }
        Err(error) => return Err(error.into()),
    };

    let mut reservations = Vec::new();
    let mut stopped = None;
    for item in items {
        match reserve(&id, &item.sku, item.quantity).await {
            Ok(reservation_id) => reservations.push(reservation_id),
            Err(ActivityError::Failed(ReserveError::OutOfStock { .. })) => {
                stopped = Some(Ok(Outcome::OutOfStock { sku: item.sku }));
                break;
            }
            Err(error) => {
                stopped = Some(Err(piton::Error::from(error)));
                break;
            }
        }
    }

    if stopped.is_none() && needs_approval {
        select! {
            approval = cx.signal::<Approve>() => info!(order = id, by = approval.by, "approved"),
            _ = cx.sleep(approval_window) => stopped = Some(Ok(Outcome::Expired)),
        }
    }

    let stopped = match stopped {
        Some(stopped) => stopped,
        None => match ship(&id, &customer).await {
            Ok(parcel_id) => return Ok(Outcome::Completed { parcel_id }),
            Err(error) => Err(piton::Error::from(error)),
        },
    };

    for reservation_id in reservations {
        release(&id, reservation_id).await?;
    }
    refund(&id, charge_id).await?;
    stopped
}
