//! Filters as text that parses to the same filter.

use std::fmt::{self, Display, Formatter, Write as _};

use super::column::Column;
use super::literal::{write_duration, write_prefix};
use super::tree::{Check, Condition, Moment, Scalar, Subject, Test};

impl Display for Condition {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::All(parts) if parts.is_empty() => f.write_str("true"),
            Self::Any(parts) if parts.is_empty() => f.write_str("false"),
            Self::All(parts) => joined(f, parts, " and "),
            Self::Any(parts) => joined(f, parts, " or "),
            Self::Test(test) => test.fmt(f),
        }
    }
}

fn joined(f: &mut Formatter<'_>, parts: &[Condition], word: &str) -> fmt::Result {
    for (index, part) in parts.iter().enumerate() {
        if index > 0 {
            f.write_str(word)?;
        }
        match part {
            Condition::All(inner) | Condition::Any(inner) if !inner.is_empty() => {
                write!(f, "({part})")?;
            }
            part => part.fmt(f)?,
        }
    }
    Ok(())
}

impl Display for Test {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        use super::tree::Comparison::Equal;
        let Self { subject, check, negated } = self;
        match (check, negated) {
            (Check::Compare(Equal, value), true) => write!(f, "{subject} != {value}"),
            (Check::Compare(comparison, value), negated) => {
                let not = if *negated { "not " } else { "" };
                write!(f, "{not}{subject} {} {value}", comparison.as_sql())
            }
            (Check::In(values), negated) => {
                let not = if *negated { "not " } else { "" };
                write!(f, "{subject} {not}in (")?;
                for (index, value) in values.iter().enumerate() {
                    let comma = if index > 0 { ", " } else { "" };
                    write!(f, "{comma}{value}")?;
                }
                f.write_char(')')
            }
            (Check::StartsWith(prefix), negated) => {
                let not = if *negated { "not " } else { "" };
                write!(f, "{subject} {not}like {}", Quoted('\'', &write_prefix(prefix)))
            }
            (Check::Unset, false) => write!(f, "{subject} is null"),
            (Check::Unset, true) => write!(f, "{subject} is not null"),
        }
    }
}

impl Display for Subject {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Column(column) => column.fmt(f),
            Self::Attribute(name) if is_plain(name) && Column::near(name).is_none() => {
                f.write_str(name)
            }
            Self::Attribute(name) => Quoted('"', name).fmt(f),
            Self::Variable(path) => {
                f.write_str("var")?;
                path.iter().try_for_each(|name| match is_plain(name) {
                    true => write!(f, ".{name}"),
                    false => write!(f, ".{}", Quoted('"', name)),
                })
            }
        }
    }
}

/// Whether a name needs no quotes, even if SQL reserves many names.
fn is_plain(name: &str) -> bool {
    let mut letters = name.chars();
    let first = letters.next().is_some_and(|letter| letter.is_ascii_alphabetic() || letter == '_');
    let is_word = first && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    is_word && !super::parse::is_keyword(name)
}

impl Display for Scalar {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => Quoted('\'', text).fmt(f),
            Self::Integer(number) => number.fmt(f),
            // With a point or an exponent, so that it stays one.
            Self::Float(number) => write!(f, "{number:?}"),
            Self::Bool(truth) => truth.fmt(f),
            Self::Time(Moment::At(at)) => write!(f, "timestamp '{at}'"),
            Self::Time(Moment::Ago(by)) if by.is_zero() => f.write_str("now()"),
            Self::Time(Moment::Ago(by)) => write!(f, "now() - interval '{}'", write_duration(*by)),
            Self::Time(Moment::In(by)) => write!(f, "now() + interval '{}'", write_duration(*by)),
            Self::RunId(run_id) => write!(f, "'{run_id}'"),
            Self::Definition(hash) => write!(f, "'{hash}'"),
        }
    }
}

/// A text in quotes, with quotes inside doubled.
struct Quoted<'a>(char, &'a str);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self(quote, text) = *self;
        f.write_char(quote)?;
        for letter in text.chars() {
            if letter == quote {
                f.write_char(quote)?;
            }
            f.write_char(letter)?;
        }
        f.write_char(quote)
    }
}
