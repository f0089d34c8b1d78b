//! Loops over lists of literals and borrowed texts.

fn first(text: &str) -> &str {
    text.split(' ').next().unwrap_or("nothing")
}

#[workflow]
async fn program(n: i64) -> String {
    let text = fetch("some words").await;
    let mut log = String::new();
    let mut last = "none";
    for word in [first(&text), "literal", text.as_str()] {
        log.push_str(&concat(word, last).await);
        if n > 1 && word.len() > 7 {
            continue;
        }
        tick().await;
        last = word;
        log.push_str(word);
    }
    for mut word in vec![text.trim(), "x y"].into_iter().rev() {
        for _ in 0..n % 3 {
            word = first(word);
            tick().await;
        }
        log.push_str(word);
    }
    for word in [if n > 2 { first(&text) } else { "few" }, last] {
        note(word.to_owned());
        log.push_str(&fetch(word).await);
    }
    log
}
