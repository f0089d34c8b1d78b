//! Parts of a text that are held while the variable they come from is given another text.

fn header(text: &str) -> Option<(&str, &str)> {
    let (key, value) = text.trim().split_once('=')?;
    Some((key, value))
}

#[workflow]
async fn program(n: i64) -> Option<String> {
    let mut words = "one two three";
    let head = &words[..3];
    let whole = &*words;
    let trimmed = words.trim_start_matches('o');
    tick().await;
    words = &words[4..];
    note(concat(head, words).await);
    let (second, third) = words.split_once(' ')?;
    tick().await;
    words = third;
    note(concat(second, words).await);
    let text = fetch("k=v; x=y; z").await;
    let mut rest: &str = text.as_str();
    let mut log = String::new();
    while let Some((first, others)) = rest.split_once(';') {
        rest = others;
        log.push_str(&concat(first, "|").await);
        if let Some((key, value)) = header(first) {
            note((key.to_owned(), value.to_owned()));
        }
        if let Some(stripped) = rest.strip_prefix(' ') {
            rest = stripped;
            log.push_str(&fetch(stripped).await);
        }
    }
    let start = rest.get(..n as usize % 2).unwrap_or("none");
    rest = "done";
    tick().await;
    Some(format!("{log} {head} {whole} {trimmed} {second} {third} {words} {start} {rest}"))
}
