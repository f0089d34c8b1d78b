//! Borrows that are wrapped or stand side by side.

use std::borrow::Cow;

#[workflow]
async fn program(n: i64) -> String {
    let order = order(n).await;
    let name = fetch("name").await;
    let text = Cow::from(&name);
    let customer: Cow<'_, str> = Cow::Borrowed(&order.customer);
    let first = Some(&order.lines);
    let pair = (&name, &order.customer);
    let both = [&name, &order.customer];
    let note = Some("a note");
    let joined = concat(&text, &customer).await;
    let count = match first {
        Some(lines) if lines.len() > 2 => act(lines.len() as i64).await,
        _ => 0,
    };
    let side = concat(pair.0, pair.1).await;
    let longest = both.iter().map(|text| text.len()).max();
    tick().await;
    let owned = text.into_owned() + note.unwrap_or_default();
    format!("{joined} {count} {side} {longest:?} {owned} {}", first.is_some_and(Vec::is_empty))
}
