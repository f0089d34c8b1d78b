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
    /// `[i64; 3]`
    Array,
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
    /// `Box<Shape>`
    Boxed,
    /// `Result<i64, ActivityError<Refused>>`
    Outcome,
    /// `Result<String, ActivityError<ParseFailed>>`
    Fetched,
    /// `piton::Result<i64>`
    Failing,
    /// `T`, the parameter of a generic function
    Param,
    /// `Noisy`
    Noisy,
    /// `Vec<Noisy>`
    Noisies,
    /// `Option<Noisy>`
    MaybeNoisy,
    /// `(Noisy, Noisy)`
    Duo,
}

impl Ty {
    /// Types of values that live across awaits and are moved, cloned or copied.
    pub const VALUES: [Self; 17] = [
        Self::Int,
        Self::Int,
        Self::Int,
        Self::Bool,
        Self::Char,
        Self::Text,
        Self::Text,
        Self::List,
        Self::Texts,
        Self::Array,
        Self::Maybe,
        Self::MaybeText,
        Self::Pair,
        Self::Map,
        Self::Order,
        Self::Shape,
        Self::Boxed,
    ];

    /// Types whose drop can be observed.
    pub const NOISY: [Self; 5] =
        [Self::Noisy, Self::Noisy, Self::Noisies, Self::MaybeNoisy, Self::Duo];

    /// Whether a use is a copy.
    pub fn is_copy(self) -> bool {
        matches!(
            self,
            Self::Int
                | Self::Bool
                | Self::Char
                | Self::Unit
                | Self::Str
                | Self::Maybe
                | Self::Array
        )
    }

    /// Whether its drop can be observed.
    pub fn is_noisy(self) -> bool {
        Self::NOISY.contains(&self)
    }

    /// Whether values can be cloned.
    pub fn is_clone(self) -> bool {
        !self.is_noisy() && self != Self::Failing
    }

    /// The fields that can be moved out, borrowed and assigned by themselves.
    pub fn parts(self) -> &'static [(&'static str, Self)] {
        match self {
            Self::Pair => &[("0", Self::Int), ("1", Self::Text)],
            Self::Order => &[("id", Self::Int), ("customer", Self::Text)],
            Self::Duo => &[("0", Self::Noisy), ("1", Self::Noisy)],
            _ => &[],
        }
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
            Self::Array => "[i64; 3]",
            Self::Maybe => "Option<i64>",
            Self::MaybeText => "Option<String>",
            Self::Pair => "(i64, String)",
            Self::Map => "BTreeMap<String, i64>",
            Self::Order => "Order",
            Self::Shape => "Shape",
            Self::Boxed => "Box<Shape>",
            Self::Outcome => "std::result::Result<i64, ActivityError<Refused>>",
            Self::Fetched => "std::result::Result<String, ActivityError<ParseFailed>>",
            Self::Failing => "Result<i64>",
            Self::Param => "T",
            Self::Noisy => "Noisy",
            Self::Noisies => "Vec<Noisy>",
            Self::MaybeNoisy => "Option<Noisy>",
            Self::Duo => "(Noisy, Noisy)",
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
            Self::Array => "[0_i64; 3]",
            Self::Maybe => "None::<i64>",
            Self::MaybeText => "None::<String>",
            Self::Pair => "(0_i64, String::new())",
            Self::Map => "BTreeMap::<String, i64>::new()",
            Self::Order => "(Order { id: 0, customer: String::new(), lines: Vec::new() })",
            Self::Shape => "Shape::Point",
            Self::Boxed => "Box::new(Shape::Point)",
            Self::Outcome => "Ok::<i64, ActivityError<Refused>>(0)",
            Self::Fetched => "Ok::<String, ActivityError<ParseFailed>>(String::new())",
            Self::Failing => "Ok::<i64, Error>(0)",
            Self::Param => "given.clone()",
            Self::Noisy => "Noisy::new(\"0\")",
            Self::Noisies => "Vec::<Noisy>::new()",
            Self::MaybeNoisy => "None::<Noisy>",
            Self::Duo => "(Noisy::new(\"0\"), Noisy::new(\"1\"))",
        }
    }
}
