//! The current format: the fields of [`Snapshot`] in their order, as serde visits them.

use serde::Serialize;

use super::SNAPSHOT_FORMAT;
use crate::codec::{CodecError, encode_into};
use crate::model::{Ending, Handle, Operation, Snapshot, Timestamp, Wait, as_bytes};

/// Encodes a snapshot, format byte first.
///
/// # Errors
/// [`CodecError::Encode`], which does not happen for snapshots made by this crate.
pub fn encode_snapshot(snapshot: &Snapshot) -> Result<Vec<u8>, CodecError> {
    encode_snapshot_view(&SnapshotView {
        frame: &snapshot.frame,
        state: &snapshot.state,
        next_handle: snapshot.next_handle,
        operations: &snapshot.operations,
        wait: &snapshot.wait,
        steps: snapshot.steps,
        cancelled: snapshot.cancelled.as_deref(),
        clock: snapshot.clock,
        ending: snapshot.ending.as_deref(),
    })
}

/// A [`Snapshot`] by reference, with the same encoding.
#[derive(Debug, Serialize)]
pub(crate) struct SnapshotView<'a> {
    #[serde(serialize_with = "as_bytes")]
    pub(crate) frame: &'a [u8],
    pub(crate) state: &'a str,
    pub(crate) next_handle: u64,
    pub(crate) operations: &'a [(Handle, Operation)],
    pub(crate) wait: &'a Wait,
    pub(crate) steps: u64,
    pub(crate) cancelled: Option<&'a str>,
    pub(crate) clock: Timestamp,
    pub(crate) ending: Option<&'a Ending>,
}

pub(crate) fn encode_snapshot_view(snapshot: &SnapshotView<'_>) -> Result<Vec<u8>, CodecError> {
    // A rough estimate of the bytes around the frame and around each operation.
    let arguments = snapshot.operations.iter().map(|(_, operation)| match operation {
        Operation::Activity(activity) => activity.arguments.as_bytes().len() + 96,
        Operation::Compensation(undo) => undo.activity.arguments.as_bytes().len() + 96,
        _ => 32,
    });
    let mut bytes = Vec::with_capacity(snapshot.frame.len() + 64 + arguments.sum::<usize>());
    bytes.push(SNAPSHOT_FORMAT);
    encode_into(snapshot, &mut bytes)?;
    Ok(bytes)
}
