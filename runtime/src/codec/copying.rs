//! What is done with values whose type is not known: they are read, and written again.
//!
//! That is all that is compiled for each type, to tell what its values look like, whether they read back, and how many
//! bytes one takes.

use serde::{Deserialize, Serialize};

use super::NameOf;
use super::arguments::{Arguments, ArgumentsReader};
use super::source::{Source, SourceError};

/// Reads a value of one type, and writes it if it is to be copied somewhere.
pub(super) type CopyValue = fn(Source<'_>, Option<&mut Arguments>) -> Result<(), SourceError>;

/// How a value is copied.
#[derive(Clone, Copy, Debug)]
pub(super) enum Copying {
    /// As what it is.
    Value(CopyValue),
    /// As the value or the error in it, see [`results`](super::results).
    Result { type_name: NameOf, value: CopyValue, error: CopyValue },
}

impl Copying {
    /// Reads a value, and writes it if it is to be copied somewhere.
    pub(super) fn copy(
        self,
        from: Source<'_>,
        mut to: Option<&mut Arguments>,
    ) -> Result<(), SourceError> {
        let (type_name, value, error) = match self {
            Self::Value(copy) => return copy(from, to),
            Self::Result { type_name, value, error } => (type_name, value, error),
        };
        from.result(type_name(), &mut |is_ok, content| {
            if let Some(to) = &mut to {
                to.begin_result(is_ok);
            }
            let copy = if is_ok { value } else { error };
            copy(content, to.as_deref_mut())
        })
    }

    /// Whether what has been `written` reads back as it is. A value that cannot be written is reported when
    /// a run holds one.
    pub(super) fn reads_back(self, written: Arguments) -> bool {
        let Ok(written) = written.finish() else { return true };
        let mut again = Arguments::NONE;
        let mut reader = ArgumentsReader::new(written.as_bytes());
        let copied =
            reader.next().is_some_and(|source| self.copy(source, Some(&mut again)).is_ok());
        let again = again.finish();
        copied && reader.finish().is_ok() && again.is_ok_and(|again| again == written)
    }
}

/// [`CopyValue`] for `T`.
pub(super) fn copy_value<T: for<'de> Deserialize<'de> + Serialize>(
    from: Source<'_>,
    to: Option<&mut Arguments>,
) -> Result<(), SourceError> {
    match T::deserialize(from) {
        Ok(value) => {
            if let Some(to) = to {
                to.add(&value);
            }
            Ok(())
        }
        Err(error) => Err(error),
    }
}
