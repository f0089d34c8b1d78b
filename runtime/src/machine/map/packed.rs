//! A list of which a step decodes only some items; the others stay bytes.

use std::marker::PhantomData;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::codec;
use crate::machine::StepError;
use crate::machine::frame::damaged;
use crate::model::{as_bytes, in_one_piece};

/// Encoded values, one after the other.
#[derive(Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub(super) struct Packed<T> {
    count: u32,
    #[serde(serialize_with = "as_bytes", deserialize_with = "in_one_piece")]
    bytes: Vec<u8>,
    #[serde(skip)]
    item: PhantomData<fn() -> T>,
}

impl<T: Serialize + DeserializeOwned> Packed<T> {
    pub(super) fn new() -> Self {
        Self { count: 0, bytes: Vec::new(), item: PhantomData }
    }

    /// Number of values.
    pub(super) fn len(&self) -> u32 {
        self.count
    }

    /// Appends a value.
    ///
    /// # Errors
    /// [`StepError::Encode`] if it cannot be encoded.
    pub(super) fn push(&mut self, item: &T) -> Result<(), StepError> {
        codec::encode_into(item, &mut self.bytes).map_err(StepError::Encode)?;
        self.count += 1;
        Ok(())
    }

    /// Removes the first `count` values, or all if there are fewer.
    ///
    /// # Errors
    /// [`StepError::Decode`] if they cannot be read.
    pub(super) fn take(&mut self, count: u32) -> Result<Vec<T>, StepError> {
        let count = count.min(self.count);
        let (mut items, mut taken) = (Vec::new(), 0);
        for _ in 0..count {
            let rest = self.bytes.get(taken..).ok_or_else(|| damaged("it has too few items"))?;
            let (item, length) = codec::decode_first(rest).map_err(StepError::Decode)?;
            items.push(item);
            taken += length;
        }
        self.bytes.drain(..taken);
        self.count -= count;
        Ok(items)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_taken_in_the_order_in_which_they_were_added() {
        let mut packed = Packed::new();
        let texts: Vec<_> = (0..300).map(|length| "x".repeat(length)).collect();
        texts.iter().for_each(|text| packed.push(text).expect("plain data"));
        let mut bytes = Vec::new();
        codec::encode_into(&packed, &mut bytes).expect("plain data");
        let mut packed: Packed<String> = codec::decode(&bytes).expect("as it was written");
        assert_eq!(packed.take(2).expect("there"), texts[..2]);
        packed.push(&"last".to_owned()).expect("plain data");
        assert_eq!(packed.len(), 299);
        let rest = packed.take(u32::MAX).expect("there");
        assert_eq!((&rest[..298], &*rest[298]), (&texts[2..], "last"));
        assert!(packed.take(1).expect("nothing").is_empty());
    }
}
