//! The effect of one call on the books.
//!
//! Runs inside the transaction of [`super::ledger`] and must not commit. Nothing in here may depend
//! on anything but the books, the call and its key, else the same key could get two answers.

use std::time::Duration;

use sqlx::SqliteConnection;

use super::faults::Fault;
use super::{Answer, Call, Faults};

/// How to answer a call that has been entered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Posted {
    /// With this answer.
    Answer {
        /// The same for every attempt with the key.
        answer: Answer,
        /// How long to keep the caller waiting for it.
        delay: Duration,
    },
    /// With a failure. Whether the call had its effect is for the caller to find out.
    Failure,
    /// Refused: the key belongs to another call.
    KeyReused,
}

/// The cards that no bank honors, by their last four digits, with the bank's reason. The digits are
/// those that payment services reserve for tests.
const DECLINED_CARDS: [(&str, &str); 3] = [
    ("0002", "the bank refused"),
    ("9995", "insufficient funds"),
    ("0069", "the card has expired"),
];

/// Enters one attempt of a call.
pub(super) async fn enter(
    books: &mut SqliteConnection,
    key: &str,
    call: &Call,
    faults: &Faults,
) -> sqlx::Result<Posted> {
    let request = json(call)?;
    let (attempt, first_request, answer): (u32, String, Option<String>) = sqlx::query_as(
        "INSERT INTO calls (key, request, attempts) VALUES (?1, ?2, 1)
         ON CONFLICT (key) DO UPDATE SET attempts = attempts + 1
         RETURNING attempts, request, answer",
    )
    .bind(key)
    .bind(&request)
    .fetch_one(&mut *books)
    .await?;
    if request != first_request {
        return Ok(Posted::KeyReused);
    }
    let fault = faults.decide(call, attempt);
    if fault == Fault::Before {
        return Ok(Posted::Failure);
    }
    let answer = match answer {
        Some(answer) => {
            serde_json::from_str(&answer).map_err(|error| sqlx::Error::Decode(error.into()))?
        }
        None => {
            let answer = take_effect(books, key, call).await?;
            sqlx::query("UPDATE calls SET answer = ?2 WHERE key = ?1")
                .bind(key)
                .bind(json(&answer)?)
                .execute(books)
                .await?;
            answer
        }
    };
    Ok(match fault {
        Fault::Before | Fault::After => Posted::Failure,
        Fault::Late(delay) => Posted::Answer { answer, delay },
        Fault::None => Posted::Answer { answer, delay: faults.answer_time },
    })
}

/// Executes a call once.
async fn take_effect(books: &mut SqliteConnection, key: &str, call: &Call) -> sqlx::Result<Answer> {
    match call {
        Call::Charge { card, cents, .. } => {
            let declined = DECLINED_CARDS.iter().find(|(digits, _)| card.ends_with(digits));
            if let Some((_, reason)) = declined {
                return Ok(Answer::Declined { reason: (*reason).to_owned() });
            }
            let Ok(cents) = i64::try_from(*cents) else {
                return Ok(Answer::Refused { reason: format!("nobody can pay {cents} cents") });
            };
            let columns = Columns { cents: Some(cents), ..Columns::default() };
            Ok(Answer::Charged { charge_id: insert(books, key, call, columns).await? })
        }
        Call::Refund { order_id, charge_id } => {
            let cents: Option<i64> = sqlx::query_scalar(
                "SELECT cents FROM effects
                 WHERE id = ?1 AND order_id = ?2 AND operation = 'charge'",
            )
            .bind(charge_id)
            .bind(order_id)
            .fetch_optional(&mut *books)
            .await?;
            if cents.is_none() {
                let reason = format!("order {order_id} has no charge {charge_id}");
                return Ok(Answer::Refused { reason });
            }
            let columns = Columns { cents, undoes: Some(*charge_id), ..Columns::default() };
            Ok(Answer::Refunded { refund_id: insert(books, key, call, columns).await? })
        }
        Call::Reserve { sku, quantity, .. } => {
            let taken = sqlx::query(
                "UPDATE stock SET available = available - ?2
                 WHERE sku = ?1 AND available >= ?2",
            )
            .bind(sku)
            .bind(quantity)
            .execute(&mut *books)
            .await?;
            if taken.rows_affected() == 0 {
                let available = available(books, sku).await?;
                return Ok(Answer::OutOfStock { available });
            }
            let columns =
                Columns { sku: Some(sku), quantity: Some(*quantity), ..Columns::default() };
            Ok(Answer::Reserved { reservation_id: insert(books, key, call, columns).await? })
        }
        Call::Release { order_id, reservation_id } => {
            let reserved: Option<(String, u32)> = sqlx::query_as(
                "SELECT sku, quantity FROM effects
                 WHERE id = ?1 AND order_id = ?2 AND operation = 'reserve'",
            )
            .bind(reservation_id)
            .bind(order_id)
            .fetch_optional(&mut *books)
            .await?;
            let Some((sku, quantity)) = reserved else {
                let reason = format!("order {order_id} has no reservation {reservation_id}");
                return Ok(Answer::Refused { reason });
            };
            sqlx::query("UPDATE stock SET available = available + ?2 WHERE sku = ?1")
                .bind(&sku)
                .bind(quantity)
                .execute(&mut *books)
                .await?;
            let columns = Columns {
                sku: Some(&sku),
                quantity: Some(quantity),
                undoes: Some(*reservation_id),
                ..Columns::default()
            };
            Ok(Answer::Released { release_id: insert(books, key, call, columns).await? })
        }
        Call::Ship { .. } => {
            let parcel_id = insert(books, key, call, Columns::default()).await?;
            Ok(Answer::Shipped { parcel_id })
        }
    }
}

/// How many of an article can still be reserved; none of one that the warehouse does not know.
async fn available(books: &mut SqliteConnection, sku: &str) -> sqlx::Result<u32> {
    let available = sqlx::query_scalar("SELECT available FROM stock WHERE sku = ?1")
        .bind(sku)
        .fetch_optional(books)
        .await?;
    Ok(available.unwrap_or(0))
}

/// The columns of an effect that only some operations have.
#[derive(Default)]
struct Columns<'a> {
    cents: Option<i64>,
    sku: Option<&'a str>,
    quantity: Option<u32>,
    undoes: Option<i64>,
}

/// Adds an effect and gives its id.
async fn insert(
    books: &mut SqliteConnection,
    key: &str,
    call: &Call,
    columns: Columns<'_>,
) -> sqlx::Result<i64> {
    let inserted = sqlx::query(
        "INSERT INTO effects (key, order_id, operation, cents, sku, quantity, undoes)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )
    .bind(key)
    .bind(call.order_id())
    .bind(call.operation())
    .bind(columns.cents)
    .bind(columns.sku)
    .bind(columns.quantity)
    .bind(columns.undoes)
    .execute(books)
    .await?;
    Ok(inserted.last_insert_rowid())
}

/// A call or an answer as the books keep it.
fn json(value: &impl serde::Serialize) -> sqlx::Result<String> {
    serde_json::to_string(value).map_err(|error| sqlx::Error::Encode(error.into()))
}
