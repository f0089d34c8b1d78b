//! Read-only queries of the gateway's books, for audits.

use std::path::Path;
use std::sync::Arc;

use sqlx::sqlite::{SqliteConnectOptions, SqliteRow};
use sqlx::{ConnectOptions, Row};

use super::LedgerError;

/// Everything that the books say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Audit {
    /// What happened, oldest first.
    pub effects: Vec<Effect>,
    /// The stock of every article, by sku.
    pub stock: Vec<StockLevel>,
    /// How many different calls came in.
    pub calls: u64,
    /// How many attempts it took to make them.
    pub attempts: u64,
}

/// Something that happened, once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effect {
    /// Its number in the books.
    pub id: i64,
    /// The idempotency key it happened under.
    pub key: String,
    /// The order it was for.
    pub order_id: String,
    /// What happened.
    pub kind: EffectKind,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EffectKind {
    /// Money was taken.
    Charge {
        /// How much.
        cents: u64,
    },
    /// Money was given back.
    Refund {
        /// The effect that it undoes.
        charge_id: i64,
        /// How much.
        cents: u64,
    },
    /// Goods were put aside.
    Reserve {
        /// Which article.
        sku: String,
        /// How many.
        quantity: u32,
    },
    /// Goods were put back.
    Release {
        /// The effect that it undoes.
        reservation_id: i64,
    },
    /// The order was sent.
    Ship,
}

/// What the shelf holds of an article.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StockLevel {
    /// The article.
    pub sku: String,
    /// What there was in the beginning.
    pub initial: i64,
    /// What can be reserved now.
    pub available: i64,
}

impl Audit {
    /// Reads the books in a file.
    ///
    /// # Errors
    /// [`LedgerError::Open`] if there is no such file or it is not a ledger.
    pub async fn read(path: &Path) -> Result<Self, LedgerError> {
        read(path)
            .await
            .map_err(|source| LedgerError::Open { path: path.into(), source: Arc::new(source) })
    }
}

async fn read(path: &Path) -> sqlx::Result<Audit> {
    let mut books = SqliteConnectOptions::new().filename(path).read_only(true).connect().await?;
    let effects = sqlx::query(
        "SELECT id, key, order_id, operation, cents, sku, quantity, undoes
         FROM effects ORDER BY id",
    )
    .try_map(effect)
    .fetch_all(&mut books)
    .await?;
    let stock = sqlx::query("SELECT sku, initial, available FROM stock ORDER BY sku")
        .try_map(|row: SqliteRow| {
            Ok(StockLevel {
                sku: row.try_get("sku")?,
                initial: row.try_get("initial")?,
                available: row.try_get("available")?,
            })
        })
        .fetch_all(&mut books)
        .await?;
    let (calls, attempts) =
        sqlx::query_as("SELECT COUNT(*), COALESCE(SUM(attempts), 0) FROM calls")
            .fetch_one(&mut books)
            .await?;
    Ok(Audit { effects, stock, calls, attempts })
}

fn effect(row: SqliteRow) -> sqlx::Result<Effect> {
    let operation: &str = row.try_get("operation")?;
    let kind = match operation {
        "charge" => EffectKind::Charge { cents: row.try_get("cents")? },
        "refund" => {
            EffectKind::Refund { charge_id: row.try_get("undoes")?, cents: row.try_get("cents")? }
        }
        "reserve" => {
            EffectKind::Reserve { sku: row.try_get("sku")?, quantity: row.try_get("quantity")? }
        }
        "release" => EffectKind::Release { reservation_id: row.try_get("undoes")? },
        "ship" => EffectKind::Ship,
        other => return Err(sqlx::Error::Decode(format!("no operation `{other}`").into())),
    };
    Ok(Effect {
        id: row.try_get("id")?,
        key: row.try_get("key")?,
        order_id: row.try_get("order_id")?,
        kind,
    })
}
