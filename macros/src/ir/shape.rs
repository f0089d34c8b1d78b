//! What the source shows of a value: whether it is or contains texts, and whether they are literals.

use super::{Field, LocalKind};

/// How many parts a tuple with literals in it may have: see `piton::machine::Literal`.
const MAX_PARTS: usize = 6;

/// What is known of a value.
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
    /// A range with its end, `a..=b`.
    Range,
    Tuple(Vec<Shape>),
    /// An array or a vector.
    List(Box<Shape>),
    /// A `Some`, `Ok` or `Err` of it.
    Wrapped(Box<Shape>),
    /// A closure that gives it.
    Gives(Box<Shape>),
}

impl Shape {
    pub(crate) fn is_text(&self) -> bool {
        matches!(self, Self::Text | Self::Lent)
    }

    /// Whether a text is in it, beside other things.
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

    /// Whether the texts in it are literals, all of them, and can be saved as such.
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

    /// What is known of the part of it that these fields are.
    pub(crate) fn part(&self, fields: &[Field]) -> Option<&Self> {
        let Some((field, rest)) = fields.split_first() else { return Some(self) };
        let Self::Tuple(shapes) = self else { return None };
        let index: usize = field.parse().ok()?;
        shapes.get(index)?.part(rest)
    }

    /// How a local of it is saved. A range gives none of its numbers unless it is `mutable`.
    pub(crate) fn kind(&self, mutable: bool) -> LocalKind {
        match self {
            Self::Text => LocalKind::Text,
            Self::Lent => LocalKind::Lent,
            Self::Cow => LocalKind::Cow,
            Self::Range if mutable => LocalKind::Range,
            _ => LocalKind::Value,
        }
    }

    /// Whether a range with its end is a part of it.
    pub(crate) fn holds_range(&self) -> bool {
        let has_range = |shape: &Self| *shape == Self::Range || shape.holds_range();
        matches!(self, Self::Tuple(shapes) if shapes.iter().any(has_range))
    }

    /// How many values are in one another.
    pub(crate) fn depth(&self) -> usize {
        match self {
            Self::Unknown | Self::Text | Self::Lent | Self::Cow | Self::Range => 0,
            Self::Tuple(shapes) => 1 + shapes.iter().map(Self::depth).max().unwrap_or(0),
            Self::List(shape) | Self::Wrapped(shape) | Self::Gives(shape) => 1 + shape.depth(),
        }
    }

    /// What is known of a value that is one of two of the same type. Where one is a literal and nothing is known
    /// of the other, that may be borrowed.
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

    /// What is known of a value of which its type says this, and its source something else.
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
