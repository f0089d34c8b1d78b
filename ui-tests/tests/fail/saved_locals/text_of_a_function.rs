use piton::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Named {
    name: &'static str,
}

static UNITS: [&str; 2] = ["g", "kg"];

fn label(text: &str) -> &str {
    text.rsplit(':').next().unwrap_or(text)
}

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn of_a_function(line: String) -> usize {
    let text = label(&line);
    step(1).await;
    text.len()
}

#[workflow]
async fn of_a_line(text: String) -> String {
    let (key, value) = match text.split_once('=') {
        Some(parts) => parts,
        None => return text.clone(),
    };
    step(value.len() as u64).await;
    key.to_owned()
}

#[workflow]
async fn of_words(text: String) -> u64 {
    let words: Vec<_> = text.split(' ').collect();
    let mut sum = step(words.len() as u64).await;
    for word in text.split(',').map(label) {
        sum += step(word.len() as u64).await;
        sum += word.len() as u64;
    }
    sum + words.len() as u64
}

#[workflow]
async fn of_a_table(number: u64) -> usize {
    let units = UNITS.map(|unit| unit.trim_end());
    let numbered = UNITS.iter().zip(0..number).collect::<Vec<_>>();
    step(1).await;
    units.len() + numbered.len()
}

#[workflow]
async fn in_a_struct() -> usize {
    let named = Named { name: "a" };
    step(1).await;
    named.name.len()
}

fn main() {}
