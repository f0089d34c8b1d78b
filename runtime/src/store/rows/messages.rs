//! What arrives for runs.

use std::collections::HashMap;

use sqlx::FromRow;
use uuid::Uuid;

use crate::codec;
use crate::error::StoreError;
use crate::model::{Payload, RunId};
use crate::store::{Arrival, ArrivalKind, Inbox};

/// One arrival of some run; null where it does not fit the answer.
#[derive(FromRow)]
pub(crate) struct ArrivalRow {
    run_id: Uuid,
    seq: i64,
    arrival: Option<Vec<u8>>,
}

impl Inbox {
    /// Adds the next row of an answer that has up to `limit` arrivals of the run.
    pub(crate) fn add(&mut self, row: ArrivalRow, limit: u32) -> Result<(), StoreError> {
        let Some(arrival) = row.arrival.filter(|_| !self.has_more) else {
            self.has_more = true;
            return Ok(());
        };
        let kind = codec::from_payload(&Payload(arrival))
            .map_err(|error| StoreError::Corrupt { what: "arrival", reason: error.to_string() })?;
        self.arrivals.push(Arrival { seq: row.seq, kind });
        self.has_more = self.arrivals.len() >= limit as usize;
        Ok(())
    }
}

/// Arrivals by run, each in its row order.
pub(crate) fn read_inboxes(
    rows: Vec<ArrivalRow>,
    limit: u32,
) -> Result<HashMap<RunId, Inbox>, StoreError> {
    let mut inboxes: HashMap<RunId, Inbox> = HashMap::new();
    for row in rows {
        inboxes.entry(row.run_id.into()).or_default().add(row, limit)?;
    }
    Ok(inboxes)
}

/// The stored form of an arrival.
pub(crate) fn write_arrival(kind: &ArrivalKind) -> Result<Vec<u8>, StoreError> {
    codec::to_payload(kind)
        .map(|payload| payload.0)
        .map_err(|error| StoreError::Corrupt { what: "arrival", reason: error.to_string() })
}
