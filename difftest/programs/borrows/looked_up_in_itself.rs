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
    text.push('y');
    other + act(text.len() as i64).await as usize
}

fn inner_of(n: usize) -> usize {
    n % 3
}
