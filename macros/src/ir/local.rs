//! One local: its binding, and how its value is stored, rematerialized and shown.

use proc_macro2::Ident;
use syn::{Expr, Pat, Type};

use super::field::Field;
use super::ids::LocalId;
use super::shape::Shape;
use crate::syntax::fingerprint::Fingerprint;

/// A binding that can be live across a suspension point.
#[derive(Clone, Debug)]
pub(crate) struct Local {
    /// The name of the variable, unique in the function.
    pub(crate) ident: Ident,
    /// The annotated type.
    pub(crate) ty: Option<Type>,
    /// Whether it is declared `mut`.
    pub(crate) mutable: bool,
    /// Whether its declaration in the source initializes it.
    pub(crate) is_initialized: bool,
    /// Whether the compiler introduced it for an operand, and only one statement uses it.
    pub(crate) is_temporary: bool,
    pub(crate) identity: Identity,
    pub(crate) saving: Saving,
    /// `None` if states save it.
    pub(crate) rematerialized: Option<Rematerialized>,
    /// If it is the position of a `for` loop over a shared borrow: the borrow, which lasts until the loop ends.
    pub(crate) loop_borrow: Option<Expr>,
    pub(crate) visibility: Visibility,
}

/// The stored identity of a local. Changed code finds the saved value by it.
#[derive(Clone, Debug)]
pub(crate) struct Identity {
    /// The stored name: the name in the source, and for the second and later bindings of this name `#` and a number.
    pub(crate) name: String,
    /// Names under which earlier versions of the workflow stored it.
    pub(crate) former_names: Vec<String>,
    /// The fingerprint of the code that binds it, without its own name.
    pub(crate) bound_by: Fingerprint,
    /// Whether two bindings with equal code may have different values, because it awaits or calls a method.
    pub(crate) may_vary: bool,
    /// Of a temporary, the fingerprint of the code that uses it: the expression around it with its index as an operand, or
    /// the pattern that binds it or a borrow of it.
    pub(crate) used_by: Fingerprint,
    /// Of a local that a pattern binds with others, the fingerprint of the tokens of the value in any order.
    pub(crate) unordered: Fingerprint,
    /// Whether it is bound within the initializer of a `let` that binds the same name: `receipt` in
    /// `let receipt = match paid { Ok(receipt) => receipt, … }`. Its scope ends before the `let` binds the name.
    pub(crate) is_within_own_let: bool,
}

/// How a state saves a local.
#[derive(Clone, Debug, Default)]
pub(crate) struct Saving {
    pub(crate) kind: LocalKind,
    /// Where the source shows texts in the value.
    pub(crate) shape: Shape,
    /// Whether a part of it is an inclusive range that the code may advance. serde does not save whether it is exhausted.
    pub(crate) holds_range: bool,
    /// Whether the source leaves open if its type is `&str`, so that method resolution decides.
    pub(crate) may_be_text: bool,
    /// Whether it is `'static` if its type is `&str`.
    pub(crate) is_static: bool,
    /// If a `for` loop binds it: the local that holds the remaining items. Both have one type of item, so rustc reports
    /// an item that cannot be saved there, and only once.
    pub(crate) item_of: Option<LocalId>,
}

/// A local that resume blocks compute again, so that no state saves it.
#[derive(Clone, Debug)]
pub(crate) struct Rematerialized {
    /// The expression that computes it.
    pub(crate) expr: Expr,
    /// The pattern that binds it together with others, if borrowing one part after the other would be a conflict.
    pub(crate) pattern: Option<SharedPattern>,
}

impl From<Expr> for Rematerialized {
    fn from(expr: Expr) -> Self {
        Self { expr, pattern: None }
    }
}

/// A pattern with several borrows of parts of one value, at least one of them mutable. Evaluating it once makes all of
/// them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SharedPattern {
    pub(crate) pat: Pat,
    pub(crate) value: Expr,
    /// Whether the pattern is irrefutable.
    pub(crate) always_matches: bool,
}

/// Which values of a local are visible outside of the run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Visibility {
    /// Whether inspection hides the value.
    pub(crate) redacted: bool,
    /// Whether states save it to the end of its scope so that views can read it.
    pub(crate) exposed: bool,
}

impl Local {
    /// Whether the declaration initializes it and nothing may assign it again.
    pub(crate) fn is_final(&self) -> bool {
        self.is_initialized && !self.mutable
    }

    /// Its name in the source.
    pub(crate) fn name(&self) -> &str {
        self.identity.name.split('#').next().unwrap_or_default()
    }

    /// Whether resume blocks compute it again instead of loading it.
    pub(crate) fn is_rematerialized(&self) -> bool {
        self.rematerialized.is_some()
    }

    /// The expression that computes it, if it is rematerialized.
    pub(crate) fn rematerialized_by(&self) -> Option<&Expr> {
        self.rematerialized.as_ref().map(|made| &made.expr)
    }

    /// The pattern that computes it together with others.
    pub(crate) fn shared_pattern(&self) -> Option<&SharedPattern> {
        self.rematerialized.as_ref()?.pattern.as_ref()
    }

    /// How a state saves the projection of it to these fields.
    pub(crate) fn kind_of(&self, fields: &[Field]) -> LocalKind {
        match self.saving.shape.part(fields) {
            Some(part) if !fields.is_empty() => part.kind(self.mutable),
            _ => self.saving.kind,
        }
    }

    /// The shape of the projection of it to these fields, if that contains texts and is none itself.
    pub(crate) fn texts_in(&self, fields: &[Field]) -> Option<&Shape> {
        self.saving.shape.part(fields).filter(|shape| shape.holds_text())
    }

    /// As [`texts_in`](Self::texts_in), if all the texts are literals.
    pub(crate) fn literals_in(&self, fields: &[Field]) -> Option<&Shape> {
        self.texts_in(fields).filter(|shape| shape.is_of_literals())
    }
}

/// The encoding of a saved local.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum LocalKind {
    /// Its own serde implementation.
    #[default]
    Value,
    /// The iterator of a `for` loop, as the list of its remaining items.
    Items,
    /// A `&'static str`, as its text.
    Text,
    /// A `&str`, as its text.
    Lent,
    /// A `Cow<str>`, as its text.
    Cow,
    /// As `Items`, of `&'static str`.
    Texts,
    /// An inclusive range `a..=b`, as its bounds and whether it is exhausted.
    Range,
}

impl LocalKind {
    /// Whether it may borrow a text, of which states save a copy.
    pub(crate) fn may_borrow(self) -> bool {
        matches!(self, Self::Lent | Self::Cow)
    }
}
