//! The states of a workflow as values of its type.

use std::error::Error;
use std::fmt;
use std::mem::discriminant;

/// The states of a workflow as values: `fulfill::Charge` for the state `charge`.
///
/// `#[workflow]` makes the type under the function's name an enum with a variant for each state: its stored name in
/// `UpperCamelCase`, such as `Charge2` for `charge#2`, `SignalGo` for `signal<Go>` and `Join0Greet` for `join.0.greet`. Where
/// two would be called alike, the later one gets a number. Methods and generic workflows have no such variants. The values
/// are written and read, by `Display`, `FromStr` and serde, as the stored names.
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
/// assert_eq!(fulfill::Charge.to_string(), "charge");
/// assert_eq!("start".parse(), Ok(fulfill::Start));
/// assert_eq!(fulfill::ALL.len(), 2);
/// ```
pub trait States: Copy + 'static {
    /// All of them with their stored names, in the order of [`Graph::nodes`](crate::model::Graph::nodes).
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
    /// [`UnknownState`] if the workflow has none. Its code may have changed since the name was written.
    fn from_name(name: &str) -> Result<Self, UnknownState> {
        let mut all = Self::ALL.iter();
        let found = all.find(|(_, known)| *known == name);
        found.map(|(state, _)| *state).ok_or_else(|| UnknownState { name: name.to_owned() })
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

/// Implements [`States`] for the type of a workflow, and what rests on it.
#[doc(hidden)]
#[macro_export]
macro_rules! __states {
    ($states:ident $($state:ident $name:literal)*) => {
        impl $crate::machine::States for $states {
            const ALL: &'static [(Self, &'static str)] = &[$((Self::$state, $name)),*];
        }
        impl ::core::marker::Copy for $states {}
        impl ::core::clone::Clone for $states {
            #[inline]
            fn clone(&self) -> Self {
                *self
            }
        }
        impl ::core::cmp::PartialEq for $states {
            #[inline]
            fn eq(&self, other: &Self) -> bool {
                *self as usize == *other as usize
            }
        }
        impl ::core::cmp::Eq for $states {}
        impl ::core::fmt::Debug for $states {
            #[inline]
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.write_str($crate::machine::States::name(self))
            }
        }
        impl ::core::fmt::Display for $states {
            #[inline]
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.pad($crate::machine::States::name(self))
            }
        }
        impl ::core::str::FromStr for $states {
            type Err = $crate::machine::UnknownState;
            #[inline]
            fn from_str(name: &str) -> ::core::result::Result<Self, Self::Err> {
                $crate::machine::States::from_name(name)
            }
        }
        impl $crate::__private::Serialize for $states {
            #[inline]
            fn serialize<S: $crate::__private::Serializer>(
                &self,
                serializer: S,
            ) -> ::core::result::Result<S::Ok, S::Error> {
                serializer.serialize_str($crate::machine::States::name(self))
            }
        }
    };
}
