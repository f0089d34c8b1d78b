//! The mock activities: their arguments and their answers.
//!
//! Answers are functions of the arguments alone, so both lowerings get the same ones in whatever
//! order they ask.

use std::collections::BTreeMap;
use std::fmt;

use piton::codec;
use piton::machine::{ActivityError, OperationOutcome, Signal, TimeoutKind};
use piton::model::Payload;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Calls `$callback!` with every mock activity: those that cannot fail, then those that return a
/// `Result`. After a parameter's type comes the type that its argument is read back as.
macro_rules! mocks {
    ($callback:ident) => {
        $callback! {
            plain {
                act(n: i64 => i64) -> i64;
                add(a: i64 => i64, b: i64 => i64) -> i64;
                total(numbers: &[i64] => Vec<i64>) -> i64;
                flag(n: i64 => i64) -> bool;
                tick() -> ();
                letter(n: i64 => i64) -> char;
                fetch(key: &str => String) -> String;
                concat(a: &str => String, b: &str => String) -> String;
                lookup(key: &str => String) -> Option<i64>;
                find(n: i64 => i64) -> Option<String>;
                text(n: i64 => i64) -> String;
                maybe(n: i64 => i64) -> Option<i64>;
                list(n: i64 => i64) -> Vec<i64>;
                words(text: &str => String) -> Vec<String>;
                pair(n: i64 => i64) -> (i64, String);
                table(n: i64 => i64) -> std::collections::BTreeMap<String, i64>;
                order(id: i64 => i64) -> crate::answers::Order;
                price(order: &crate::answers::Order => crate::answers::Order) -> i64;
                shape(n: i64 => i64) -> crate::answers::Shape;
                area(shape: crate::answers::Shape => crate::answers::Shape) -> i64;
                quote(n: i64 => i64) -> i64;
                charge(shop: &crate::answers::Till => crate::answers::Till, cents: i64 => i64)
                    -> i64;
            }
            fallible {
                try_act(n: i64 => i64) -> i64, crate::answers::Refused;
                try_fetch(key: &str => String) -> String, crate::answers::ParseFailed;
                try_find(n: i64 => i64) -> Option<i64>, crate::answers::Refused;
                parse(text: &str => String) -> i64, crate::answers::ParseFailed;
            }
        }
    };
}
pub(crate) use mocks;

/// Something a customer buys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// What.
    pub sku: String,
    /// How many.
    pub count: i64,
}

/// What a customer buys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Order {
    /// Identifies it.
    pub id: i64,
    /// Who.
    pub customer: String,
    /// What.
    pub lines: Vec<Line>,
}

/// An enum with a variant of every kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Shape {
    /// A unit.
    Point,
    /// A named field.
    Circle {
        /// Its radius.
        radius: i64,
    },
    /// A tuple.
    Rect(i64, i64),
    /// Something owned.
    Named(String, Box<Shape>),
}

/// What a shop is made of. Both sides have a `Shop` of their own, because its methods are activities.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Till {
    /// What it adds to a sum.
    pub fee: i64,
}

/// An activity said no.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Refused {
    /// Which argument it did not like.
    pub code: i64,
}

/// A text was not as expected.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ParseFailed {
    /// There was none.
    Empty,
    /// It has this character in it.
    Unexpected(char),
}

/// A signal with fields.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Approve {
    /// Who.
    pub by: String,
}

/// A signal that is a number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bump(pub i64);

impl Signal for Approve {
    const NAME: &'static str = "approve";
}

impl Signal for Bump {
    const NAME: &'static str = "bump";
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "refused {}", self.code)
    }
}

impl fmt::Display for ParseFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("nothing to read"),
            Self::Unexpected(what) => write!(f, "unexpected {what:?}"),
        }
    }
}

impl std::error::Error for Refused {}
impl std::error::Error for ParseFailed {}

/// The `count`th signal of a run, counted from 1, for a wait for this name.
pub(crate) fn signal(name: &str, count: i64) -> Payload {
    match name {
        Approve::NAME => encode(&Approve { by: format!("approver {count}") }),
        _ => encode(&Bump(count * 10)),
    }
}

/// The arguments of a call, which may be borrowed.
pub(crate) fn encode_arguments<T: Serialize>(arguments: &T) -> Payload {
    let arguments = serde_json::to_value(arguments).expect("plain data can be encoded");
    Payload::from_json(&arguments)
}

pub(crate) fn encode<T: Serialize + DeserializeOwned>(value: &T) -> Payload {
    codec::to_payload(value).expect("plain data can be encoded")
}

macro_rules! tables {
    (
        plain { $($name:ident($($arg:ident: $ty:ty => $owned:ty),*) -> $ret:ty;)* }
        fallible { $($try_name:ident($($try_arg:ident: $try_ty:ty => $try_owned:ty),*) -> $ok:ty, $err:ty;)* }
    ) => {
        /// The call as text, such as `act(3)`.
        pub(crate) fn describe(name: &str, arguments: &Payload) -> String {
            match own_name(name) {
                $(stringify!($name) => {
                    describe_as::<($($owned,)*)>(name, arguments)
                })*
                $(stringify!($try_name) => {
                    describe_as::<($($try_owned,)*)>(name, arguments)
                })*
                _ => format!("{name}(?)"),
            }
        }

        /// The result of calling it.
        pub(crate) fn outcome(name: &str, arguments: &Payload) -> OperationOutcome {
            match own_name(name) {
                $(stringify!($name) => {
                    match codec::from_payload::<($($owned,)*)>(arguments) {
                        Ok(($($arg,)*)) => {
                            let answer: $ret = $name($(std::borrow::Borrow::borrow(&$arg)),*);
                            OperationOutcome::Returned(encode(&answer))
                        }
                        Err(error) => OperationOutcome::Unusable(error.to_string()),
                    }
                })*
                $(stringify!($try_name) => {
                    match codec::from_payload::<($($try_owned,)*)>(arguments) {
                        Ok(($($try_arg,)*)) => {
                            let answer: Result<$ok, ActivityError<$err>> =
                                $try_name($(std::borrow::Borrow::borrow(&$try_arg)),*);
                            outcome_of(answer)
                        }
                        Err(error) => OperationOutcome::Unusable(error.to_string()),
                    }
                })*
                _ => OperationOutcome::Unusable(format!("there is no mock activity `{name}`")),
            }
        }
    };
}
mocks!(tables);

/// The name of an activity without its type's.
fn own_name(name: &str) -> &str {
    name.rsplit("::").next().unwrap_or(name)
}

fn describe_as<T: Serialize + DeserializeOwned + fmt::Debug>(
    name: &str,
    arguments: &Payload,
) -> String {
    match codec::from_payload::<T>(arguments) {
        Ok(arguments) => format!("{name}{arguments:?}"),
        Err(error) => format!("{name}(unreadable: {error})"),
    }
}

fn outcome_of<T, E>(answer: Result<T, ActivityError<E>>) -> OperationOutcome
where
    T: Serialize + DeserializeOwned,
    E: Serialize + DeserializeOwned,
{
    match answer {
        Ok(value) => OperationOutcome::Returned(encode(&Ok::<T, E>(value))),
        Err(ActivityError::Failed(error)) => {
            OperationOutcome::Returned(encode(&Err::<T, E>(error)))
        }
        Err(ActivityError::TimedOut(kind)) => OperationOutcome::TimedOut(kind),
        Err(ActivityError::Cancelled) => OperationOutcome::Cancelled,
        Err(ActivityError::Panicked(message)) => OperationOutcome::Panicked(message),
        Err(ActivityError::OutcomeUnknown) => OperationOutcome::Unknown,
    }
}

// The answers. All are small, so that arithmetic on them does not overflow by chance.

pub(crate) fn act(n: &i64) -> i64 {
    (n.rem_euclid(100) * 3 + 1) % 100
}

pub(crate) fn add(a: &i64, b: &i64) -> i64 {
    a.wrapping_add(*b) % 1000
}

pub(crate) fn total(numbers: &[i64]) -> i64 {
    numbers.iter().fold(0, |sum, n| add(&sum, n))
}

pub(crate) fn flag(n: &i64) -> bool {
    n % 2 == 0
}

pub(crate) fn tick() {}

pub(crate) fn letter(n: &i64) -> char {
    // Below 26, so it fits.
    char::from(b'a' + n.rem_euclid(26) as u8)
}

pub(crate) fn fetch(key: &str) -> String {
    let short: String = key.chars().take(12).collect();
    format!("<{short}>")
}

pub(crate) fn concat(a: &str, b: &str) -> String {
    format!("{a}+{b}").chars().take(40).collect()
}

pub(crate) fn lookup(key: &str) -> Option<i64> {
    let length = key.chars().count();
    (!length.is_multiple_of(3)).then(|| i64::try_from(length).unwrap_or(i64::MAX))
}

pub(crate) fn find(n: &i64) -> Option<String> {
    (n % 4 != 2).then(|| format!("item {n}"))
}

pub(crate) fn text(n: &i64) -> String {
    format!("<{n}>")
}

pub(crate) fn maybe(n: &i64) -> Option<i64> {
    (*n >= 0).then(|| n % 1000 + 100)
}

pub(crate) fn list(n: &i64) -> Vec<i64> {
    (0..n.rem_euclid(5)).map(|index| index * 2 + n % 10).collect()
}

pub(crate) fn words(text: &str) -> Vec<String> {
    text.split(' ').take(5).map(str::to_owned).collect()
}

pub(crate) fn pair(n: &i64) -> (i64, String) {
    (n % 100 + 1, format!("p{n}"))
}

pub(crate) fn table(n: &i64) -> BTreeMap<String, i64> {
    list(n).into_iter().map(|entry| (format!("k{entry}"), entry * 10)).collect()
}

pub(crate) fn order(id: &i64) -> Order {
    let lines = list(id).into_iter().map(|n| Line { sku: format!("sku-{n}"), count: n % 3 + 1 });
    Order { id: *id, customer: format!("customer {}", id % 7), lines: lines.collect() }
}

pub(crate) fn price(order: &Order) -> i64 {
    order.lines.iter().map(|line| line.count % 100).sum::<i64>() + 5
}

pub(crate) fn shape(n: &i64) -> Shape {
    match n.rem_euclid(5) {
        0 => Shape::Point,
        1 => Shape::Circle { radius: n % 50 },
        2 => Shape::Rect(n % 10, 4),
        3 => Shape::Named(format!("s{n}"), Box::new(Shape::Circle { radius: 2 })),
        _ => Shape::Named("empty".into(), Box::new(Shape::Point)),
    }
}

pub(crate) fn area(shape: &Shape) -> i64 {
    match shape {
        Shape::Point => 0,
        Shape::Circle { radius } => 3 * (radius % 30) * (radius % 30),
        Shape::Rect(a, b) => (a % 30) * (b % 30),
        Shape::Named(_, inner) => area(inner) + 1,
    }
}

pub(crate) fn quote(n: &i64) -> i64 {
    n % 20 + 3
}

pub(crate) fn charge(till: &Till, cents: &i64) -> i64 {
    add(cents, &till.fee)
}

/// The argument at which a fallible activity times out.
const TIMES_OUT_AT: i64 = 13;

pub(crate) fn try_act(n: &i64) -> Result<i64, ActivityError<Refused>> {
    match *n {
        TIMES_OUT_AT => Err(ActivityError::TimedOut(TimeoutKind::StartToClose)),
        n if n % 3 == 2 => Err(ActivityError::Failed(Refused { code: n })),
        n => Ok(n % 100 + 100),
    }
}

pub(crate) fn try_fetch(key: &str) -> Result<String, ActivityError<ParseFailed>> {
    match key.chars().next() {
        None => Err(ActivityError::Failed(ParseFailed::Empty)),
        Some('!') => Err(ActivityError::Panicked("overboard".into())),
        Some(first) if first.is_uppercase() => {
            Err(ActivityError::Failed(ParseFailed::Unexpected(first)))
        }
        Some(_) => Ok(fetch(key)),
    }
}

pub(crate) fn try_find(n: &i64) -> Result<Option<i64>, ActivityError<Refused>> {
    match n.rem_euclid(4) {
        0 => Ok(None),
        3 => Err(ActivityError::Failed(Refused { code: *n })),
        _ => Ok(Some(n % 100 * 2)),
    }
}

pub(crate) fn parse(text: &str) -> Result<i64, ActivityError<ParseFailed>> {
    match text.chars().find(|c| !c.is_ascii_digit()) {
        Some(other) => Err(ActivityError::Failed(ParseFailed::Unexpected(other))),
        None => text.parse().map_err(|_| ActivityError::Failed(ParseFailed::Empty)),
    }
}
