//! The call of an activity on a queue, as stored in its row.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::v1;
use crate::codec::{self, CodecError};
use crate::model::ActivityOperation;

/// Always written in format 1, independent of the format of snapshots.
#[derive(Serialize, Deserialize)]
struct StoredCall<'a> {
    workflow_id: Cow<'a, str>,
    activity: v1::ActivityOperation,
}

/// Encodes a call of an activity by the run with this workflow id.
pub(crate) fn encode_call(workflow_id: &str, activity: ActivityOperation) -> Vec<u8> {
    let stored = StoredCall { workflow_id: workflow_id.into(), activity: activity.into() };
    codec::to_record(&stored).expect("strings, numbers and bytes can be encoded")
}

/// Reads the workflow id and the call.
#[cfg(feature = "engine")]
pub(crate) fn decode_call(call: &[u8]) -> Result<(String, ActivityOperation), CodecError> {
    let StoredCall { workflow_id, activity } = codec::from_record(call)?;
    Ok((workflow_id.into_owned(), activity.into()))
}
