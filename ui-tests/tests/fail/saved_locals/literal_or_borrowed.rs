use std::borrow::Cow;

use piton::prelude::*;

fn pick(text: &str) -> &str {
    text.trim()
}

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn in_an_option(text: String, number: u64) -> usize {
    let found = if number > 1 { Some(pick(&text)) } else { Some("none") };
    step(1).await;
    found.map_or(0, str::len)
}

#[workflow]
async fn in_a_pair(text: String, number: u64) -> usize {
    let pair = 'found: {
        if number > 1 {
            break 'found (pick(&text), 1);
        }
        ("none", 0)
    };
    step(1).await;
    pair.0.len() + pair.1
}

#[workflow]
async fn in_a_list(text: String) -> usize {
    let both = [pick(&text), "none"];
    step(1).await;
    both[0].len()
}

#[workflow]
async fn in_parts(text: String, number: u64) -> usize {
    let pair = (pick(&text), number);
    step(pair.1).await;
    pair.0.len()
}

#[workflow]
async fn of_a_closure(text: String, number: u64) -> usize {
    let choose = |long: bool| if long { pick(&text) } else { pick("none") };
    let chosen = choose(number > 1);
    step(1).await;
    chosen.len()
}

fn shortened(text: &str) -> Cow<'_, str> {
    text.trim().into()
}

#[workflow]
async fn of_a_cow(text: String) -> usize {
    let short = shortened(&text);
    step(1).await;
    short.len()
}

#[workflow]
async fn of_a_loop(text: String, number: u64) -> usize {
    let found = loop {
        if number > 1 {
            break pick(&text);
        }
        break text.trim();
    };
    step(1).await;
    found.len()
}

fn main() {}
