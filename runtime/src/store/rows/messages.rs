//! Inboxes, the outbox and dead letters.

use std::collections::{HashMap, HashSet};

use sqlx::FromRow;
use uuid::Uuid;

use crate::codec;
use crate::error::StoreError;
use crate::model::{ChildStart, Message, RunId, Timestamp, UpdateReply};
use crate::store::promises::Ask;
use crate::store::promises::sql::Work;
use crate::store::relay::Parcel;
use crate::store::{
    Arrival, ArrivalKind, AwaitedChild, DeadLetter, DeadLetterId, DeadLetterReason, Errand,
    FoundUpdate, Inbox, MessageKey, UpdateKey, WaitingMessage,
};

/// An arrival of a run; null if it does not fit in the response.
#[derive(FromRow)]
pub(crate) struct ArrivalRow {
    run_id: Uuid,
    seq: i64,
    arrival: Option<Vec<u8>>,
}

impl ArrivalRow {
    /// The arrival, in a response without a size limit.
    pub(crate) fn read(self) -> Arrival {
        Arrival { seq: self.seq, kind: read_arrival(self.arrival.unwrap_or_default()) }
    }
}

impl Inbox {
    /// Adds the next row of a response with up to `limit` arrivals of the run.
    pub(crate) fn add(&mut self, row: ArrivalRow, limit: u32) {
        let Some(arrival) = row.arrival.filter(|_| !self.has_more) else {
            self.has_more = true;
            return;
        };
        self.arrivals.push(Arrival { seq: row.seq, kind: read_arrival(arrival) });
        self.has_more = self.arrivals.len() >= limit as usize;
    }
}

/// Arrivals by run, each in the order of the rows.
pub(crate) fn read_inboxes(rows: Vec<ArrivalRow>, limit: u32) -> HashMap<RunId, Inbox> {
    let mut inboxes: HashMap<RunId, Inbox> = HashMap::new();
    for row in rows {
        inboxes.entry(row.run_id.into()).or_default().add(row, limit);
    }
    inboxes
}

/// A stored arrival. One that cannot be read concerns its run alone, so it is no error of the rows around it.
pub(super) fn read_arrival(stored: Vec<u8>) -> ArrivalKind {
    codec::from_record(&stored).unwrap_or_else(|error| {
        let reason = error.to_string();
        ArrivalKind::Unreadable { stored, reason }
    })
}

/// The stored form of an arrival.
pub(crate) fn write_arrival(kind: &ArrivalKind) -> Result<Vec<u8>, StoreError> {
    if let ArrivalKind::Unreadable { stored, .. } = kind {
        return Ok(stored.clone());
    }
    codec::to_record(kind)
        .map_err(|error| StoreError::Corrupt { what: "arrival", reason: error.to_string() })
}

/// A message in the outbox; null if it does not fit in the response.
#[derive(FromRow)]
pub(crate) struct OutboxRow {
    run_id: Uuid,
    seq: i64,
    workflow_id: String,
    message: Option<Vec<u8>>,
}

impl From<OutboxRow> for WaitingMessage {
    fn from(row: OutboxRow) -> Self {
        let key = MessageKey { run_id: row.run_id.into(), seq: row.seq };
        let body = row.message.and_then(|message| codec::from_record(&message).ok());
        Self { key, workflow_id: row.workflow_id, body }
    }
}

/// Messages to relay.
#[derive(Default)]
pub(crate) struct Outbox {
    /// Those for inboxes.
    pub(crate) parcels: Vec<Parcel<MessageKey>>,
    /// Children to start, with distinct workflow ids.
    pub(crate) starts: Vec<(MessageKey, String, ChildStart)>,
    /// Waits for children.
    pub(crate) awaits: Vec<(MessageKey, AwaitedChild)>,
    /// Ends of runs.
    pub(crate) closes: Vec<MessageKey>,
    /// Messages to promises.
    pub(crate) told: Vec<Work>,
    /// The first message of each sender that cannot be read; later ones are left as well.
    pub(crate) unreadable: Vec<MessageKey>,
    /// Whether there are more messages than were requested.
    pub(crate) has_more: bool,
}

impl Outbox {
    /// Up to `limit` messages from rows ordered by sender and key. Those of one sender are of one kind, since each
    /// kind is processed in its own transaction; the rest is left for the next call.
    pub(crate) fn read(rows: Vec<OutboxRow>, limit: usize) -> Self {
        let mut outbox = Self::default();
        let (mut sender, mut ids) = (None, HashSet::new());
        for (place, row) in rows.into_iter().enumerate() {
            let key = MessageKey { run_id: row.run_id.into(), seq: row.seq };
            let Some(message) = row.message.filter(|_| place < limit) else {
                outbox.has_more = true;
                break;
            };
            if outbox.unreadable.last().is_some_and(|last| last.run_id == key.run_id) {
                continue;
            }
            let Ok(message) = codec::from_record::<Message>(&message) else {
                outbox.unreadable.push(key);
                continue;
            };
            let errand = Errand::from(message);
            let kind = std::mem::discriminant(&errand);
            let of_sender = sender.filter(|(sender, _)| *sender == key.run_id);
            let of_sender = of_sender.map_or(Some(kind), |(_, kind)| kind);
            let is_taken = matches!(&errand, Errand::Start(_)) && ids.contains(&row.workflow_id);
            if is_taken || of_sender != Some(kind) {
                // Later messages of the sender are left as well.
                sender = Some((key.run_id, None));
                outbox.has_more = true;
                continue;
            }
            sender = Some((key.run_id, Some(kind)));
            outbox.add(key, row.workflow_id, errand, &mut ids);
        }
        outbox
    }

    fn add(
        &mut self,
        key: MessageKey,
        workflow_id: String,
        errand: Errand,
        ids: &mut HashSet<String>,
    ) {
        match errand {
            Errand::Deliver { chain, kind: arrival } => {
                self.parcels.push(Parcel { key, workflow_id, chain, arrival });
            }
            Errand::Start(start) => {
                ids.insert(workflow_id.clone());
                self.starts.push((key, workflow_id, *start));
            }
            Errand::Await(awaited) => self.awaits.push((key, awaited)),
            Errand::Close => self.closes.push(key),
            Errand::Promise(message) => {
                let ask = Ask { sender: key.run_id, message };
                self.told.push(Work::Told { message: key, ask });
            }
        }
    }
}

/// The stored form of a message.
pub(crate) fn write_message(message: &Message) -> Result<Vec<u8>, StoreError> {
    codec::to_record(message)
        .map_err(|error| StoreError::Corrupt { what: "message", reason: error.to_string() })
}

/// The stored form of an answer to an update.
pub(crate) fn write_reply(reply: &UpdateReply) -> Result<Vec<u8>, StoreError> {
    codec::to_record(reply)
        .map_err(|error| StoreError::Corrupt { what: "reply", reason: error.to_string() })
}

/// The columns about an update. Every existing run has such a row.
#[derive(FromRow)]
pub(crate) struct UpdateRow {
    is_accepted: bool,
    accepted: Option<String>,
    is_closed: bool,
    reply: Option<Vec<u8>>,
}

impl FoundUpdate {
    /// The progress of an update, by the run's row, if there is one.
    pub(crate) fn read(row: Option<UpdateRow>, key: &UpdateKey) -> Result<Self, StoreError> {
        let Some(UpdateRow { is_accepted, accepted, is_closed, reply }) = row else {
            return Ok(Self::Unknown);
        };
        if let Some(name) = accepted.filter(|name| *name != key.name) {
            return Ok(Self::Other { name });
        }
        Ok(match reply {
            Some(reply) => Self::Answered(codec::from_record(&reply).map_err(|error| {
                StoreError::Corrupt { what: "reply", reason: error.to_string() }
            })?),
            None if !is_accepted => Self::Unknown,
            None if is_closed => Self::Closed,
            None => Self::Accepted,
        })
    }
}

/// The columns of a [`DeadLetter`], selected under these names.
macro_rules! letter_columns {
    () => {
        "letter_id, run_id, workflow_id, arrival, sender_id, sender_seq, reason, set_aside_at"
    };
}
pub(crate) use letter_columns;

/// See [`letter_columns`].
#[derive(FromRow)]
pub(crate) struct LetterRow {
    letter_id: i64,
    run_id: Option<Uuid>,
    workflow_id: String,
    arrival: Vec<u8>,
    sender_id: Option<Uuid>,
    sender_seq: Option<i64>,
    reason: String,
    set_aside_at: i64,
}

impl TryFrom<LetterRow> for DeadLetter {
    type Error = StoreError;

    fn try_from(row: LetterRow) -> Result<Self, StoreError> {
        let reason = serde_json::from_str(&row.reason).map_err(|error| StoreError::Corrupt {
            what: "reason of a dead letter",
            reason: error.to_string(),
        })?;
        let message = row.sender_id.zip(row.sender_seq);
        Ok(Self {
            id: DeadLetterId(row.letter_id),
            run_id: row.run_id.map(RunId::from),
            workflow_id: row.workflow_id,
            arrival: read_arrival(row.arrival),
            message: message.map(|(run_id, seq)| MessageKey { run_id: run_id.into(), seq }),
            reason,
            set_aside_at: Timestamp(row.set_aside_at),
        })
    }
}

impl From<DeadLetter> for Parcel<DeadLetterId> {
    fn from(letter: DeadLetter) -> Self {
        let DeadLetter { id: key, workflow_id, arrival, .. } = letter;
        Self { key, workflow_id, chain: None, arrival }
    }
}

/// The stored form of the reason for a dead letter.
pub(crate) fn write_reason(reason: &DeadLetterReason) -> String {
    // Enums of strings always have a JSON form.
    serde_json::to_string(reason).expect("a reason is an enum of strings")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Payload;

    #[test]
    fn kinds_are_known_by_their_second_byte() {
        use crate::machine::OperationOutcome;
        use crate::model::{Handle, Timestamp};

        let (handle, attempt, payload) = (Handle(1), 1, Payload::default());
        let kinds = [
            ArrivalKind::Signal { name: "go".into(), payload: payload.clone() },
            ArrivalKind::Outcome { handle, outcome: OperationOutcome::Unknown },
            ArrivalKind::Retry {
                handle,
                attempt,
                retry_at: Timestamp(1),
                failure: String::new(),
                details: None,
            },
            ArrivalKind::Cancel { reason: "enough".into() },
            ArrivalKind::Interruption { handle, attempt },
            ArrivalKind::Heartbeat { handle, attempt, details: payload.clone() },
            ArrivalKind::Update { name: "add".into(), id: "1".into(), payload },
            ArrivalKind::TimedOut { reason: "late".into() },
            ArrivalKind::Pause,
        ];
        for (number, kind) in kinds.into_iter().enumerate() {
            let written = write_arrival(&kind).expect("it can be written");
            assert_eq!(usize::from(written[1]), number, "{kind:?}");
            let stored = ArrivalKind::Unreadable { stored: written, reason: String::new() };
            assert_eq!(stored.goes_over(), kind.goes_over(), "{kind:?}");
            assert_eq!(stored.is_signal(), kind.is_signal(), "{kind:?}");
        }
    }

    /// Rows that are in an inbox when a worker dies are read by a later build.
    #[test]
    fn requests_of_earlier_builds_are_read() {
        let reason = || "enough".to_owned();
        let golden: [(ArrivalKind, &[u8]); 3] = [
            (ArrivalKind::Cancel { reason: reason() }, b"\x01\x03\x06enough"),
            (ArrivalKind::TimedOut { reason: reason() }, b"\x01\x07\x06enough"),
            (ArrivalKind::Pause, b"\x01\x08"),
        ];
        for (kind, row) in golden {
            assert_eq!(write_arrival(&kind).expect("it can be written"), row, "{kind:?}");
            assert_eq!(read_arrival(row.to_vec()), kind);
        }
    }

    #[test]
    fn an_arrival_that_cannot_be_read_is_stored_as_it_was() {
        for stored in [b"".to_vec(), b"\x01\xff".to_vec(), b"\x01\x00\xff\xff".to_vec()] {
            let kind = read_arrival(stored.clone());
            assert!(matches!(kind, ArrivalKind::Unreadable { .. }), "{kind:?}");
            assert_eq!(write_arrival(&kind).expect("it can be written"), stored);
        }
    }

    fn row(run_id: Uuid, seq: i64, message: &Message) -> OutboxRow {
        let message = write_message(message).expect("it can be written");
        OutboxRow { run_id, seq, workflow_id: "a".into(), message: Some(message) }
    }

    #[test]
    fn what_cannot_be_read_holds_up_what_its_run_has_sent_after_it() {
        let body = Message::Signal { name: "go".into(), payload: Payload::default() };
        let (one, two) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let mut unreadable = row(one, 2, &body);
        unreadable.message = Some(vec![255; 3]);
        let long = OutboxRow { message: None, ..row(two, 5, &body) };
        let rows = vec![
            row(one, 1, &body),
            unreadable,
            row(one, 3, &body),
            row(two, 4, &body),
            long,
            row(two, 6, &body),
        ];
        let key = |run_id: Uuid, seq| MessageKey { run_id: run_id.into(), seq };
        let read = Outbox::read(rows, 10);
        let keys: Vec<_> = read.parcels.iter().map(|parcel| parcel.key).collect();
        assert_eq!(keys, [key(one, 1), key(two, 4)]);
        assert_eq!((read.unreadable, read.has_more), (vec![key(one, 2)], true));
    }
}
