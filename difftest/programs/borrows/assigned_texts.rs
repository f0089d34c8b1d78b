//! Variables that are assigned literals and borrowed texts, around awaits and without them.

fn longer<'a>(one: &'a str, other: &'a str) -> &'a str {
    if other.len() > one.len() { other } else { one }
}

#[workflow]
async fn program(n: i64) -> String {
    let text = fetch("a=1, b=22 ,c=3").await;
    let lines: Vec<String> = (0..n).map(|n| "x".repeat(n as usize % 3)).collect();
    let mut longest = "";
    for line in &lines {
        longest = longer(longest, line);
        if line.len() > 1 {
            tick().await;
        }
    }
    let mut last = "none";
    for line in &lines {
        last = line;
        if act(line.len() as i64).await > 3 {
            break;
        }
        last = "next";
    }
    let late;
    if n > 2 {
        late = &text[1..];
    } else {
        tick().await;
        late = "late";
    }
    let mut tag = "new";
    let old = tag;
    if n > 1 {
        tag = text.trim();
    }
    let (mut left, mut right) = ("left", text.as_str());
    if flag(n).await {
        (left, right) = (right, left);
    }
    let mut rest: &str = text.trim();
    let mut log = String::new();
    while let Some((first, others)) = rest.split_once(',') {
        log.push_str(&concat(first, "|").await);
        rest = others;
    }
    let mut words = "one two three";
    while let Some((word, others)) = words.split_once(' ') {
        words = others;
        log.push_str(&fetch(word).await);
    }
    let (mut first, mut second): (&str, &str) = ("first", "second");
    for line in &lines {
        (first, second) = (second, line);
        tick().await;
    }
    log.push_str(&concat(first, second).await);
    let name: &str = longer(&text, longest);
    tick().await;
    format!("{log} {longest} {last} {late} {tag} {old} {left} {right} {rest} {words} {name}")
}
