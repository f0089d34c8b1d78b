//! Updates are answered.

use crate::model::{NewReply, RunId};
use crate::store::memory::state::State;
use crate::store::memory::{Write, state::News};

impl State {
    pub(crate) fn reply(&mut self, run_id: RunId, new: NewReply, news: &News<'_>) {
        news.wrote(Write::Replied { run_id, update: &new.update, reply: &new.reply });
        let NewReply { update, reply } = new;
        self.replies.entry((run_id, update)).or_insert(reply);
    }
}
