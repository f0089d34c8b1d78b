//! A part of a local is moved out, and filled again in the value that a branch returns with.

/// A value of which a copy may be dropped unseen.
#[derive(Debug, Serialize, Deserialize)]
struct Tag {
    name: String,
}

impl Tag {
    fn new(name: impl Into<String>) -> Self {
        Self { name: name.into() }
    }
}

#[workflow]
async fn in_an_arm(n: i64) -> (i64, String) {
    let mut pair = (n, fetch("first").await);
    act(take(pair.1)).await;
    let chosen = select! {
        counted = act(n) => {
            pair.0 -= counted;
            0
        }
        asked = act(0) => {
            if asked > 1 {
                return {
                    pair.1 = String::from("again");
                    pair.clone()
                };
            }
            n
        }
    };
    (fetch("end").await.len() as i64 + chosen + pair.0, String::new())
}

#[workflow]
async fn on_one_way(n: i64) -> (Tag, i64) {
    let mut pair = (Tag::new("first"), n);
    drop(pair.0);
    pair.1 += act(n).await;
    if flag(pair.1).await {
        note(1);
        return if pair.1 > 2 {
            pair.0 = Tag::new("again");
            pair
        } else {
            return {
                pair.0 = Tag::new("inner");
                pair.1 = 7;
                pair
            };
        };
    }
    pair.1 += act(pair.1).await;
    pair.0 = Tag::new("last");
    pair
}

#[workflow]
async fn back_to_the_loop(n: i64) -> (Tag, i64) {
    let mut pair = (Tag::new("first"), n);
    drop(pair.0);
    let mut left = 3;
    'rounds: loop {
        left -= 1;
        let given = act(left).await;
        if flag(given).await {
            return match pair.1 {
                2 => {
                    note(2);
                    break 'rounds;
                }
                number if number % 3 == given => continue,
                _ if left == 1 => {
                    pair.0 = Tag::new("left");
                    note(3);
                    continue 'rounds;
                }
                _ => {
                    pair.0 = Tag::new("found");
                    pair.1 += given;
                    pair
                }
            };
        }
        if left == 0 {
            break;
        }
        pair.1 += 1;
    }
    pair.1 += act(pair.1).await;
    pair.0 = Tag::new("last");
    pair
}

#[workflow]
async fn where_it_stays_filled(n: i64) -> i64 {
    let mut pair = (fetch("first").await, n);
    drop(pair.0);
    pair.1 += act(n).await;
    'out: {
        if flag(pair.1).await {
            return match fetch(&pair.1.to_string()).await {
                text if text.len() > 2 => {
                    pair.0 = text;
                    break 'out;
                }
                text => {
                    pair.0 = text;
                    pair.0.len() as i64
                }
            };
        }
        pair.0 = fetch("filled").await;
    }
    act(pair.1).await + pair.0.len() as i64
}

#[workflow]
async fn with_a_question(n: i64) -> Option<i64> {
    let mut pair = (fetch("first").await, n);
    drop(pair.0);
    pair.1 += act(n).await;
    if flag(pair.1).await {
        return Some({
            pair.0 = even(pair.1)?.to_string();
            note(take(pair.0));
            even(pair.1 / 2)?
        });
    }
    note(act(pair.1).await);
    pair.0 = fetch("filled").await;
    Some(take(pair.0))
}

#[workflow]
async fn program(n: i64) -> String {
    let (first, text) = in_an_arm(n).await;
    let (noisy, second) = on_one_way(n).await;
    let (other, third) = back_to_the_loop(n).await;
    let fourth = where_it_stays_filled(n).await;
    let fifth = with_a_question(n).await;
    drop((noisy, other));
    format!("{first} {text} {second} {third} {fourth} {fifth:?}")
}

fn take(text: String) -> i64 {
    text.len() as i64
}

fn even(number: i64) -> Option<i64> {
    (number % 2 == 0).then_some(number)
}
