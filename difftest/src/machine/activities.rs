//! The mock activities as workflows call them. Their bodies are what a worker would run; the driver
//! works out the same answers from the encoded arguments.

use std::collections::BTreeMap;

use piton::activity;
use piton::machine::ActivityError;
use serde::{Deserialize, Serialize};

use crate::answers::{self, Order, ParseFailed, Refused, Shape};

/// The mock activity `act`.
#[activity]
pub async fn act(n: i64) -> i64 {
    answers::act(&n)
}

/// The mock activity `add`.
#[activity]
pub async fn add(a: i64, b: i64) -> i64 {
    answers::add(&a, &b)
}

/// The mock activity `total`.
#[activity]
pub async fn total(numbers: &[i64]) -> i64 {
    answers::total(numbers)
}

/// The mock activity `flag`.
#[activity]
pub async fn flag(n: i64) -> bool {
    answers::flag(&n)
}

/// The mock activity `tick`.
#[activity]
pub async fn tick() {
    answers::tick()
}

/// The mock activity `letter`.
#[activity]
pub async fn letter(n: i64) -> char {
    answers::letter(&n)
}

/// The mock activity `fetch`.
#[activity]
pub async fn fetch(key: &str) -> String {
    answers::fetch(key)
}

/// The mock activity `concat`.
#[activity]
pub async fn concat(a: &str, b: &str) -> String {
    answers::concat(a, b)
}

/// The mock activity `lookup`.
#[activity]
pub async fn lookup(key: &str) -> Option<i64> {
    answers::lookup(key)
}

/// The mock activity `find`.
#[activity]
pub async fn find(n: i64) -> Option<String> {
    answers::find(&n)
}

/// The mock activity `text`.
#[activity]
pub async fn text(n: i64) -> String {
    answers::text(&n)
}

/// The mock activity `maybe`.
#[activity]
pub async fn maybe(n: i64) -> Option<i64> {
    answers::maybe(&n)
}

/// The mock activity `list`.
#[activity]
pub async fn list(n: i64) -> Vec<i64> {
    answers::list(&n)
}

/// The mock activity `words`.
#[activity]
pub async fn words(text: &str) -> Vec<String> {
    answers::words(text)
}

/// The mock activity `pair`.
#[activity]
pub async fn pair(n: i64) -> (i64, String) {
    answers::pair(&n)
}

/// The mock activity `table`.
#[activity]
pub async fn table(n: i64) -> BTreeMap<String, i64> {
    answers::table(&n)
}

/// The mock activity `order`.
#[activity]
pub async fn order(id: i64) -> Order {
    answers::order(&id)
}

/// The mock activity `price`.
#[activity]
pub async fn price(order: &Order) -> i64 {
    answers::price(order)
}

/// The mock activity `shape`.
#[activity]
pub async fn shape(n: i64) -> Shape {
    answers::shape(&n)
}

/// The mock activity `area`.
#[activity]
pub async fn area(shape: Shape) -> i64 {
    answers::area(&shape)
}

/// Whose methods are activities.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shop {
    /// What it adds to a sum.
    pub fee: i64,
}

impl Shop {
    /// The mock activity `quote`.
    #[activity]
    pub async fn quote(n: i64) -> i64 {
        answers::quote(&n)
    }

    /// The mock activity `charge`.
    #[activity]
    pub async fn charge(&self, cents: i64) -> i64 {
        answers::charge(&answers::Till { fee: self.fee }, &cents)
    }
}

/// The mock activity `try_act`.
#[activity]
pub async fn try_act(n: i64) -> Result<i64, Refused> {
    own_error(answers::try_act(&n))
}

/// The mock activity `try_fetch`.
#[activity]
pub async fn try_fetch(key: &str) -> Result<String, ParseFailed> {
    own_error(answers::try_fetch(key))
}

/// The mock activity `try_find`.
#[activity]
pub async fn try_find(n: i64) -> Result<Option<i64>, Refused> {
    own_error(answers::try_find(&n))
}

/// The mock activity `parse`.
#[activity]
pub async fn parse(text: &str) -> Result<i64, ParseFailed> {
    own_error(answers::parse(text))
}

/// What an activity itself returns; the other failures are the engine's to report.
fn own_error<T, E>(answer: Result<T, ActivityError<E>>) -> Result<T, E> {
    answer.map_err(|error| match error {
        ActivityError::Failed(error) => error,
        _ => panic!("the engine reports this"),
    })
}
