//! The shape of a value, as far as the source shows it: texts, literals and ranges in it.

use super::field::Field;
use super::local::LocalKind;

/// The maximum length of a saved tuple that contains literals: see `piton::machine::Literal`.
const MAX_PARTS: usize = 6;

/// The shape of a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Shape {
    #[default]
    Unknown,
    /// A `&'static str`.
    Text,
    /// A `&str`, which may be borrowed.
    Lent,
    /// A `Cow<str>`.
    Cow,
    /// An inclusive range, `a..=b`.
    Range,
    Tuple(Vec<Shape>),
    /// An array or a vector.
    List(Box<Shape>),
    /// `Some`, `Ok` or `Err` of a value.
    Wrapped(Box<Shape>),
    /// A closure that returns a value.
    Gives(Box<Shape>),
}

impl Shape {
    pub(crate) fn is_text(&self) -> bool {
        matches!(self, Self::Text | Self::Lent)
    }

    /// Whether it contains texts and is none itself.
    pub(crate) fn holds_text(&self) -> bool {
        let has_text = |shape: &Self| shape.is_text() || shape.holds_text();
        match self {
            Self::Unknown | Self::Text | Self::Lent | Self::Cow | Self::Range | Self::Gives(_) => {
                false
            }
            Self::Tuple(shapes) => shapes.iter().any(has_text),
            Self::List(shape) | Self::Wrapped(shape) => has_text(shape),
        }
    }

    /// Whether all texts in it are literals that can be saved as such.
    pub(crate) fn is_of_literals(&self) -> bool {
        match self {
            Self::Unknown | Self::Text | Self::Range | Self::Gives(_) => true,
            Self::Lent | Self::Cow => false,
            Self::Tuple(shapes) => {
                shapes.len() <= MAX_PARTS && shapes.iter().all(Self::is_of_literals)
            }
            Self::List(shape) | Self::Wrapped(shape) => shape.is_of_literals(),
        }
    }

    /// The shape of its projection to these fields, if the source shows one.
    pub(crate) fn part(&self, fields: &[Field]) -> Option<&Self> {
        let Some((field, rest)) = fields.split_first() else { return Some(self) };
        let Self::Tuple(shapes) = self else { return None };
        let index: usize = field.parse().ok()?;
        shapes.get(index)?.part(rest)
    }

    /// The encoding of a local of this shape. Only a `mutable` range can have advanced.
    pub(crate) fn kind(&self, mutable: bool) -> LocalKind {
        match self {
            Self::Text => LocalKind::Text,
            Self::Lent => LocalKind::Lent,
            Self::Cow => LocalKind::Cow,
            Self::Range if mutable => LocalKind::Range,
            _ => LocalKind::Value,
        }
    }

    /// Whether it contains an inclusive range.
    pub(crate) fn holds_range(&self) -> bool {
        let has_range = |shape: &Self| *shape == Self::Range || shape.holds_range();
        matches!(self, Self::Tuple(shapes) if shapes.iter().any(has_range))
    }

    /// How deeply values are nested in it.
    pub(crate) fn depth(&self) -> usize {
        match self {
            Self::Unknown | Self::Text | Self::Lent | Self::Cow | Self::Range => 0,
            Self::Tuple(shapes) => 1 + shapes.iter().map(Self::depth).max().unwrap_or(0),
            Self::List(shape) | Self::Wrapped(shape) | Self::Gives(shape) => 1 + shape.depth(),
        }
    }

    /// The shape of a value that has one of two shapes. A text is a literal only if both are.
    pub(crate) fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Text, Self::Text) => Self::Text,
            (Self::Text, _) | (_, Self::Text) | (Self::Lent, _) | (_, Self::Lent) => Self::Lent,
            (Self::Tuple(one), Self::Tuple(other)) if one.len() == other.len() => {
                Self::Tuple(one.into_iter().zip(other).map(|(one, other)| one.or(other)).collect())
            }
            (Self::Tuple(parts), _) | (_, Self::Tuple(parts)) => {
                Self::Tuple(parts.into_iter().map(|part| part.or(Self::Unknown)).collect())
            }
            (Self::List(one), Self::List(other)) => Self::List(Box::new(one.or(*other))),
            (Self::List(item), _) | (_, Self::List(item)) => {
                Self::List(Box::new(item.or(Self::Unknown)))
            }
            (Self::Wrapped(one), Self::Wrapped(other)) => Self::Wrapped(Box::new(one.or(*other))),
            (Self::Wrapped(one), _) | (_, Self::Wrapped(one)) => {
                Self::Wrapped(Box::new(one.or(Self::Unknown)))
            }
            (Self::Gives(one), Self::Gives(other)) => Self::Gives(Box::new(one.or(*other))),
            (Self::Gives(_), _) | (_, Self::Gives(_)) => Self::Unknown,
            (Self::Cow, _) | (_, Self::Cow) => Self::Cow,
            (Self::Range, _) | (_, Self::Range) => Self::Range,
            (Self::Unknown, Self::Unknown) => Self::Unknown,
        }
    }

    /// Combines the shape of a type with that of the `value` assigned to it.
    pub(crate) fn over(self, value: Self) -> Self {
        match (self, value) {
            (Self::Unknown, value) => value,
            // Any `&str` may be a literal.
            (Self::Lent, Self::Text) => Self::Text,
            (Self::Tuple(one), Self::Tuple(other)) if one.len() == other.len() => {
                let parts = one.into_iter().zip(other).map(|(one, other)| one.over(other));
                Self::Tuple(parts.collect())
            }
            (Self::List(one), Self::List(other)) => Self::List(Box::new(one.over(*other))),
            (Self::Wrapped(one), Self::Wrapped(other)) => Self::Wrapped(Box::new(one.over(*other))),
            (ty, _) => ty,
        }
    }
}
