//! Two sorted lists are compared, and what differs is corrected, booked or left open.

use std::cmp::Ordering;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Entry {
    key: String,
    cents: i64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Difference {
    Missing(Entry),
    Extra(Entry),
    Amount { key: String, ours: i64, theirs: i64 },
}

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
struct Outcome {
    matched: usize,
    fixed: Vec<String>,
    open: Vec<Difference>,
}

fn check_sorted(entries: &[Entry]) -> Result<(), String> {
    match entries.windows(2).position(|pair| pair[0].key >= pair[1].key) {
        Some(at) => Err(format!("not sorted at {at}")),
        None => Ok(()),
    }
}

#[workflow]
async fn load(source: String, n: i64) -> Result<Vec<Entry>, String> {
    let mut entries = Vec::new();
    for key in words(&source).await {
        let cents = try_act(n + key.len() as i64).await.map_err(|error| error.to_string())? % 5;
        entries.push(Entry { key, cents });
    }
    Ok(entries)
}

#[workflow]
async fn differences(ours: Vec<Entry>, theirs: Vec<Entry>) -> Vec<Difference> {
    let (mut a, mut b) = (ours.iter().peekable(), theirs.iter().peekable());
    let mut found = vec![];
    loop {
        let next = match (a.peek(), b.peek()) {
            (None, None) => break,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(x), Some(y)) => x.key.cmp(&y.key),
        };
        match next {
            Ordering::Less => found.extend(a.next().cloned().map(Difference::Extra)),
            Ordering::Greater => found.extend(b.next().cloned().map(Difference::Missing)),
            Ordering::Equal => {
                let (Some(x), Some(y)) = (a.next(), b.next()) else { unreachable!() };
                if x.cents != y.cents {
                    let key = x.key.clone();
                    found.push(Difference::Amount { key, ours: x.cents, theirs: y.cents });
                }
            }
        }
    }
    found
}

#[workflow]
async fn program(n: i64) -> Result<Outcome, String> {
    let (ours, theirs) =
        try_join!(load("a bb ccc e".to_owned(), n), load("bb ccc dd e f".to_owned(), n + 1))?;
    check_sorted(&ours).and(check_sorted(&theirs))?;
    let mut outcome = Outcome::default();
    let (mut i, mut j) = (0, 0);
    while i < ours.len() || j < theirs.len() {
        match (ours.get(i), theirs.get(j)) {
            (Some(a), Some(b)) if a.key == b.key => {
                let by = b.cents - a.cents;
                if by == 0 {
                    outcome.matched += 1;
                } else if by.abs() <= 2 && try_act(by).await.is_ok() {
                    outcome.fixed.push(a.key.clone());
                } else {
                    let (key, ours, theirs) = (a.key.clone(), a.cents, b.cents);
                    outcome.open.push(Difference::Amount { key, ours, theirs });
                }
                i += 1;
                j += 1;
            }
            (Some(a), b) if b.is_none_or(|b| a.key < b.key) => {
                if !flag(a.cents).await {
                    outcome.open.push(Difference::Extra(a.clone()));
                }
                i += 1;
            }
            (_, Some(b)) => {
                match try_fetch(&b.key).await {
                    Ok(id) => outcome.fixed.push(format!("{}#{id}", b.key)),
                    Err(_) => outcome.open.push(Difference::Missing(b.clone())),
                }
                j += 1;
            }
            _ => unreachable!("one of both is left"),
        }
    }
    let again = differences(ours, theirs).await;
    outcome.open.retain(|difference| again.contains(difference));
    Ok(outcome)
}
