//! The states of a workflow as variants of an enum.

use std::error::Error;
use std::fmt;
use std::mem::discriminant;

/// The states of a workflow as values: `fulfill::Charge` for the state `charge`.
///
/// `#[workflow]` generates an enum under the function's name, with a variant for each state: the stored name in
/// `UpperCamelCase`, such as `Charge2` for `charge#2`, `SignalGo` for `signal<Go>` and `Join0Greet` for
/// `join.0.greet`. If two would have the same name, the later one gets a number. Methods and generic workflows have
/// no such variants.
///
/// ```
/// use piton::machine::States;
/// use piton::prelude::*;
///
/// #[activity]
/// async fn charge(order: u64) -> u64 {
///     order
/// }
///
/// #[workflow]
/// async fn fulfill(order: u64) -> u64 {
///     charge(order).await
/// }
///
/// assert_eq!(fulfill::Charge.name(), "charge");
/// assert!(matches!(fulfill::from_name("start"), Ok(fulfill::Start)));
/// assert_eq!(fulfill::ALL.len(), 2);
/// ```
pub trait States: Sized + 'static {
    /// All states with their stored names, in the order of [`Graph::nodes`](crate::model::Graph::nodes).
    const ALL: &'static [(Self, &'static str)];

    /// The stored name.
    fn name(&self) -> &'static str {
        let mut all = Self::ALL.iter();
        let found = all.find(|(state, _)| discriminant(state) == discriminant(self));
        found.map_or("", |(_, name)| *name)
    }

    /// The state with this stored name.
    ///
    /// # Errors
    /// [`UnknownState`] if the workflow has none. The code may have changed since the name was written.
    fn from_name(name: &str) -> Result<&'static Self, UnknownState> {
        let mut all = Self::ALL.iter();
        let found = all.find(|(_, known)| *known == name);
        found.map(|(state, _)| state).ok_or_else(|| UnknownState { name: name.to_owned() })
    }
}

/// The name of a state that a workflow does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownState {
    name: String,
}

impl fmt::Display for UnknownState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the workflow has no state `{}`", self.name)
    }
}

impl Error for UnknownState {}
