//! What steps have done beside their runs: a file for each kind of [effect](crate::store::Effect).

mod enqueue;
mod give_up;
