//! Text taken apart: `as_str`, prefixes, splits and parses, with awaits in the arms.

#[workflow]
async fn program(n: i64) -> Result<String, ParseFailed> {
    let text = fetch("key").await;
    let mut out = String::new();
    match text.as_str() {
        "" => out.push_str("empty"),
        other if other.starts_with('k') => {
            let rest = other.trim_start_matches('k').to_owned();
            out += &concat(&rest, "!").await;
        }
        other => out.push_str(&fetch(other).await),
    }
    for (index, word) in text.split('-').enumerate() {
        let answer = words(word).await;
        out += &format!("{index}:{word}:{:>width$};", answer.len(), width = 4);
    }
    if let Some((head, tail)) = text.split_once('e') {
        let both = concat(head, tail).await;
        note(&both);
    }
    for line in format!("{n}\n{text}").lines() {
        out.push_str(&fetch(line).await);
    }
    for (at, letter) in text.char_indices().filter(|(_, c)| c.is_alphabetic()) {
        note((at, letter, act(at as i64).await));
    }
    let number: i64 = match parse(text.trim()).await {
        Ok(number) => number,
        Err(ActivityError::Failed(error)) if n > 2 => return Err(error),
        Err(_) => -1,
    };
    let bytes = b"abc";
    tick().await;
    let raw = r#"a "quoted" text"#;
    tick().await;
    note((bytes.len(), raw));
    Ok(format!("{out}{number:+}"))
}
