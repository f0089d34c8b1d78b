//! The types of generated programs.

/// A type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ty {
    /// `i64`
    Int,
    /// `bool`
    Bool,
    /// `char`
    Char,
    /// `()`
    Unit,
    /// `&str`: a literal, or a borrow of a local `String`
    Str,
    /// `String`
    Text,
    /// `Vec<i64>`
    List,
    /// `Vec<String>`
    Texts,
    /// `Option<i64>`
    Maybe,
    /// `Option<String>`
    MaybeText,
    /// `(i64, String)`
    Pair,
    /// `BTreeMap<String, i64>`
    Map,
    /// `Order`
    Order,
    /// `Shape`
    Shape,
    /// `Result<i64, ActivityError<Refused>>`
    Outcome,
    /// `Noisy`
    Noisy,
}

impl Ty {
    /// Types of values that live across awaits and are moved, cloned or copied.
    pub const VALUES: [Self; 13] = [
        Self::Int,
        Self::Int,
        Self::Bool,
        Self::Char,
        Self::Text,
        Self::Text,
        Self::List,
        Self::Texts,
        Self::Maybe,
        Self::Pair,
        Self::Map,
        Self::Order,
        Self::Shape,
    ];

    /// Whether a use is a copy.
    pub fn is_copy(self) -> bool {
        matches!(self, Self::Int | Self::Bool | Self::Char | Self::Unit | Self::Str | Self::Maybe)
    }

    /// As written in a signature.
    pub fn name(self) -> &'static str {
        match self {
            Self::Int => "i64",
            Self::Bool => "bool",
            Self::Char => "char",
            Self::Unit => "()",
            Self::Str => "&'static str",
            Self::Text => "String",
            Self::List => "Vec<i64>",
            Self::Texts => "Vec<String>",
            Self::Maybe => "Option<i64>",
            Self::MaybeText => "Option<String>",
            Self::Pair => "(i64, String)",
            Self::Map => "BTreeMap<String, i64>",
            Self::Order => "Order",
            Self::Shape => "Shape",
            Self::Outcome => "Result<i64, ActivityError<Refused>>",
            Self::Noisy => "Noisy",
        }
    }

    /// The smallest expression of the type. It needs nothing around it to tell its type.
    pub fn literal(self) -> &'static str {
        match self {
            Self::Int => "0",
            Self::Bool => "false",
            Self::Char => "'a'",
            Self::Unit => "()",
            Self::Str => "\"\"",
            Self::Text => "String::new()",
            Self::List => "Vec::<i64>::new()",
            Self::Texts => "Vec::<String>::new()",
            Self::Maybe => "None::<i64>",
            Self::MaybeText => "None::<String>",
            Self::Pair => "(0_i64, String::new())",
            Self::Map => "BTreeMap::<String, i64>::new()",
            Self::Order => "(Order { id: 0, customer: String::new(), lines: Vec::new() })",
            Self::Shape => "Shape::Point",
            Self::Outcome => "Ok::<i64, ActivityError<Refused>>(0)",
            Self::Noisy => "Noisy::new(\"0\")",
        }
    }
}
