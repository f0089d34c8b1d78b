//! The database connection that an activity borrows for one attempt.
//!
//! Only the activity and the store know the type of the connection; here it is any value.

use std::any::{Any, TypeId, type_name};
use std::sync::{Mutex, PoisonError};

/// A holder of a database connection within a transaction.
pub trait Lent: Any + Send {
    /// The connection, such as an `sqlx::PgConnection`.
    fn connection(&mut self) -> &mut (dyn Any + Send);
}

/// The type of connection that an activity requests.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionKind {
    /// The type.
    pub type_id: fn() -> TypeId,
    /// The type's name, for people.
    pub type_name: fn() -> &'static str,
}

impl ConnectionKind {
    /// Connections of type `C`.
    pub const fn of<C: Any>() -> Self {
        Self { type_id: TypeId::of::<C>, type_name: type_name::<C> }
    }
}

/// The place of the connection while nobody uses it.
#[derive(Default)]
pub struct Desk(Mutex<Option<Box<dyn Lent>>>);

impl Desk {
    /// Puts it back.
    pub fn put(&self, lent: Box<dyn Lent>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(lent);
    }

    /// Takes it, if it is there.
    pub fn take(&self) -> Option<Box<dyn Lent>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl std::fmt::Debug for Desk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Desk")
    }
}

/// The connection as the type that the activity has requested.
///
/// # Panics
/// If it has another type, which the engine has ruled out.
pub fn connection<C: Any>(lent: &mut dyn Lent) -> &mut C {
    lent.connection().downcast_mut().expect("the engine has compared the types")
}
