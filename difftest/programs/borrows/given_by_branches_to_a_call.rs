//! What one of several branches lends, of which others await, is an argument, a receiver or matched.

fn size(text: &str) -> usize {
    text.len()
}

fn both(left: &str, right: &str, n: i64) -> String {
    format!("{left} {right} {n}")
}

#[workflow]
async fn program(n: i64) -> (usize, String, String, String, Vec<String>) {
    let first = fetch("a long text").await;
    let second = fetch("another").await;
    let nick = (n % 2 == 0).then(|| first.clone());
    let mut list = words(&first).await;
    let length = size(if n > 1 {
        &first
    } else {
        act(n).await;
        &second
    });
    let text = both(
        match &nick {
            Some(name) => name,
            None => {
                tick().await;
                "none"
            }
        },
        if flag(n).await { first.trim() } else { &second },
        act(n).await,
    );
    let own = match &nick {
        Some(nick) => nick.as_str(),
        None => {
            tick().await;
            "none"
        }
    }
    .to_owned();
    let answer = concat(if flag(n).await { &first } else { &second }, "end").await;
    let answer = concat(
        match n {
            0 => &answer,
            _ => &first,
        },
        &fetch(if n > 1 { second.trim() } else { "b" }).await,
    )
    .await;
    let last = if act(n).await > 1 { &mut list[0] } else { list.last_mut().unwrap() };
    last.push('!');
    (length, text, own, answer, list)
}
