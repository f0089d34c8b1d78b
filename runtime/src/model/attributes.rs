//! Attributes: typed values of a run that filters can use.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Timestamp;

/// The value of an attribute.
///
/// In JSON, the kinds have these names: `{"keyword": "c-17"}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AttributeValue {
    /// A short text, such as a key: at most [`MAX_KEYWORD_BYTES`].
    Keyword(String),
    /// Several short texts, each once. An empty list counts as not set.
    Keywords(Vec<String>),
    /// A text that may be longer: at most [`MAX_TEXT_BYTES`].
    Text(String),
    /// A whole number.
    Integer(i64),
    /// A finite floating-point number.
    Float(f64),
    /// Yes or no.
    Bool(bool),
    /// A point in time.
    Time(Timestamp),
}

/// The longest keyword, in bytes.
pub const MAX_KEYWORD_BYTES: usize = 1_000;

/// The longest text, in bytes.
pub const MAX_TEXT_BYTES: usize = 32 << 10;

/// The maximum number of entries in a list of keywords.
pub const MAX_KEYWORDS: usize = 100;

/// The maximum number of attributes set at a time.
pub const MAX_ATTRIBUTES: usize = 64;

/// The longest name of an attribute, in bytes.
pub const MAX_ATTRIBUTE_NAME: usize = 64;

/// The attributes of a run, by name.
pub type AttributeMap = BTreeMap<String, AttributeValue>;

/// Attributes to set, and attributes to remove, which have no value. Other attributes of the run do not change.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AttributeChanges(BTreeMap<String, Option<AttributeValue>>);

/// Why attributes cannot be set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AttributeError {
    /// The name is not a valid name of an attribute.
    #[error(
        "`{name}` cannot name an attribute: a name has letters, digits and `_`, begins with no digit, and \
         has at most {MAX_ATTRIBUTE_NAME} bytes"
    )]
    Name {
        /// The name.
        name: String,
    },
    /// The name is that of a column of every run.
    #[error("`{name}` cannot name an attribute: every run has a column of this name")]
    Column {
        /// The name.
        name: String,
    },
    /// A value is longer than its kind allows.
    #[error("the attribute `{name}` has {bytes} bytes; the limit is {max}")]
    Long {
        /// The attribute.
        name: String,
        /// Its length in bytes.
        bytes: usize,
        /// The limit in bytes.
        max: usize,
    },
    /// A list has too many entries.
    #[error("the attribute `{name}` has {entries} entries; the limit is {MAX_KEYWORDS}")]
    Entries {
        /// The attribute.
        name: String,
        /// The number of entries.
        entries: usize,
    },
    /// A text contains the character NUL, which Postgres cannot store.
    #[error("the attribute `{name}` contains the character NUL")]
    Nul {
        /// The attribute.
        name: String,
    },
    /// A number is infinite or not a number.
    #[error("the attribute `{name}` is not a finite number")]
    NotFinite {
        /// The attribute.
        name: String,
    },
    /// Too many attributes are set at a time.
    #[error("{count} attributes are set at once; the limit is {MAX_ATTRIBUTES}")]
    Many {
        /// The number of attributes.
        count: usize,
    },
}

/// Names that attributes cannot have, because they have another meaning in filters.
pub const RESERVED_ATTRIBUTE_NAMES: [&str; 13] = [
    "workflow",
    "workflow_id",
    "run_id",
    "status",
    "state",
    "definition",
    "started_at",
    "closed_at",
    "due_at",
    "blocked_at",
    "since",
    "blocked_kind",
    "var",
];

impl AttributeChanges {
    /// No changes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets this attribute to a value, or removes it with `None`; returns the changes.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: impl IntoAttribute) -> Self {
        self.put(name, value);
        self
    }

    /// Sets this attribute to a value, or removes it with `None`.
    pub fn put(&mut self, name: impl Into<String>, value: impl IntoAttribute) {
        let value = value.into_attribute().filter(
            |value| !matches!(value, AttributeValue::Keywords(keywords) if keywords.is_empty()),
        );
        let value = value.map(|value| match value {
            AttributeValue::Keywords(keywords) => AttributeValue::Keywords(distinct(keywords)),
            other => other,
        });
        self.0.insert(name.into(), value);
    }

    /// These changes, followed by others.
    pub fn extend(&mut self, later: Self) {
        self.0.extend(later.0);
    }

    /// Whether there are no changes.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The attributes to set, and those to remove, which have no value, ordered by name.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, Option<&AttributeValue>)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_ref()))
    }

    /// Applies these changes.
    pub fn apply_to(self, attributes: &mut AttributeMap) {
        for (name, value) in self.0 {
            match value {
                Some(value) => _ = attributes.insert(name, value),
                None => _ = attributes.remove(&name),
            }
        }
    }

    /// Checks that they can be stored.
    ///
    /// # Errors
    /// [`AttributeError`] for the first one that cannot.
    pub fn check(&self) -> Result<(), AttributeError> {
        if self.0.len() > MAX_ATTRIBUTES {
            return Err(AttributeError::Many { count: self.0.len() });
        }
        self.0.iter().try_for_each(|(name, value)| {
            check_name(name)?;
            value.as_ref().map_or(Ok(()), |value| value.check(name))
        })
    }

    /// The approximate stored size in bytes.
    pub fn bytes(&self) -> usize {
        let value = |(name, value): (&String, &Option<AttributeValue>)| {
            name.len() + value.as_ref().map_or(0, AttributeValue::bytes)
        };
        self.0.iter().map(value).sum()
    }
}

impl From<AttributeMap> for AttributeChanges {
    fn from(attributes: AttributeMap) -> Self {
        Self(attributes.into_iter().map(|(name, value)| (name, Some(value))).collect())
    }
}

/// The entries in order, without duplicates.
fn distinct(keywords: Vec<String>) -> Vec<String> {
    let mut seen = std::collections::HashSet::new();
    keywords.into_iter().filter(|keyword| seen.insert(keyword.clone())).collect()
}

fn check_name(name: &str) -> Result<(), AttributeError> {
    let mut letters = name.bytes();
    let begins = letters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_');
    let is_word = begins && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == b'_');
    if !is_word || name.len() > MAX_ATTRIBUTE_NAME {
        return Err(AttributeError::Name { name: name.chars().take(100).collect() });
    }
    if RESERVED_ATTRIBUTE_NAMES.iter().any(|reserved| reserved.eq_ignore_ascii_case(name)) {
        return Err(AttributeError::Column { name: name.to_owned() });
    }
    Ok(())
}

impl AttributeValue {
    fn check(&self, name: &str) -> Result<(), AttributeError> {
        let name = || name.to_owned();
        let text = |text: &String, max: usize| match text.len() {
            bytes if bytes > max => Err(AttributeError::Long { name: name(), bytes, max }),
            _ if text.contains('\0') => Err(AttributeError::Nul { name: name() }),
            _ => Ok(()),
        };
        match self {
            Self::Keyword(keyword) => text(keyword, MAX_KEYWORD_BYTES),
            Self::Keywords(keywords) if keywords.len() > MAX_KEYWORDS => {
                Err(AttributeError::Entries { name: name(), entries: keywords.len() })
            }
            Self::Keywords(keywords) => {
                keywords.iter().try_for_each(|keyword| text(keyword, MAX_KEYWORD_BYTES))
            }
            Self::Text(long) => text(long, MAX_TEXT_BYTES),
            Self::Float(number) if !number.is_finite() => {
                Err(AttributeError::NotFinite { name: name() })
            }
            Self::Integer(_) | Self::Float(_) | Self::Bool(_) | Self::Time(_) => Ok(()),
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Keyword(text) | Self::Text(text) => text.len(),
            Self::Keywords(keywords) => keywords.iter().map(String::len).sum(),
            Self::Integer(_) | Self::Float(_) | Self::Bool(_) | Self::Time(_) => 8,
        }
    }

    /// The name of its kind: `keyword`, `keywords`, `text`, `integer`, `float`, `bool` or `time`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Keyword(_) => "keyword",
            Self::Keywords(_) => "keywords",
            Self::Text(_) => "text",
            Self::Integer(_) => "integer",
            Self::Float(_) => "float",
            Self::Bool(_) => "bool",
            Self::Time(_) => "time",
        }
    }
}

impl std::fmt::Display for AttributeValue {
    /// For people: texts unquoted, entries of a list separated by commas.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Keyword(text) | Self::Text(text) => f.write_str(text),
            Self::Keywords(keywords) => f.write_str(&keywords.join(", ")),
            Self::Integer(number) => number.fmt(f),
            Self::Float(number) => number.fmt(f),
            Self::Bool(truth) => truth.fmt(f),
            Self::Time(at) => at.fmt(f),
        }
    }
}

/// A value of an attribute. `None` means not set.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the value of an attribute",
    label = "not a text, number, `bool`, time or list of texts",
    note = "convert it: to an `i64` if it is a wider integer, to a `String` if it has a text form"
)]
pub trait IntoAttribute {
    /// The value.
    fn into_attribute(self) -> Option<AttributeValue>;
}

impl IntoAttribute for AttributeValue {
    fn into_attribute(self) -> Option<AttributeValue> {
        Some(self)
    }
}

impl<T: IntoAttribute> IntoAttribute for Option<T> {
    fn into_attribute(self) -> Option<AttributeValue> {
        self.and_then(T::into_attribute)
    }
}

macro_rules! into_attribute {
    ($($ty:ty: $value:ident => $attribute:expr;)*) => {
        $(impl IntoAttribute for $ty {
            fn into_attribute(self) -> Option<AttributeValue> {
                let $value = self;
                Some($attribute)
            }
        })*
    };
}

into_attribute! {
    String: text => AttributeValue::Keyword(text);
    &str: text => AttributeValue::Keyword(text.to_owned());
    Vec<String>: keywords => AttributeValue::Keywords(keywords);
    bool: truth => AttributeValue::Bool(truth);
    f64: number => AttributeValue::Float(number);
    f32: number => AttributeValue::Float(number.into());
    i64: number => AttributeValue::Integer(number);
    i32: number => AttributeValue::Integer(number.into());
    i16: number => AttributeValue::Integer(number.into());
    i8: number => AttributeValue::Integer(number.into());
    u32: number => AttributeValue::Integer(number.into());
    u16: number => AttributeValue::Integer(number.into());
    u8: number => AttributeValue::Integer(number.into());
    Timestamp: at => AttributeValue::Time(at);
}

/// A struct whose fields are attributes, by `#[derive(Attributes)]`.
///
/// ```
/// use piton::Attributes;
/// use piton::model::{AttributeValue, Timestamp};
///
/// #[derive(Attributes)]
/// struct Order {
///     customer: String,
///     cents: i64,
///     /// Not set while it is `None`.
///     shipped_at: Option<Timestamp>,
///     #[attribute(text)]
///     note: String,
/// }
///
/// let order = Order { customer: "c-17".into(), cents: 1_250, shipped_at: None, note: "fragile".into() };
/// let changes = order.into_changes();
/// let values: Vec<_> = changes.iter().collect();
/// assert_eq!(values[0], ("cents", Some(&AttributeValue::Integer(1_250))));
/// assert_eq!(values[3], ("shipped_at", None));
/// ```
///
/// A field of type `String` is a keyword, and with `#[attribute(text)]` a text; a `Vec<String>` is a list of keywords;
/// integers of at most 64 bits with a sign, floats, `bool` and [`Timestamp`] are what they are. A field of type
/// `Option` that is `None` unsets the attribute. `#[attribute(name = "…")]` gives another name than the field's.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no attributes",
    note = "add `#[derive(Attributes)]` to the struct"
)]
pub trait Attributes {
    /// The attributes of this value.
    fn into_changes(self) -> AttributeChanges;
}

impl Attributes for AttributeChanges {
    fn into_changes(self) -> AttributeChanges {
        self
    }
}

/// A text attribute, which may be longer than a keyword: the type of a field with `#[attribute(text)]`.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an attribute of type text",
    label = "`#[attribute(text)]` needs a `String` or an `Option<String>`"
)]
pub trait IntoText {
    fn into_text(self) -> Option<AttributeValue>;
}

impl IntoText for String {
    fn into_text(self) -> Option<AttributeValue> {
        Some(AttributeValue::Text(self))
    }
}

impl IntoText for Option<String> {
    fn into_text(self) -> Option<AttributeValue> {
        self.map(AttributeValue::Text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_list_is_not_set_and_entries_come_once() {
        let list = |keywords: &[&str]| keywords.iter().map(|word| (*word).to_owned()).collect();
        let changes = AttributeChanges::new()
            .with("none", Vec::<String>::new())
            .with("some", list(&["a", "b", "a"]) as Vec<String>);
        let kept = AttributeValue::Keywords(list(&["a", "b"]));
        assert_eq!(changes.iter().collect::<Vec<_>>(), [("none", None), ("some", Some(&kept))]);
    }

    #[test]
    fn what_cannot_be_stored_is_named() {
        let error = |name: &str, value: AttributeValue| {
            AttributeChanges::new().with(name, value).check().map_err(|error| error.to_string())
        };
        let keyword = |text: &str| AttributeValue::Keyword(text.to_owned());
        assert_eq!(error("customer", keyword(&"x".repeat(MAX_KEYWORD_BYTES))), Ok(()));
        for (name, value, says) in [
            ("customer", keyword(&"x".repeat(MAX_KEYWORD_BYTES + 1)), "has 1001 bytes; the limit"),
            ("customer", keyword("\0"), "NUL"),
            ("Status", keyword("x"), "a column of this name"),
            ("an order", keyword("x"), "`an order` cannot name"),
            ("1st", keyword("x"), "`1st` cannot name"),
            ("", keyword("x"), "`` cannot name"),
            ("ratio", AttributeValue::Float(f64::NAN), "not a finite number"),
        ] {
            let told = error(name, value).expect_err("it is refused");
            assert!(told.contains(says), "{told}");
        }
    }

    #[test]
    fn filters_have_a_column_of_each_reserved_name() {
        #[cfg(feature = "engine")]
        for name in RESERVED_ATTRIBUTE_NAMES.iter().filter(|name| **name != "var") {
            assert!(crate::filter::Column::parse(name).is_some(), "{name}");
        }
    }
}
