use std::collections::{BTreeMap, VecDeque};

use piton::prelude::*;
use serde::{Deserialize, Serialize};

#[activity]
async fn fetch(number: u64) -> String {
    number.to_string()
}

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct User {
    name: String,
    nick: Option<String>,
    manager: Option<Box<User>>,
}

fn longest(words: &[String]) -> &String {
    words.iter().max_by_key(|word| word.len()).expect("there are words")
}

fn label(number: u64) -> &'static str {
    if number > 1 { "many" } else { "few" }
}

#[workflow]
async fn used_up_and_made_again(words: Vec<String>) -> usize {
    let before = longest(&words).len();
    step(1).await;
    before + longest(&words).len()
}

#[workflow]
async fn by_value(user: User) -> String {
    let nick = user.nick.clone();
    let made = fetch(1).await;
    let all = &made;
    step(2).await;
    if let Some(nick) = nick { nick } else { all.clone() }
}

#[workflow]
async fn filled_first(id: u64) -> String {
    let mut cache = BTreeMap::<u64, String>::new();
    if !cache.contains_key(&id) {
        cache.insert(id, fetch(id).await);
    }
    let page = &cache[&id];
    step(1).await;
    page.clone()
}

#[workflow]
async fn owned_chain(user: User) -> Vec<String> {
    let mut names = Vec::new();
    let mut next = Some(Box::new(user));
    while let Some(person) = next {
        step(names.len() as u64).await;
        names.push(person.name);
        next = person.manager;
    }
    names
}

#[workflow]
async fn popped(list: Vec<u64>) -> u64 {
    let mut left = VecDeque::from(list);
    let first = left.pop_front().unwrap_or_default();
    let mut sum = step(first).await;
    while let Some(number) = left.pop_front() {
        sum += step(number).await;
    }
    sum
}

#[workflow]
async fn typed_closure(number: u64) -> u64 {
    let double = |n: u64| n * 2;
    let doubled = step(double(number)).await;
    doubled + double(5)
}

#[derive(Serialize, Deserialize)]
enum Chosen {
    Add,
    Times,
}

#[workflow]
async fn function_in_the_body(number: u64) -> u64 {
    fn grown(number: u64, by: u64) -> u64 {
        number + by
    }
    let chosen = if number > 2 { Chosen::Add } else { Chosen::Times };
    let by = step(2).await;
    match chosen {
        Chosen::Add => grown(number, by),
        Chosen::Times => number * by,
    }
}

#[derive(Serialize, Deserialize)]
struct Tree {
    names: Vec<String>,
    edges: Vec<(usize, usize)>,
}

#[workflow]
async fn parts_by_index(name: String) -> String {
    let mut tree = Tree { names: vec![name], edges: Vec::new() };
    tree.names.push(fetch(1).await);
    tree.edges.push((0, 1));
    let late = fetch(2).await;
    let names = tree.edges.iter().map(|(_, to)| tree.names[*to].as_str());
    names.chain([late.as_str()]).collect()
}

#[workflow]
async fn one_let_with_branches(user: User) -> String {
    let other = fetch(1).await;
    let name = if user.nick.is_some() { &user.name } else { &other };
    step(1).await;
    name.clone()
}

#[workflow]
async fn awaited_together(cx: &Context, users: Vec<User>) -> u64 {
    let began = cx.now();
    let (first, second) = join!(step(1), step(2));
    let rest: u64 = join_all(vec![step(3), step(4)]).await.into_iter().sum();
    for user in &users {
        fetch(user.name.len() as u64).await;
    }
    for name in users.iter().map(|user| user.name.clone()) {
        fetch(name.len() as u64).await;
    }
    let waited = cx.now() - began;
    first + second + rest + waited.as_secs()
}

#[workflow]
async fn texts(number: u64) -> String {
    let text: &'static str = label(number);
    let prices: BTreeMap<String, u64> = BTreeMap::new();
    let price: Option<u64> = prices.get(text).copied();
    let detail: piton::Json<Vec<u64>> = piton::Json(vec![number]);
    step(1).await;
    format!("{text} {price:?} {:?}", detail.0)
}

static UNITS: [&str; 2] = ["g", "kg"];

fn unit(line: &str) -> &str {
    line.rsplit(' ').next().unwrap_or(line)
}

#[workflow]
async fn texts_of_functions_and_tables(line: String, number: u64) -> usize {
    let unit: &str = unit(&line);
    let units = UNITS.map(|unit| unit.trim_end().to_owned());
    let numbered = UNITS.iter().zip(0..number).map(|(unit, n)| ((*unit).to_owned(), n));
    let numbered = numbered.collect::<Vec<_>>();
    step(1).await;
    unit.len() + units.len() + numbered.len()
}

#[workflow]
async fn keys_that_do_not_change(lists: BTreeMap<u64, Vec<String>>) -> u64 {
    let mut next = 1;
    let unchanged = next.clone();
    for item in &lists[&unchanged] {
        next += step(item.len() as u64).await;
    }
    for (number, item) in lists[&1].iter().enumerate().map(|(number, item)| (number, item.clone()))
    {
        next += step(number as u64).await + item.len() as u64;
    }
    next
}
