//! What a look-up is told looks into the same text, which may be changed later.

#[workflow]
async fn program(n: i64) -> usize {
    let mut text = fetch("abecedx").await;
    let part = text
        .split('e')
        .nth({
            inner_of(async { tick().await; text.split('c').count() }.await + text.trim().len())
        })
        .unwrap_or("none");
    note(part);
    let other = text
        .split('c')
        .nth(if text.contains('x') && flag(n).await { text.chars().count() % 2 } else { 0 })
        .unwrap_or("none")
        .len();
    let last = text
        .split('e')
        .nth({
            let shown = if n > 2 { text.as_str() } else { text.trim_end() };
            let start = text.split_once('b').map_or(shown, |(start, _)| start).to_uppercase();
            inner_of(start.len()) + act(n).await as usize % 2
        })
        .unwrap_or("none");
    note(concat(last, part).await);
    text.push('y');
    let bytes = text.as_bytes();
    let ends = text
        .lines()
        .rev()
        .nth(bytes.len() + text.strip_prefix('a').map_or(7, str::len) - act(15).await as usize % 3)
        .unwrap_or("last")
        .to_owned();
    text.push_str(&ends);
    other + act(text.len() as i64).await as usize
}

fn inner_of(n: usize) -> usize {
    n % 3
}
