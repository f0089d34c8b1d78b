//! What one of several branches lends, of which others await, is used without a further await.

#[workflow]
async fn program(n: i64) -> Vec<String> {
    let first = fetch("a long text").await;
    let second = fetch("another").await;
    let nick = (n % 2 == 0).then(|| first.clone());
    let whole = if n > 1 {
        &first
    } else {
        act(n).await;
        &second
    };
    note(whole.len());
    let other = if n > 0 {
        &first
    } else {
        loop {
            if act(n).await > 0 {
                return vec![first];
            }
        }
    };
    tick().await;
    note(other.len());
    let part = if n > 2 {
        &first[..3]
    } else {
        act(n).await;
        &second[1..]
    };
    note(part.to_owned());
    let text = match &nick {
        Some(nick) => nick.as_str(),
        None => {
            tick().await;
            "none"
        }
    };
    note(text.to_owned());
    let same = match &nick {
        Some(nick) if nick.len() > 3 => nick.as_str(),
        _ => {
            tick().await;
            second.trim()
        }
    };
    tick().await;
    let numbers = vec![n, 2, 3];
    let number = match numbers.first() {
        Some(number) if *number > 0 => number,
        _ => {
            tick().await;
            &numbers[1]
        }
    };
    vec![whole.clone(), part.to_owned(), text.to_owned(), same.to_owned(), number.to_string()]
}
