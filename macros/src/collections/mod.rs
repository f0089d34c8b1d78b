//! Collections for the few elements of one function: sets as sorted lists, and maps by name.

pub(crate) mod by_name;
pub(crate) mod sets;
