//! Snapshots of runs. The first byte is the format, which selects the reader.
//!
//! `current` writes. Each format that was ever written has a reader, which stays as long as runs may be parked in it. A
//! new field of a snapshot or of an operation is a new format: raise [`SNAPSHOT_FORMAT`], copy the reader of `current`
//! into a module named after the old format, give the new field a value there, and add golden files
//! (`tests/steps/golden.rs`).

pub(crate) mod call;
mod current;
mod v1;

pub use self::current::encode_snapshot;
pub(crate) use self::current::{SnapshotView, encode_snapshot_view};

use super::{CodecError, decode};
use crate::model::Snapshot;

/// The first byte of a [`Snapshot`] that this build encodes.
pub const SNAPSHOT_FORMAT: u8 = 2;

/// Reads a snapshot of any format so far.
///
/// # Errors
/// [`CodecError::Decode`] if the bytes are damaged or of a format that this build does not know.
pub fn decode_snapshot(bytes: &[u8]) -> Result<Snapshot, CodecError> {
    match bytes {
        [SNAPSHOT_FORMAT, snapshot @ ..] => decode(snapshot),
        [v1::FORMAT, snapshot @ ..] => decode::<v1::Snapshot>(snapshot).map(Snapshot::from),
        _ => Err(CodecError::Decode {
            type_name: "piton::model::Snapshot",
            reason: match bytes.first() {
                Some(format) => format!(
                    "unknown snapshot format {format}: a newer piton has written it, use that"
                ),
                None => "it is empty".into(),
            },
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_snapshot_says_so() {
        let reason = |bytes: &[u8]| decode_snapshot(bytes).expect_err("no snapshot").to_string();
        assert!(reason(&[]).ends_with("it is empty"));
        assert!(
            reason(&[SNAPSHOT_FORMAT + 1]).contains("unknown snapshot format 3: a newer piton")
        );
        assert!(reason(&[SNAPSHOT_FORMAT]).contains("are not a"));
        assert!(reason(&[v1::FORMAT]).contains("are not a"));
    }
}
