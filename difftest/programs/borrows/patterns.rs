//! Patterns that borrow from a saved local, used across awaits.

use std::collections::BTreeMap;

#[derive(Clone, Debug, Serialize, Deserialize)]
enum Kind {
    Single(String),
    Many { names: Vec<String>, limit: Option<i64> },
    Keyed(BTreeMap<i64, Vec<i64>>),
    Empty,
}

#[workflow]
async fn kinds(n: i64) -> Vec<Kind> {
    let names = vec![fetch("a").await, fetch("b").await];
    vec![
        Kind::Single(fetch("single").await),
        Kind::Many { names, limit: Some(n) },
        Kind::Keyed(BTreeMap::from([(1, list(n).await), (n, Vec::new())])),
        Kind::Empty,
    ]
}

#[workflow]
async fn program(n: i64) -> (Vec<Kind>, i64) {
    let mut kinds = kinds(n).await;
    let mut sum = 0;
    for kind in &kinds {
        match &kind {
            Kind::Single(name) => {
                sum += act(name.len() as i64).await;
                sum += name.len() as i64;
            }
            Kind::Many { names, limit: Some(limit) } if *limit > 2 => {
                for name in names {
                    sum += act(name.len() as i64 + *limit).await;
                }
                sum += names.len() as i64 * limit;
            }
            Kind::Keyed(lists) => {
                for (key, list) in lists {
                    let [first, .., last] = &list[..] else { continue };
                    sum += act(key + first).await;
                    sum += last;
                }
            }
            other @ (Kind::Many { .. } | Kind::Empty) => {
                tick().await;
                sum += format!("{other:?}").len() as i64;
            }
        }
    }
    let first = &mut kinds[0];
    if let Kind::Single(name) = first {
        name.push_str(&fetch("more").await);
        tick().await;
        name.push('!');
    }
    let (pair, mut spare) = ((fetch("left").await, act(n).await), Some((n, fetch("spare").await)));
    let (left, right) = &pair;
    tick().await;
    sum += left.len() as i64 + right;
    if let Some((_, ref mut text)) = spare {
        text.push_str(&fetch("x").await);
        text.push('.');
    }
    if let Some((number, text)) = &spare
        && act(*number).await > 0
        && let Some(letter) = text.chars().next()
    {
        sum += act(letter as i64).await + text.len() as i64;
    }
    while let Some((count, _)) = &mut spare {
        sum += act(*count).await;
        *count /= 2;
        if *count == 0 {
            spare = None;
        }
        tick().await;
    }
    (kinds, sum)
}
