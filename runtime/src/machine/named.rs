//! The name of the workflow, activity or update that a saved value is about, as a part of the saved form.
//!
//! The name is a variant of an enum, so it belongs to the schema: neither changed code nor JSON makes the handle of one
//! workflow that of another. In the compact form it takes one byte.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{DeserializeSeed, EnumAccess, Error, VariantAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Activity, Update, Workflow};

/// A type that has a stored name.
pub(super) trait Named {
    /// The stored name, and the former ones.
    fn names() -> &'static [&'static str];
}

/// The names of a workflow.
pub(super) struct OfWorkflow<W>(PhantomData<fn() -> W>);

impl<W: Workflow> Named for OfWorkflow<W> {
    fn names() -> &'static [&'static str] {
        W::entry().names()
    }
}

/// The name of an activity.
pub(super) struct OfActivity<A>(PhantomData<fn() -> A>);

impl<A: Activity> Named for OfActivity<A> {
    fn names() -> &'static [&'static str] {
        const { &[A::NAME] }
    }
}

/// The name of an update.
pub(super) struct OfUpdate<U>(PhantomData<fn() -> U>);

impl<U: Update> Named for OfUpdate<U> {
    fn names() -> &'static [&'static str] {
        const { &[U::NAME] }
    }
}

/// The name of `N`. Reads as a former name of it as well.
pub(super) struct NameOf<N>(PhantomData<fn() -> N>);

impl<N> NameOf<N> {
    pub(super) const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<N> Clone for NameOf<N> {
    fn clone(&self) -> Self {
        Self::new()
    }
}

impl<N: Named> Serialize for NameOf<N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_unit_variant("Name", 0, N::names()[0])
    }
}

impl<'de, N: Named> Deserialize<'de> for NameOf<N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_enum("Name", N::names(), Self::new())
    }
}

impl<'de, N: Named> Visitor<'de> for NameOf<N> {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the name `{}`", N::names()[0])
    }

    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<Self, A::Error> {
        let ((), variant) = data.variant_seed(Known(N::names()))?;
        variant.unit_variant()?;
        Ok(self)
    }
}

/// Accepts one of these names, or its place among them.
struct Known(&'static [&'static str]);

impl<'de> DeserializeSeed<'de> for Known {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl Visitor<'_> for Known {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the name `{}`", self.0[0])
    }

    fn visit_u64<E: Error>(self, place: u64) -> Result<(), E> {
        match usize::try_from(place).is_ok_and(|place| place < self.0.len()) {
            true => Ok(()),
            false => Err(E::custom(format_args!("there is no name number {place}"))),
        }
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<(), E> {
        match self.0.contains(&name) {
            true => Ok(()),
            false => Err(E::custom(format_args!("it is of `{name}`, not of `{}`", self.0[0]))),
        }
    }

    fn visit_bytes<E: Error>(self, name: &[u8]) -> Result<(), E> {
        self.visit_str(&String::from_utf8_lossy(name))
    }
}
