//! Dead letters: signals that reached no run, or that their run could not read.

use super::Client;
use crate::engine::backoff::patiently;
use crate::error::StoreError;
use crate::store::{DeadLetter, DeadLetterFilter, DeadLetterId, RedeliverOutcome};

impl Client {
    /// The dead letters that match, the oldest first, at most `limit`: messages of runs to a workflow id that no
    /// open run has, and signals that a run could not read. They are kept until they are
    /// [redelivered](Client::redeliver_dead_letters) or [dropped](Client::drop_dead_letters).
    ///
    /// # Errors
    /// See [`Client::find`].
    pub async fn dead_letters(
        &self,
        filter: &DeadLetterFilter,
        limit: u32,
    ) -> Result<Vec<DeadLetter>, StoreError> {
        let mut letters: Vec<DeadLetter> = Vec::new();
        loop {
            let (after, left) = (letters.last().map(|last| last.id), limit - letters.len() as u32);
            let page = patiently(|| self.store().list_dead_letters(filter, after, left)).await?;
            let is_over = page.is_empty();
            letters.extend(page.into_iter().take(left as usize));
            if is_over || letters.len() as u32 >= limit {
                return Ok(letters);
            }
        }
    }

    /// Puts dead letters into the inbox of the open run that has their workflow id. Each is delivered once, even
    /// under concurrent calls. Returns outcomes in the order of `ids`.
    ///
    /// Calling it again is safe: the outcome for a delivered dead letter is [`RedeliverOutcome::Gone`], even if the
    /// response of the first call was lost.
    ///
    /// # Errors
    /// See [`Client::find`].
    pub async fn redeliver_dead_letters(
        &self,
        ids: &[DeadLetterId],
    ) -> Result<Vec<RedeliverOutcome>, StoreError> {
        patiently(|| self.store().redeliver_dead_letters(ids)).await
    }

    /// Deletes dead letters. Returns how many of them existed. Calling it again is safe.
    ///
    /// # Errors
    /// See [`Client::find`].
    pub async fn drop_dead_letters(&self, ids: &[DeadLetterId]) -> Result<u64, StoreError> {
        patiently(|| self.store().drop_dead_letters(ids)).await
    }
}
